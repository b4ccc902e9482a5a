import type { JsonObject } from '../../../src/model/json';
import type { ApiState } from '../../../w3c/documents';
import { histogramOf } from '../../../w3c/credit';
import { defaultLimits, type ApiLimits } from '../../../w3c/limits';
import type { CallEntry } from '../../../w3c/log';
import { canonical } from '../../../formats/codec/plain-json';
import { parse } from '../../../formats/codec/issues';
import { replayCalls, scenarioHistogram } from './replay-calls';
import {
  scenarioCalls,
  withoutServiceIn,
  type ScenarioHistogram,
  type StatedHistogram,
} from './scenario-calls';

/** What the store of W3C Attribution has. */
export interface RecordedCalls {
  readonly state: Pick<ApiState, 'epochStart' | 'lastClear'>;
  readonly limits: ApiLimits;
  /** The oldest first. */
  readonly log: readonly CallEntry[];
}

/** The parts of a scenario that `recordCalls` writes. */
export interface WrittenCalls {
  readonly config: JsonObject;
  readonly input: readonly JsonObject[];
  readonly histograms: readonly JsonObject[];
}

/**
 * Writes the calls of pages as a part of a scenario: those that were not rejected, with the draws that decided their outcomes. Calls by header
 * become calls by script. A log need not hold all that decided a conversion: old entries leave it, and it has no `Clear-Site-Data` and no site data that
 * were forgotten. So a histogram is written only if a replay gives the same.
 */
export function recordCalls({ state, limits, log }: RecordedCalls): WrittenCalls | null {
  const entries = log.filter(({ outcome }) => outcome.kind !== 'rejected');
  if (entries.length === 0) return null;
  const changed = Object.entries(limits).filter(
    ([name, value]) => value !== defaultLimits[name as keyof ApiLimits],
  );
  const erased =
    state.lastClear === null ? [] : [{ timestamp: String(state.lastClear), call: 'erase' } as const];
  const input = [...entries.map(recordedCall), ...erased].sort(
    (a, b) => Number(a['timestamp']) - Number(b['timestamp']),
  );
  const histograms = entries.flatMap(recordedHistogram);
  const { calls, made } = replayed({ state, limits, input });
  return {
    config: {
      ...(changed.length === 0 ? {} : { limits: Object.fromEntries(changed) }),
      ...(state.epochStart === null ? {} : { epoch_start: String(state.epochStart) }),
    },
    input: calls,
    histograms: histograms.map((one, index): JsonObject => {
      const isMade = canonical({ ...one }) === canonical({ ...made[index] });
      return { ...one, histogram: isMade ? one.histogram : null } satisfies StatedHistogram;
    }),
  };
}

/** What a replay makes of the calls, and the calls without the credit that their impressions cannot get. */
function replayed({
  state,
  limits,
  input,
}: Pick<RecordedCalls, 'state' | 'limits'> & { readonly input: readonly JsonObject[] }): {
  readonly calls: readonly JsonObject[];
  readonly made: readonly ScenarioHistogram[];
} {
  const { value: parsed } = parse([...input], scenarioCalls(limits));
  if (parsed === null) return { calls: input, made: [] };
  const misfits = new Set<number>();
  const made = replayCalls(
    { limits, epochStart: state.epochStart, calls: parsed, histograms: [] },
    { random: null, misfit: (call) => misfits.add(parsed.indexOf(call)) },
  );
  const calls = input.map((call, index): JsonObject => {
    const { credit = null, ...rest } = call;
    return credit === null || misfits.has(index) ? rest : call;
  });
  return { calls, made };
}

function recordedCall({ time, call, site, caller, options, outcome }: CallEntry): JsonObject {
  // With one impression, nothing is drawn.
  const credited = outcome.kind === 'measured' ? outcome.why.credited : [];
  return {
    timestamp: String(time),
    call,
    site,
    ...(caller === site ? {} : { caller }),
    options: withoutServiceIn(options),
    ...(credited.length > 1 ? { credit: credited.map(({ value }) => value) } : {}),
  };
}

function recordedHistogram({ time, site, caller, options, outcome }: CallEntry): ScenarioHistogram[] {
  if (outcome.kind !== 'measured') return [];
  // A measured call had valid options.
  const { histogramSize } = options as { readonly histogramSize: number };
  const call = { time, topLevelSite: site, intermediarySite: caller };
  return [scenarioHistogram(call, histogramOf(outcome.why.credited, histogramSize))];
}
