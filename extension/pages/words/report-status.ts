import type { FinishedReport } from '../../../src/model/records';
import type { ReportRow } from '../data/report-row';
import { t } from '../../i18n';
import type { Tone } from './tone';

type StatusId = 'waiting' | 'retrying' | 'sent' | Exclude<FinishedReport['end'], 'delivered'>;

const statuses: Readonly<Record<StatusId, readonly [words: string, tone: Tone]>> = {
  waiting: [t('tables_report_waiting'), 'soft'],
  retrying: [t('tables_report_retrying'), 'warn'],
  sent: [t('tables_report_sent'), 'good'],
  'given-up': [t('tables_report_given_up'), 'bad'],
  'aged-out': [t('tables_report_aged_out'), 'bad'],
  replaced: [t('tables_report_replaced'), 'warn'],
  'source-removed': [t('tables_report_source_removed'), 'bad'],
  randomized: [t('tables_report_randomized'), 'bad'],
};

export function statusId({ report, finished }: ReportRow): StatusId {
  if (finished !== null) return finished.end === 'delivered' ? 'sent' : finished.end;
  return report.attempts.length > 0 ? 'retrying' : 'waiting';
}

export const reportStatus = (row: ReportRow): string => statuses[statusId(row)][0];

/** A file of a newer version may have unknown ones. */
const isKnown = (key: string): key is StatusId => Object.hasOwn(statuses, key);

export const statusWords = (key: string): string => (isKnown(key) ? statuses[key][0] : key);

export const statusTone = (key: string): Tone | undefined => (isKnown(key) ? statuses[key][1] : undefined);
