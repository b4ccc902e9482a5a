import type { FinishedReport, Report } from '../../../../src/model/records';
import type { Json } from '../../../../src/model/recording-rule';
import { siteOf } from '../../../../src/registration/origin';
import { from, type Cell, type TableDefinition, type Tone } from '../table';
import { field, textOf } from './common';

/** A report that waits, or what became of it. */
export interface ReportRow {
  readonly report: Report;
  readonly finished: FinishedReport | null;
}

const ends: Readonly<Record<FinishedReport['end'], string>> = {
  delivered: 'sent',
  'given-up': 'given up',
  'aged-out': 'aged out',
  replaced: 'replaced',
  'source-removed': 'source removed',
  randomized: 'truth, randomized',
};

export function reportStatus({ report, finished }: ReportRow): string {
  if (finished !== null) return ends[finished.end];
  return report.attempts.length > 0 ? 'retrying' : 'waiting';
}

const tone = (cell: Cell): Tone | undefined =>
  cell === 'sent'
    ? 'good'
    : cell === 'waiting'
      ? 'soft'
      : cell === 'retrying' || cell === 'replaced'
        ? 'warn'
        : 'bad';

const inBody =
  (name: string) =>
  ({ report }: ReportRow): Cell =>
    textOf(field(report.body, name));

const destination = ({ report }: ReportRow): Cell => {
  const found: Json | undefined = field(report.body, 'attribution_destination');
  return Array.isArray(found) ? found.join(', ') : textOf(found);
};

/** What the last try came to. */
export function lastAnswer({ report }: ReportRow): string | null {
  const outcome = report.attempts.at(-1)?.outcome;
  if (outcome === undefined) return null;
  return outcome.kind === 'answered' ? `HTTP ${outcome.status}` : outcome.error;
}

export const reports: TableDefinition<ReportRow> = {
  name: 'reports',
  title: 'Reports',
  noun: 'report',
  empty:
    'There is no report, neither waiting nor sent. One is made when a conversion is credited to a source, or by noise.',
  from: [
    // What is held back is the truth of a source, in whose place other reports leave.
    from<ReportRow, 'reports'>('reports', (report) =>
      report.event?.held === true ? null : { report, finished: null },
    ),
    from<ReportRow, 'finished'>('finished', (finished) =>
      finished.end === 'randomized' ? null : { report: finished.report, finished },
    ),
  ],
  sites: ({ report }) => [siteOf(report.reportingOrigin), ...(report.event?.destinations ?? [])],
  columns: [
    { key: 'status', title: 'Status', value: reportStatus, tone, width: 120, facet: true },
    { key: 'report_time', title: 'Due', value: ({ report }) => report.reportTime, as: 'time', width: 190 },
    {
      key: 'next_attempt',
      title: 'Next attempt',
      value: ({ report, finished }) => (finished === null ? report.nextAttempt : null),
      as: 'time',
      width: 190,
    },
    { key: 'answer', title: 'Last answer', value: lastAnswer, width: 120, facet: true },
    {
      key: 'attempts',
      title: 'Attempts',
      value: ({ report }) => report.attempts.length,
      as: 'number',
      width: 85,
    },
    {
      key: 'trigger_data',
      title: 'Trigger data',
      value: inBody('trigger_data'),
      as: 'number',
      width: 110,
      facet: true,
    },
    { key: 'event_id', title: 'Event id', value: inBody('source_event_id'), as: 'number', width: 130 },
    { key: 'destination', title: 'Destination', value: destination, as: 'origin', width: 190, facet: true },
    {
      key: 'reporting_origin',
      title: 'Reporting origin',
      value: ({ report }) => report.reportingOrigin,
      as: 'origin',
      width: 190,
      facet: true,
    },
    {
      key: 'randomized',
      title: 'Randomized',
      value: ({ report }) => (report.event === null ? null : report.event.fake ? 'fake' : 'true'),
      tone: (cell) => (cell === 'fake' ? 'warn' : undefined),
      width: 105,
      facet: true,
      truth: true,
    },
    { key: 'kind', title: 'Kind', value: ({ report }) => report.kind, width: 140, facet: true },
    {
      key: 'source',
      title: 'Source',
      value: ({ report }) => report.event?.sourceId ?? null,
      as: 'number',
      width: 80,
    },
    {
      key: 'ended',
      title: 'Ended',
      value: ({ finished }) => finished?.time ?? null,
      as: 'time',
      width: 190,
      optional: true,
    },
    {
      key: 'trigger_time',
      title: 'Trigger time',
      value: ({ report }) => report.event?.triggerTime ?? null,
      as: 'time',
      width: 190,
      optional: true,
      truth: true,
    },
    {
      key: 'priority',
      title: 'Priority',
      value: ({ report }) => (report.event === null ? null : String(report.event.triggerPriority)),
      as: 'number',
      width: 90,
      optional: true,
      truth: true,
    },
    { key: 'url', title: 'URL', value: ({ report }) => report.url, width: 320, optional: true },
    { key: 'report_id', title: 'Report id', value: inBody('report_id'), width: 290, optional: true },
  ],
};
