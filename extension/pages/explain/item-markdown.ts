import type { LogEntry } from '../../../src/model/decision';
import type { Source } from '../../../src/model/records';
import { serializeSource } from '../../../formats/registration/serialize';
import { t } from '../../i18n';
import type { ReportRow } from '../data/report-row';
import { whatOf } from '../words/what';
import { reportStatus } from '../words/report-status';
import { jsonOr, markdown } from './markdown';
import { outcomeOf } from '../words/outcome';
import { whySentence, whySteps } from './why';

/** A conversion, a source or a refused header as it was registered, and why it had its outcome. */
export function registrationMarkdown(entry: LogEntry, title: string, truth: boolean): string {
  return markdown({
    title,
    facts: [
      [t('tables_column_what'), whatOf(entry)],
      [t('tables_column_time'), isoTime(entry.time)],
      [t('tables_column_page'), entry.contextOrigin],
      [t('tables_column_reporting_origin'), entry.reportingOrigin],
      [t('registration_tab_why'), `${outcomeOf(entry, truth).words}. ${whySentence(entry, truth)}`],
    ],
    steps: whySteps(entry, truth)
      .filter(({ outcome }) => outcome === 'passed' || outcome === 'failed')
      .map(({ name, outcome, detail }) => t('share_step', { name, outcome, detail })),
    json: jsonOr(entry.header),
  });
}

export function sourceMarkdown({ registration, ...source }: Source, title: string): string {
  return markdown({
    title,
    facts: [
      [t('tables_column_type'), source.sourceType],
      [t('tables_column_source_origin'), source.sourceOrigin],
      [t('tables_column_destinations'), registration.destinations.join(', ')],
      [t('tables_column_reporting_origin'), source.reportingOrigin],
      [t('tables_column_registered'), isoTime(source.time)],
      [t('tables_column_expiry'), isoTime(source.expiryTime)],
      [t('tables_column_states'), String(source.states)],
      [t('tables_column_rate'), String(source.randomizedTriggerRate)],
    ],
    json: serializeSource(registration),
  });
}

export function reportMarkdown(row: ReportRow, title: string): string {
  const { report } = row;
  return markdown({
    title,
    facts: [
      [t('tables_column_status'), reportStatus(row)],
      [t('tables_column_report_time'), isoTime(report.reportTime)],
      [t('tables_column_url'), report.url],
    ],
    json: report.body,
  });
}

const isoTime = (time: number): string => new Date(time).toISOString();
