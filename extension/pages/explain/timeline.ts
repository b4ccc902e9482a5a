import type { Source } from '../../../src/model/records';
import { windowSpans } from '../../window-ends';
import type { ReportRow } from '../data/report-row';
import { reportStatus } from '../words/report-status';
import type { TriggerEntry } from '../data/trigger-entry';
import { t } from '../../i18n';
import { outcomeOf } from '../words/outcome';

export interface TimelineEvent {
  readonly time: number;
  readonly lane: 'conversions' | 'reports' | 'sending';
  readonly kind: 'credited' | 'dropped' | 'true-report' | 'fake-report' | 'sent' | 'failed' | 'replaced';
  readonly words: string;
  readonly address: readonly (string | number)[];
}

export interface TimelineBand {
  readonly lane: number;
  readonly start: number;
  readonly end: number;
  readonly words: string;
}

/** Everything that happened to a source, by time. */
export function timelineEvents(
  triggers: readonly TriggerEntry[],
  reports: readonly ReportRow[],
  truth: boolean,
): readonly TimelineEvent[] {
  return [
    ...triggers.map((entry): TimelineEvent => {
      const { key, words } = outcomeOf(entry, truth);
      return {
        time: entry.time,
        lane: 'conversions',
        kind: key === 'credited' ? 'credited' : 'dropped',
        words: t('explain_timeline_conversion', { id: entry.id, outcome: words }),
        address: ['triggers', entry.id],
      };
    }),
    ...reports.flatMap((row) => reportEvents(row, truth)),
  ].sort((a, b) => a.time - b.time);
}

function reportEvents(row: ReportRow, truth: boolean): readonly TimelineEvent[] {
  const { report, finished } = row;
  const address = ['reports', report.id];
  const isFake = truth && report.event?.fake === true;
  const due: TimelineEvent = {
    time: report.reportTime,
    lane: 'reports',
    kind: finished?.end === 'replaced' ? 'replaced' : isFake ? 'fake-report' : 'true-report',
    words: t('explain_timeline_report', {
      kind: truth ? (isFake ? (report.noise === 'forced' ? 'forced' : 'fake') : 'true') : 'any',
      id: report.id,
      status: reportStatus(row),
    }),
    address,
  };
  const tries = report.attempts.map(({ time, outcome }, index): TimelineEvent => {
    const isSent = outcome.kind === 'answered' && outcome.status >= 200 && outcome.status < 300;
    const answer = outcome.kind === 'answered' ? `HTTP ${outcome.status}` : outcome.error;
    return {
      time,
      lane: 'sending',
      kind: isSent ? 'sent' : 'failed',
      words: t('explain_timeline_attempt', { n: index + 1, id: report.id, answer }),
      address,
    };
  });
  return [due, ...tries];
}

/** The report windows as bands. Specs with the same windows share them. */
export function timelineBands(source: Source): readonly TimelineBand[] {
  const seen = new Map<string, number>();
  return windowSpans(source).flatMap((spans, spec) => {
    const key = spans.map(({ start, end }) => `${start}-${end}`).join();
    if (seen.has(key)) return [];
    const lane = seen.size;
    seen.set(key, lane);
    const isOneOfSeveral = source.registration.triggerSpecs.length > 1;
    return spans.map(({ index, start, end }) => {
      const n = index + 1;
      const words = isOneOfSeveral
        ? t('explain_timeline_window_of', { n, specification: spec + 1 })
        : t('explain_timeline_window', { n });
      return { lane, start, end, words };
    });
  });
}

/**
 * The row of each mark in its lane, so that no two overlap: the one that has been free for longest, and the first if all are.
 * @param places from left to right, in pixels
 * @param width of a mark, in pixels
 */
export function rowsOf(places: readonly number[], width: number): readonly number[] {
  const rows: number[] = [];
  let [count, ended, reused] = [0, 0, 0];
  // All are equally wide, so they end in the order in which they begin.
  for (const [index, place] of places.entries()) {
    while (ended < index && (places[ended] ?? 0) + width <= place) ended++;
    if (ended === index) [count, reused] = [0, index];
    rows.push(reused < ended ? (rows[reused++] ?? 0) : count++);
  }
  return rows;
}

/**
 * Maps a time to its position on a line of this width. The position grows with the square root of the elapsed share, because most events
 * happen early and need more room.
 */
export function positionOn(start: number, end: number, width: number): (time: number) => number {
  return (time) => Math.sqrt(Math.min(1, Math.max(0, (time - start) / (end - start)))) * width;
}
