import { NULL_REPORTS_ONE_IN } from '../../../src/aggregate/null-reports';
import { t } from '../../i18n';
import { bare } from '../words/words';

/** What aggregatable reports tell their recipient, although they are sealed. */
export const aggregatableInWords = (collector: string): string =>
  t('consent_leaves_aggregatable', {
    collector: bare(collector),
    oneIn: Number(NULL_REPORTS_ONE_IN.exclude),
    oneInDay: Number(NULL_REPORTS_ONE_IN.include),
  });
