import type {
  AttributedConversion,
  FlexibleReport,
  InternalId,
  Report,
  Source,
} from '../../src/model/records';
import { eventLevelBody } from '../../src/reports/body';
import { countedTime } from '../../src/reports/event-level-report';
import { reportIdOf } from '../../formats/reports/event-level-report';
import type { View } from '../../src/store/draft';
import { finalizeReports } from '../../src/attribution/flexible';
import { workOut, type Crossing } from '../../src/attribution/summary';

/** A source with `trigger_specs` and its pending reports without some conversions. */
export interface Forgotten {
  readonly source: Source;
  /** Pending reports that stay, but come from other conversions than before. */
  readonly changed: readonly Report[];
  /** Pending reports that no longer have a cause. */
  readonly gone: readonly InternalId[];
}

/**
 * Computes a source again without some of its conversions; changes nothing in the store. Values used by reports that have left
 * stay used. A report that only now finds a place is made at the next conversion.
 * @returns null if the source has no such conversion.
 */
export function forgetConversions(
  view: View,
  source: Source,
  isMeant: (conversion: AttributedConversion) => boolean,
): Forgotten | null {
  const { flexible, registration } = source;
  const last = flexible?.conversions.at(-1);
  if (flexible === null || last === undefined || !flexible.conversions.some(isMeant)) return null;
  const finalized = finalizeReports(view, source, flexible, last);
  const conversions = finalized.conversions.filter((conversion) => !isMeant(conversion));
  const finalCount = source.reportCount - finalized.pending.length;
  const { crossings } = workOut(registration, {
    finalBuckets: finalized.finalBuckets,
    conversions,
    maxReports: registration.maxEventLevelReports - finalCount,
  });
  const pending: FlexibleReport[] = [];
  const changed: Report[] = [];
  for (const before of finalized.pending) {
    const crossing = crossings.find(isOf(before));
    if (crossing === undefined) continue;
    const { contributions } = crossing;
    pending.push({ ...before, contributions });
    const report = view.get('reports', before.reportId);
    if (report !== undefined && !isSame(contributions, before.contributions))
      changed.push(remade(source, report, crossing));
  }
  const kept = new Set(pending.map(({ reportId }) => reportId));
  return {
    source: {
      ...source,
      reportCount: finalCount + pending.length,
      flexible: { ...finalized, conversions, pending },
    },
    changed,
    gone: finalized.pending.map(({ reportId }) => reportId).filter((id) => !kept.has(id)),
  };
}

const isOf =
  ({ triggerData, bucket }: FlexibleReport) =>
  (crossing: Crossing): boolean =>
    crossing.triggerData === triggerData && crossing.bucket === bucket;

const isSame = (a: FlexibleReport['contributions'], b: FlexibleReport['contributions']): boolean =>
  JSON.stringify(a) === JSON.stringify(b);

/** The report with its id kept, as if the crossing had made it. */
function remade(source: Source, report: Report, { triggerData, bucket, by, debugKeys }: Crossing): Report {
  const contents = { triggerData, bucket, reportTime: report.reportTime, triggerDebugKeys: debugKeys };
  return {
    ...report,
    body: eventLevelBody(source, contents, reportIdOf(report.body)),
    event:
      report.event === null
        ? null
        : { ...report.event, triggerTime: countedTime(source, by.time), triggerPriority: by.priority },
  };
}
