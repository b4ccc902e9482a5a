import { t } from '../../i18n';
import type { TimelineEvent } from './timeline';

const kinds: Readonly<Record<TimelineEvent['kind'], string>> = {
  credited: t('timeline_credited'),
  dropped: t('timeline_dropped'),
  'true-report': t('timeline_true_report'),
  'fake-report': t('timeline_fake_report'),
  replaced: t('tables_report_replaced'),
  sent: t('tables_report_sent'),
  failed: t('timeline_failed'),
};

/** @param truth false: any report may be a true one or a fake one */
export const kindWords = (kind: TimelineEvent['kind'], truth: boolean): string =>
  !truth && kind === 'true-report' ? t('timeline_report') : kinds[kind];
