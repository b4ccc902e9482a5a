import fc from 'fast-check';
import { chromiumLimits, type Limits } from '../../../src/model/limits';
import { days, epsilon, minutes } from '../../../src/model/units';
import { parse } from '../../../formats/codec/issues';
import { apiConfig, apiConfigOf } from '../../../analysis/scenario/api-config';

const count = fc.integer({ min: 1, max: 2 ** 40 });
const bits = fc.double({ min: 0, max: 100, noNaN: true });
const bySourceType = fc.record({ navigation: bits, event: bits });

const limits: fc.Arbitrary<Limits> = fc.record({
  maxSourcesPerOrigin: count,
  maxEventLevelReportsPerDestination: count,
  maxSettableEpsilon: bits.map(epsilon),
  maxTriggerStateCardinality: count.map(BigInt),
  maxChannelCapacity: bySourceType,
  maxScopesChannelCapacity: bySourceType,
  maxDestinationsPerReportingSite: count,
  destinationRateLimitWindow: fc.integer({ min: 1, max: 10_000 }).map(minutes),
  maxDestinationsPerRateLimitWindow: count,
  maxDestinationsPerRateLimitWindowAndReportingSite: count,
  maxDestinationsPerReportingSiteAndDay: count,
  attributionRateLimitWindow: fc.integer({ min: 1, max: 1000 }).map(days),
  maxSourceReportingOrigins: count,
  maxAttributionReportingOrigins: count,
  maxAttributions: count,
  maxReportingOriginsPerSourceReportingSite: count,
  originRateLimitWindow: fc.integer({ min: 1, max: 1000 }).map(days),
  maxAggregatableReportsPerDestination: count,
  maxAggregatableReportsPerSource: count,
  maxAggregatableDebugReportsPerSource: count,
  maxAggregatableDebugBudgetPerSite: count,
  aggregatableReportMinDelay: fc.nat(10_000).map(minutes),
  aggregatableReportDelaySpan: fc.nat(10_000).map(minutes),
  nullReportLookback: fc.constant(days(30)),
  aggregationCoordinatorOrigins: fc.array(fc.webUrl(), { minLength: 1 }),
});

describe('limits as api_config', () => {
  it('are read as the same limits, whatever they would be otherwise', () => {
    fc.assert(
      fc.property(limits, limits, (written, otherwise) => {
        const { value, errors } = parse(apiConfigOf(written), apiConfig(otherwise));
        expect(errors).toEqual([]);
        expect(value?.limits).toEqual(written);
      }),
    );
  });

  it('may be infinite in bits, but not in ε', () => {
    const infinite = {
      max_event_level_channel_capacity_event: 'Infinity',
      max_settable_event_level_epsilon: 'Infinity',
    };
    const { errors } = parse(infinite, apiConfig(chromiumLimits));
    expect(errors.map(({ path }) => path)).toEqual(['max_settable_event_level_epsilon']);
  });

  it('are set by every name that is read', () => {
    expect(parse(apiConfigOf(chromiumLimits), apiConfig(chromiumLimits)).warnings).toEqual([]);
  });
});
