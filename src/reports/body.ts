import type { Json, JsonObject } from '../model/json';
import type { ReportKind, Source } from '../model/records';
import type { Moment, Origin, Site } from '../model/units';
import { roundedRate } from '../privacy/randomized-response';
import { bucketRange, triggerDataOf } from '../states/source-space';

/** What an event-level report says beyond what its source says. */
export interface ReportContent {
  readonly reportId: string;
  readonly triggerData: number;
  readonly reportTime: Moment;
  /** Of the trigger, or, for a flexible source, of all that made the report; null when one has no key. */
  readonly triggerDebugKeys: readonly bigint[] | null;
  readonly bucket: number | null;
  readonly noisyValue?: number;
}

/**
 * ARA, "obtain an event-level report body"; flexible sources add `trigger_summary_bucket`, and mechanisms that give out a number
 * `noisy_value`.
 */
export function eventLevelBody(source: Source, content: ReportContent): JsonObject {
  const { registration } = source;
  return {
    attribution_destination: serializeDestinations(registration.destinations),
    ...(source.randomizedTriggerRate === null
      ? {}
      : { randomized_trigger_rate: roundedRate(source.randomizedTriggerRate) }),
    report_id: content.reportId,
    scheduled_report_time: String(Math.floor(content.reportTime / 1000)),
    source_event_id: String(registration.sourceEventId),
    source_type: source.sourceType,
    trigger_data: String(content.triggerData),
    ...(content.bucket === null
      ? {}
      : { trigger_summary_bucket: summaryBucket(source, content.triggerData, content.bucket) }),
    ...(content.noisyValue === undefined ? {} : { noisy_value: content.noisyValue }),
    ...debugKeys(source, content),
  };
}

/** ARA, "serialize attribution destinations". */
export function serializeDestinations(destinations: readonly Site[]): Json {
  return destinations.length === 1 ? (destinations[0] ?? null) : destinations;
}

function summaryBucket({ registration }: Source, triggerData: number, bucket: number): Json {
  const entry = triggerDataOf(registration).find((candidate) => candidate.triggerData === triggerData);
  if (entry === undefined) throw new RangeError(`the source has no trigger data ${triggerData}`);
  return bucketRange(entry.spec, bucket);
}

/** Both sides must have a key: one alone would tell who has third-party cookies (ARA, "serialize an attribution debug info"). */
function debugKeys(source: Source, { triggerDebugKeys, bucket }: ReportContent): JsonObject {
  const { debugKey } = source.registration;
  if (debugKey === null || triggerDebugKeys === null) return {};
  const keys = triggerDebugKeys.map(String);
  return {
    source_debug_key: String(debugKey),
    ...(bucket === null ? { trigger_debug_key: keys[0] ?? null } : { trigger_debug_keys: keys }),
  };
}

const paths: Readonly<Record<ReportKind, string>> = {
  'event-level': 'report-event-attribution',
  'event-level-debug': 'debug/report-event-attribution',
  'verbose-debug': 'debug/verbose',
};

/** ARA, "generate a report URL". */
export const reportUrl = (kind: ReportKind, reportingOrigin: Origin): string =>
  `${reportingOrigin}/.well-known/attribution-reporting/${paths[kind]}`;

const debugKeyNames = ['source_debug_key', 'trigger_debug_key', 'trigger_debug_keys'];

/** A report's body as it would be had nobody given debug keys. */
export function withoutDebugKeys(body: Json): Json {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  return Object.fromEntries(
    Object.entries(body as JsonObject).filter(([name]) => !debugKeyNames.includes(name)),
  );
}
