import type { ConfigurationJson, EstimateJson, GroupJson } from '../../../analysis/estimate/estimate-result';
import type { ShownQuantity } from './address';
import { showSeconds } from './words';

/** The total of a configuration's conversions, best first. Mechanisms on values only have sums and counts of values. */
const overall = ['conversions', 'label-sum', 'binned-sum'] as const;

/** The estimate that the page shows for a group: the requested one, or its mechanism's substitute. */
export const shownEstimate = ({ estimates }: GroupJson, wanted: ShownQuantity): EstimateJson | null =>
  [wanted, ...overall].flatMap((kind) => estimates.find(({ quantity }) => quantity === kind) ?? [])[0] ??
  null;

export const estimateOf = ({ estimates }: GroupJson, kind: string): EstimateJson | null =>
  estimates.find(({ quantity }) => quantity === kind) ?? null;

/** The estimate over all sources of a configuration comes before those of its groups. */
export const allOf = ({ groups }: ConfigurationJson): GroupJson | null => groups[0] ?? null;

/** The title of a quantity's chart. */
export function quantityTitle(quantity: string): string {
  switch (quantity) {
    case 'conversion-rate':
      return 'Sources with a conversion';
    case 'label-sum':
      return 'Sum of values';
    case 'binned-sum':
      return 'Sum of values, by the means of bins';
    default:
      return 'Conversions';
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
  trigger_data: data,
  window_end: end,
  bucket,
  value,
  values,
}: EstimateJson): string | null {
  switch (quantity) {
    case 'trigger-data':
      return `data ${data ?? ''}`;
    case 'window':
      return `by ${showSeconds(end ?? 0)}`;
    case 'bucket':
      return `data ${data ?? ''}, ${bucket?.[0] ?? 0} or more`;
    case 'label':
    case 'label-with-share':
      return `value ${value ?? ''}`;
    case 'bin':
      return `values ${values?.join(', ') ?? ''}`;
    case 'conversion-rate':
    case 'conversions':
    case 'trigger-data-and-window':
    case 'value':
    case 'state':
    case 'state-with-share':
    case 'label-sum':
    case 'binned-sum':
      return null;
  }
}
