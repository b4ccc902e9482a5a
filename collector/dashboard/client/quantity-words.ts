import type { EstimateJson, GroupJson } from '../../../analysis/estimate/result/group-result';
import { t } from './language';
import { showCount, showNumber, showSeconds } from './words';

/**
 * The title of a quantity's chart.
 * @param isCounted whether each report is of a conversion, rather than of a bucket that was reached
 */
export function quantityTitle(quantity: string, isCounted: boolean): string {
  switch (quantity) {
    case 'conversion-rate':
      return t('quantity-conversion-rate');
    case 'label-sum':
      return t('quantity-label-sum');
    case 'binned-sum':
      return t('quantity-binned-sum');
    default:
      return t(isCounted ? 'quantity-conversions' : 'quantity-buckets');
  }
}

/** The parts of a configuration's conversions: by trigger data or by value. */
export function parts({
  estimates,
}: GroupJson): readonly { readonly label: string; readonly estimate: EstimateJson }[] {
  return estimates.flatMap((estimate) => {
    const label = partLabel(estimate);
    return label === null ? [] : [{ label, estimate }];
  });
}

function partLabel({
  quantity,
  trigger_data: data = 0,
  window_end: end = 0,
  bucket,
  value = 0,
  values = [],
}: EstimateJson): string | null {
  switch (quantity) {
    case 'trigger-data':
      return t('part-data', { data: String(data) });
    case 'window':
      return t('part-window', { end: showSeconds(end) });
    case 'bucket':
      return t('part-bucket', { data: String(data), first: showCount(bucket?.[0] ?? 0) });
    case 'label':
    case 'label-with-share':
      return t('part-value', { value: showNumber(value) });
    case 'bin':
      return t('part-values', { values: values.map(showNumber).join('; ') });
    case 'conversion-rate':
    case 'conversions':
    case 'trigger-data-and-window':
    case 'value':
    case 'state':
    case 'state-with-share':
    case 'label-sum':
    case 'average-value':
    case 'binned-sum':
      return null;
  }
}
