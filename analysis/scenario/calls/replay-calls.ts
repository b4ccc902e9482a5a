import { moment } from '../../../src/model/units';
import type { RandomSource } from '../../../src/privacy/random-source';
import { AttributionApi } from '../../w3c/attribution-api';
import { bucketsOf, type ConversionWhy } from '../../../w3c/engine';
import type { RandomOfCall } from '../../../w3c/epochs';
import { callerOf, type Call } from '../../../w3c/matching';
import { MemoryDocuments } from '../../../w3c/memory';
import { ScenarioError } from './scenario-error';
import type { ScenarioCall, ScenarioCalls, ScenarioHistogram } from './scenario-calls';

export interface ReplayCallsOptions {
  /** By the number of a call; null: no noise. Epochs then begin with 1970, and credit is rounded in one way. */
  readonly random: RandomOfCall | null;
  /** Receives the reasons of each conversion. */
  readonly observe?: (call: ScenarioCall, why: ConversionWhy) => void;
  /** Told of credit that the impressions of a conversion cannot get, which is then drawn. Without it, such credit is an error. */
  readonly misfit?: (call: ScenarioCall, message: string) => void;
}

/** Always decides for the first possibility. */
const first: RandomSource = { uint64: () => 0n, decide: () => 0 };

/** When epochs begin if neither the file nor noise says so. */
export const startWithoutNoise = moment(0);

/**
 * Runs the calls of a scenario through the engine of W3C Attribution.
 * @returns the reports in the order of the conversions, before they are sealed.
 * @throws ScenarioError when the stated credit is not what the impressions of a conversion could get, unless `misfit` is given.
 */
export function replayCalls(
  { limits, epochStart, calls }: ScenarioCalls,
  { random, observe, misfit }: ReplayCallsOptions,
): readonly ScenarioHistogram[] {
  const start = epochStart ?? (random === null ? startWithoutNoise : null);
  const documents = new MemoryDocuments({ epochStart: start, lastClear: null, calls: 0 });
  const api = new AttributionApi(limits, random ?? (() => first), documents);
  return calls.flatMap((step) => {
    switch (step.kind) {
      case 'saveImpression':
        api.saveImpression(step.call, step.options);
        return [];
      case 'clearImpressions':
        api.clearImpressionsForSite(step.site);
        return [];
      case 'erase':
        api.eraseAt(step.time);
        return [];
      case 'measureConversion': {
        const { histogram, why } = measured(api, step, misfit);
        if (why !== null) observe?.(step, why);
        return [scenarioHistogram(step.call, histogram)];
      }
    }
  });
}

function measured(
  api: AttributionApi,
  step: Extract<ScenarioCall, { readonly kind: 'measureConversion' }>,
  misfit: ReplayCallsOptions['misfit'],
): ReturnType<AttributionApi['measureConversion']> {
  const { call, options, credit, path } = step;
  try {
    return api.measureConversion(call, options, credit);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    if (misfit === undefined) throw new ScenarioError(`${path}.credit`, error.message);
    misfit(step, error.message);
    return api.measureConversion(call, options);
  }
}

export const scenarioHistogram = (call: Call, histogram: readonly number[]): ScenarioHistogram => ({
  time: String(call.time),
  site: call.topLevelSite,
  caller: callerOf(call),
  histogram: Object.fromEntries(bucketsOf(histogram)),
});
