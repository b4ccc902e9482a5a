import { isJsonObject, type Json, type JsonObject } from '../../src/model/json';
import type { Settings } from '../../formats/settings/settings';
import { writeSourceRow } from '../../formats/sources/source-row';
import type { ReplayOutcome } from '../scenario/replay';
import type { Limits } from '../../src/model/limits';
import type { Epsilon } from '../../src/model/units';

/**
 * The row of the ad side's source log (docs/source-log.md) for a source that was stored; null for everything else. Filter data with one
 * value become columns, by which estimates can be grouped.
 */
export function sourceLogRow(
  entry: ReplayOutcome,
  {
    settings: { labelNoise },
    limits,
    priorEpsilon,
  }: { readonly settings: Settings; readonly limits: Limits; readonly priorEpsilon?: Epsilon },
): JsonObject | null {
  if (entry.kind !== 'source' || entry.decision.kind !== 'stored') return null;
  // The engine has stored it, so every field is valid.
  const json = JSON.parse(entry.header) as Json;
  if (!isJsonObject(json)) return null;
  const {
    destination = null,
    filter_data: filterData = {},
    source_event_id: id = '0',
    ...registration
  } = json;
  const { event_level_epsilon: registered } = json;
  const share = entry.checks.find((check) => check.id === 'budget-share');
  const isOfItself = entry.checks.some(({ id, values }) => id === 'mechanism' && values.applies === 'yes');
  return writeSourceRow({
    sourceEventId: BigInt(typeof id === 'string' ? id : 0),
    reportingOrigin: entry.reportingOrigin,
    destination,
    sourceType: entry.sourceType,
    time: entry.time,
    registration,
    epsilon:
      share?.values.epsilon ?? (typeof registered === 'number' ? registered : limits.maxSettableEpsilon),
    mechanism: isOfItself ? labelNoise : { kind: 'rr' },
    features: {
      ...singleValues(filterData),
      ...(priorEpsilon === undefined ? {} : { prior_epsilon: priorEpsilon }),
    },
  });
}

/** Filter data with one value. */
export const singleValues = (filterData: Json): JsonObject =>
  isJsonObject(filterData)
    ? Object.fromEntries(
        Object.entries(filterData).flatMap(([key, values]) => {
          const [only, ...others] = [values].flat();
          return only === undefined || others.length > 0 ? [] : [[key, only]];
        }),
      )
    : {};
