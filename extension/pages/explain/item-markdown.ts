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
      [t('registration_what'), whatOf(entry)],
      [t('registration_time'), isoTime(entry.time)],
      [t('registration_page'), entry.contextOrigin],
      [t('registration_reporting_origin'), entry.reportingOrigin],
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
      [t('source_type'), source.sourceType],
      [t('source_origin'), source.sourceOrigin],
      [t('source_destinations'), registration.destinations.join(', ')],
      [t('source_reporting_origin'), source.reportingOrigin],
      [t('source_registered'), isoTime(source.time)],
      [t('source_expires'), isoTime(source.expiryTime)],
      [t('source_states'), String(source.states)],
      [t('source_rate'), String(source.randomizedTriggerRate)],
    ],
    json: serializeSource(registration),
  });
}

export function reportMarkdown(row: ReportRow, title: string): string {
  const { report } = row;
  return markdown({
    title,
    facts: [
      [t('report_status'), reportStatus(row)],
      [t('report_due'), isoTime(report.reportTime)],
      [t('report_url'), report.url],
    ],
    json: report.body,
  });
}

const isoTime = (time: number): string => new Date(time).toISOString();
