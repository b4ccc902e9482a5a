import type { Json } from '../model/json';
import type { Addressee, ReportKind, Source } from '../model/records';
import type { Moment, Origin, Site } from '../model/units';
import { roundedRate } from '../privacy/randomized-response';
import { bucketRange, specOf } from '../states/source-space';
import { eventLevelReport, type EventLevelBody } from '../../formats/reports/event-level-report';
import { reportPaths } from '../../formats/reports/report-kind';

/** What distinguishes the event-level reports of one source. */
export interface ReportContents {
  readonly triggerData: number;
  readonly triggerTime: Moment;
  readonly triggerPriority: bigint;
  /** The key of the trigger or, for a flexible source, of all triggers that made the report; null if one has no key. */
  readonly triggerDebugKeys: readonly bigint[] | null;
  readonly reportTime: Moment;
  readonly bucket: number | null;
  /** The destination of the conversion that made the report; null if noise made it. */
  readonly attributedTo: Site | null;
  /** The output of a mechanism; reports of triggers have none. */
  readonly noisyValue?: number;
  /** Whether noise made it, and the truth would not have. */
  readonly fake: boolean;
}

/** What its body says of that. */
type Stated = Pick<
  ReportContents,
  'triggerData' | 'reportTime' | 'triggerDebugKeys' | 'bucket' | 'noisyValue'
>;

/** ARA, "obtain an event-level report body". */
export function eventLevelBody(source: Source, content: Stated, reportId: string): Json {
  const { registration, randomizedTriggerRate: rate } = source;
  const { triggerData, bucket } = content;
  return eventLevelReport.write({
    destinations: registration.destinations,
    randomizedTriggerRate: rate === null ? null : roundedRate(rate),
    reportId,
    scheduledTime: content.reportTime,
    sourceEventId: registration.sourceEventId,
    sourceType: source.sourceType,
    triggerData: BigInt(triggerData),
    summaryBucket: bucket === null ? null : bucketRange(specOf(registration, triggerData), bucket),
    noisyValue: content.noisyValue ?? null,
    ...debugKeys(source, content),
  });
}

type DebugKeys = Pick<EventLevelBody, 'sourceDebugKey' | 'triggerDebugKey' | 'triggerDebugKeys'>;

/** ARA, "serialize an attribution debug info": one side's key alone would reveal who has third-party cookies. */
function debugKeys(source: Source, { triggerDebugKeys: keys, bucket }: Stated): DebugKeys {
  const { debugKey } = source.registration;
  if (debugKey === null || keys === null)
    return { sourceDebugKey: null, triggerDebugKey: null, triggerDebugKeys: null };
  return {
    sourceDebugKey: debugKey,
    triggerDebugKey: bucket === null ? (keys[0] ?? null) : null,
    triggerDebugKeys: bucket === null ? null : keys,
  };
}

/**
 * A report goes where its source's reports were to go when the source was registered, sealed for whom it was then, whatever was agreed to
 * since. A report without a source goes where those of a new one do.
 */
export const addresseeOf = (current: Addressee, source: Addressee | null): Addressee => {
  const { recipient, aggregationKeys } = source ?? current;
  return {
    ...(recipient === undefined ? {} : { recipient }),
    ...(aggregationKeys === undefined ? {} : { aggregationKeys }),
  };
};

/** ARA, "generate a report URL". */
export const reportUrl = (kind: ReportKind, reportingOrigin: Origin): string =>
  `${reportingOrigin}${reportPaths[kind]}`;
