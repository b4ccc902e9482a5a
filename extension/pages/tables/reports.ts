import type { Report } from '../../../src/model/records';
import type { Json } from '../../../src/model/json';
import { siteOf } from '../../../src/model/site';
import { t } from '../../i18n';
import { addressOf } from '../../recipient';
import { isOnlyTruth, type ReportRow } from '../data/report-row';
import { field, textOf } from '../data/header-json';
import { statusId, statusTone, statusWords } from '../words/report-status';
import { from, type Cell, type TableDefinition } from './table';

const unlessOnlyTruth = (row: ReportRow): ReportRow | null => (isOnlyTruth(row) ? null : row);

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
    from<ReportRow, 'reports'>('reports', (report) => unlessOnlyTruth({ report, finished: null })),
    from<ReportRow, 'finished'>('finished', (finished) =>
      unlessOnlyTruth({ report: finished.report, finished }),
    ),
  ],
  sites: ({ report }) => [siteOf(report.reportingOrigin), ...(report.event?.destinations ?? [])],
  columns: [
    {
      key: 'status',
      outcome: true,
      title: t('tables_column_status'),
      value: statusId,
      label: (cell) => statusWords(String(cell)),
      tone: (cell) => statusTone(String(cell)),
      facet: true,
    },
    {
      key: 'report_time',
      title: t('tables_column_due'),
      value: ({ report }) => report.reportTime,
      as: 'time',
    },
    {
      key: 'next_attempt',
      title: t('tables_column_next_attempt'),
      value: ({ report, finished }) => (finished === null ? report.nextAttempt : null),
      as: 'time',
      optional: true,
    },
    { key: 'answer', title: t('tables_column_answer'), value: lastAnswer, facet: true },
    {
      key: 'attempts',
      title: t('tables_column_attempts'),
      value: ({ report }) => report.attempts.length,
      as: 'number',
      optional: true,
    },
    {
      key: 'trigger_data',
      title: t('tables_column_trigger_data'),
      value: inBody('trigger_data'),
      as: 'number',
      facet: true,
    },
    {
      key: 'event_id',
      title: t('tables_column_event_id'),
      value: inBody('source_event_id'),
      as: 'number',
    },
    {
      key: 'destination',
      title: t('tables_column_destination'),
      value: destination,
      as: 'origin',
      facet: true,
    },
    {
      key: 'reporting_origin',
      title: t('tables_column_reporting_origin'),
      value: ({ report }) => report.reportingOrigin,
      as: 'origin',
      facet: true,
      optional: true,
    },
    {
      key: 'randomized',
      title: t('tables_column_randomized'),
      value: ({ report }) => (report.event === null ? null : randomizedKey(report, report.event.fake)),
      label: (cell) => randomizedWords.get(cell) ?? String(cell),
      tone: (cell) => (cell === 'true' ? undefined : 'warn'),
      facet: true,
      truth: true,
    },
    {
      key: 'kind',
      title: t('tables_column_kind'),
      value: ({ report }) => report.kind,
      facet: true,
    },
    {
      key: 'source',
      title: t('tables_column_source'),
      value: ({ report }) => report.event?.sourceId ?? null,
      as: 'number',
    },
    {
      key: 'ended',
      title: t('tables_column_ended'),
      value: ({ finished }) => finished?.time ?? null,
      as: 'time',
      optional: true,
    },
    {
      key: 'trigger_time',
      title: t('tables_column_trigger_time'),
      value: ({ report }) => report.event?.triggerTime ?? null,
      as: 'time',
      optional: true,
      truth: true,
    },
    {
      key: 'priority',
      title: t('tables_column_priority'),
      value: ({ report }) => (report.event === null ? null : String(report.event.triggerPriority)),
      as: 'number',
      optional: true,
      truth: true,
    },
    {
      key: 'url',
      title: t('tables_column_url'),
      value: ({ report }) => addressOf(report),
      optional: true,
    },
    {
      key: 'report_id',
      title: t('tables_column_report_id'),
      value: inBody('report_id'),
      optional: true,
    },
  ],
};
