import { isAnyRate } from '../../../analysis/estimate/any-rate';
import type { EstimateJson } from '../../../analysis/estimate/group-result';
import { t } from './language';
import { showEstimate, showInterval, showRate } from './words';

/** The estimate over all sources. As in the table of campaigns, without a number if any rate is possible. */
export function allGroups({ quantity, observed, estimate, interval }: EstimateJson): string {
  const [low, high] = [interval[0] ?? NaN, interval[1] ?? NaN];
  const isRate = quantity === 'conversion-rate';
  const show = isRate ? showRate : showEstimate;
  return t('all-groups', {
    estimated:
      isRate && isAnyRate([low, high])
        ? t('too-few')
        : t('all-estimated', { value: show(estimate, interval) }),
    interval: showInterval(low, high, show),
    raw: show(observed, interval),
  });
}
