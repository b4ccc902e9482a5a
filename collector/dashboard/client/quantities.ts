import type { ConfigurationJson, EstimateJson, GroupJson } from '../../estimates/result';
import type { ShownQuantity } from './address';
import { showSeconds } from './words';

/** What stands for all conversions of a configuration, the best first; mechanisms on values have only sums and counts of values. */
const overall = ['conversions', 'label-sum', 'binned-sum'] as const;

/** The estimate of a group that the page shows: the one that was asked for, or what its mechanism has in place of it. */
export const shownEstimate = ({ estimates }: GroupJson, wanted: ShownQuantity): EstimateJson | null =>
  [wanted, ...overall].flatMap((kind) => estimates.find(({ quantity }) => quantity === kind) ?? [])[0] ??
  null;

export const estimateOf = ({ estimates }: GroupJson, kind: string): EstimateJson | null =>
  estimates.find(({ quantity }) => quantity === kind) ?? null;

/** That of all sources of a configuration: groups come after it. */
export const allOf = ({ groups }: ConfigurationJson): GroupJson | null => groups[0] ?? null;

/** What was estimated, for people: the title of a chart. */
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

/** The parts of a configuration's conversions that an analyst looks at next: by trigger data, by value. */
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
    default:
      return null;
  }
}
