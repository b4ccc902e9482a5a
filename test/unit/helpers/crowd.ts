import fc from 'fast-check';
import type { Registration } from '../../../src/model/incoming-registration';
import { chromiumLimits, type Limits } from '../../../src/model/limits';
import { days, moment, type Origin } from '../../../src/model/units';
import { NEWS, sourceRegistration, START, triggerRegistration } from './engine';

/** So small that a few dozen registrations reach all of them. */
export const limits: Limits = {
  ...chromiumLimits,
  maxSourcesPerOrigin: 3,
  maxEventLevelReportsPerDestination: 3,
  maxDestinationsPerReportingSite: 2,
  maxDestinationsPerRateLimitWindow: 3,
  maxDestinationsPerRateLimitWindowAndReportingSite: 2,
  maxDestinationsPerReportingSiteAndDay: 3,
  maxSourceReportingOrigins: 2,
  maxAttributionReportingOrigins: 2,
  maxAttributions: 2,
  maxReportingOriginsPerSourceReportingSite: 1,
};

// The first of each list comes up most often, so that limits of one pair apply.
const shops: [Origin, ...Origin[]] = [
  'https://a.example',
  'https://b.example',
  'https://c.example',
  'https://d.example',
] as [Origin, Origin, Origin, Origin];
// Two origins of one site, and two other sites.
const adtechs: [Origin, ...Origin[]] = [
  'https://1.adtech.example',
  'https://2.adtech.example',
  'https://other.example',
  'https://third.example',
] as [Origin, Origin, Origin, Origin];

const mostlyFirst = <T>(first: T, ...rest: T[]): fc.Arbitrary<T> =>
  fc.oneof(
    { weight: 2, arbitrary: fc.constant(first) },
    { weight: 1, arbitrary: fc.constantFrom(first, ...rest) },
  );
const [publisher, shop, adtech] = [
  mostlyFirst(NEWS, 'https://blog.example' as Origin),
  mostlyFirst(...shops),
  mostlyFirst(...adtechs),
];

const time = fc.oneof(
  { weight: 6, arbitrary: fc.constant(START) },
  { weight: 2, arbitrary: fc.constantFrom(moment(START + 59_999), moment(START + 60_000)) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: days(2) }).map((offset) => moment(START + offset)) },
);

export const source: fc.Arbitrary<Registration> = fc
  .record({
    time,
    contextOrigin: publisher,
    reportingOrigin: adtech,
    sourceType: fc.constantFrom('event' as const, 'navigation' as const),
    destination: fc.uniqueArray(shop, { minLength: 1, maxLength: 2 }),
    priority: fc.integer({ min: 0, max: 2 }).map(String),
    destination_limit_priority: fc.integer({ min: 0, max: 1 }).map(String),
    scopes: fc.option(fc.uniqueArray(fc.constantFrom('x', 'y', 'z'), { minLength: 1, maxLength: 2 })),
    flexible: fc.boolean(),
  })
  .map(({ scopes, flexible, sourceType, destination, priority, destination_limit_priority, ...when }) =>
    sourceRegistration(
      {
        destination,
        priority,
        destination_limit_priority,
        max_event_level_reports: 2,
        event_report_windows: { end_times: [3600, 86400] },
        ...(flexible
          ? {
              trigger_specs: [
                { trigger_data: [0, 1], summary_operator: 'value_sum', summary_buckets: [2, 4] },
              ],
            }
          : { trigger_data: [0, 1] }),
        ...(scopes === null
          ? {}
          : { attribution_scopes: { limit: 2, values: scopes, max_event_states: 100 } }),
      },
      sourceType,
      when,
    ),
  );

export const trigger: fc.Arbitrary<Registration> = fc
  .record({
    time,
    contextOrigin: shop,
    reportingOrigin: adtech,
    trigger_data: fc.integer({ min: 0, max: 2 }).map(String),
    priority: fc.integer({ min: 0, max: 2 }).map(String),
    value: fc.integer({ min: 1, max: 5 }),
    scopes: fc.subarray(['x', 'y']),
  })
  .map(({ trigger_data, priority, value, scopes, ...when }) =>
    triggerRegistration(
      { event_trigger_data: [{ trigger_data, priority, value }], attribution_scopes: scopes },
      when,
    ),
  );
