import type { Report } from '../../../src/model/records';
import type { LiveReader } from './live-reader';
import type { Reader } from './reader';
import { isOnlyTruth, tellsTheTruth, type ReportRow } from './report-row';

/** With more pending reports than this, the search for the next one is skipped. */
const MOST_SEARCHED = 300;

/**
 * A report, pending or finished.
 * @param truth false returns null for a report that `tellsTheTruth`
 */
export async function readReport(
  reader: Pick<Reader, 'get'>,
  id: number,
  truth: boolean,
): Promise<ReportRow | null> {
  const row = await findReport(reader, id);
  return row !== null && !truth && tellsTheTruth(row) ? null : row;
}

async function findReport(reader: Pick<Reader, 'get'>, id: number): Promise<ReportRow | null> {
  const finished = await reader.get('finished', id);
  if (finished !== null) return { report: finished.report, finished };
  const report = await reader.get('reports', id);
  return report === null ? null : { report, finished: null };
}

/** Of how many reports that ended last the popup counts those that were sent. */
const LATELY = 100;

/** How many reports were sent, or at least how many. */
export interface Sent {
  readonly count: number;
  readonly isAll: boolean;
  /** The id of the one report, if it is the only one. */
  readonly only: Report['id'] | null;
}

/** @param truth false leaves out those that `tellsTheTruth` */
export async function sentLately(reader: Pick<LiveReader, 'lastFinished'>, truth: boolean): Promise<Sent> {
  const ended = await reader.lastFinished(LATELY);
  const sent = ended.filter(
    (finished) =>
      finished.end === 'delivered' && (truth || !tellsTheTruth({ report: finished.report, finished })),
  );
  const isAll = ended.length < LATELY;
  const only = isAll && sent.length === 1 ? (sent[0]?.report.id ?? null) : null;
  return { count: sent.length, isAll, only };
}

/** The id of a report that is due at `time`; null when none is found. */
export async function reportDueAt(
  reader: Pick<Reader, 'ids' | 'range'>,
  time: number,
): Promise<Report['id'] | null> {
  const ids = await reader.ids('reports');
  const [first, last] = [ids[0], ids.at(-1)];
  if (first === undefined || last === undefined || ids.length > MOST_SEARCHED) return null;
  const reports = await reader.range('reports', first, last);
  const due = reports.find(
    (report) => report.nextAttempt === time && !isOnlyTruth({ report, finished: null }),
  );
  return due?.id ?? null;
}
