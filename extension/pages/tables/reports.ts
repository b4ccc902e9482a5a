import type { Report } from '../../../src/model/records';
import type { Json } from '../../../src/model/json';
import { siteOf } from '../../../src/model/site';
import { t } from '../../i18n';
import { addressOf } from '../../recipient';
import { isOnlyTruth, tellsTheTruth, type ReportRow } from '../data/report-row';
import { field, textOf } from '../data/header-json';
import { statusId, statusTone, statusWords } from '../words/report-status';
import { column, from, type Cell, type TableDefinition } from './table';

const shown = (row: ReportRow, truth: boolean): ReportRow | null =>
  isOnlyTruth(row) || (!truth && tellsTheTruth(row)) ? null : row;

const randomizedKey = ({ noise }: Report, fake: boolean): 'true' | 'fake' | 'forced' =>
  !fake ? 'true' : noise === 'forced' ? 'forced' : 'fake';

const randomizedWords: ReadonlyMap<Cell, string> = new Map([
  ['true', t('tables_report_true')],
  ['fake', t('tables_report_fake')],
  ['forced', t('tables_report_forced')],
]);

const inBody =
  (name: string) =>
  ({ report }: ReportRow): Cell =>
    textOf(field(report.body, name));

const destination = ({ report }: ReportRow): Cell => {
  const found: Json | undefined = field(report.body, 'attribution_destination');
  return Array.isArray(found) ? found.join(', ') : textOf(found);
};

function lastAnswer({ report }: ReportRow): string | null {
  const outcome = report.attempts.at(-1)?.outcome;
  if (outcome === undefined) return null;
  return outcome.kind === 'answered' ? `HTTP ${outcome.status}` : outcome.error;
}

export const reports: TableDefinition<ReportRow> = {
  name: 'reports',
  title: t('tables_column_reports'),
  empty: t('tables_reports_empty'),
  from: [
    from<ReportRow, 'reports'>('reports', (report, truth) => shown({ report, finished: null }, truth)),
    from<ReportRow, 'finished'>('finished', (finished, truth) =>
      shown({ report: finished.report, finished }, truth),
    ),
  ],
  sites: ({ report }) => [siteOf(report.reportingOrigin), ...(report.event?.destinations ?? [])],
  // Their numbers are in no order.
  order: 'report_time',
  columns: [
    column('status', statusId, {
      outcome: true,
      label: (cell) => statusWords(String(cell)),
      tone: (cell) => statusTone(String(cell)),
      facet: true,
    }),
    column('report_time', ({ report }) => report.reportTime, { as: 'time' }),
    column('next_attempt', ({ report, finished }) => (finished === null ? report.nextAttempt : null), {
      as: 'time',
      optional: true,
    }),
    column('answer', lastAnswer, { facet: true }),
    column('attempts', ({ report }) => report.attempts.length, { as: 'number', optional: true }),
    column('trigger_data', inBody('trigger_data'), { as: 'number', facet: true }),
    column('event_id', inBody('source_event_id'), { as: 'number' }),
    column('destination', destination, { as: 'origin', facet: true }),
    column('reporting_origin', ({ report }) => report.reportingOrigin, {
      as: 'origin',
      facet: true,
      optional: true,
    }),
    column(
      'randomized',
      ({ report }) => (report.event === null ? null : randomizedKey(report, report.event.fake)),
      {
        label: (cell) => randomizedWords.get(cell) ?? String(cell),
        tone: (cell) => (cell === 'true' ? undefined : 'warn'),
        facet: true,
        truth: true,
      },
    ),
    column('kind', ({ report }) => report.kind, { facet: true }),
    column('source', ({ report }) => report.event?.sourceId ?? null, { as: 'number' }),
    column('ended', ({ finished }) => finished?.time ?? null, { as: 'time', optional: true }),
    column('trigger_time', ({ report }) => report.event?.triggerTime ?? null, {
      as: 'time',
      optional: true,
      truth: true,
    }),
    column(
      'priority',
      ({ report }) => (report.event === null ? null : String(report.event.triggerPriority)),
      { as: 'number', optional: true, truth: true },
    ),
    column('url', ({ report }) => addressOf(report), { optional: true }),
    column('report_id', inBody('report_id'), { optional: true }),
  ],
};
