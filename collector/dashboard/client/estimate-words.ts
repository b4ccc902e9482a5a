import type { EstimateJson } from '../../../analysis/estimate/result/group-result';
import { t } from './language';
import { showEstimate, showFound, showInterval, showRate, showShare } from './words';

/** The estimate over all sources. */
export const allGroups = (of: EstimateJson): string => t('all-groups', factsOf(of));

/** An estimate for the text about it. */
export function factsOf({
  quantity,
  observed,
  estimate,
  interval,
}: EstimateJson): Readonly<Record<'estimated' | 'interval' | 'raw', string>> {
  const show = quantity === 'conversion-rate' ? showRate : showEstimate;
  const found = showFound(estimate, interval, show);
  return {
    estimated: estimate === null ? found : t('all-estimated', { value: found }),
    interval: showInterval(interval[0] ?? NaN, interval[1] ?? NaN, show),
    raw: observed === null ? 'none' : show(observed, interval),
  };
}

/** How many of the counted conversions noise makes on average: as a share, if any were counted, and in words. */
export const expectedNoise = ({
  observed,
  noise,
}: EstimateJson): Readonly<Record<'share' | 'meaning', string>> => ({
  share:
    observed === null || noise === null || observed <= 0 ? '–' : showShare(Math.min(1, noise / observed)),
  meaning: t('noise-counted', { noise: showEstimate(noise), counted: showEstimate(observed) }),
});

/** An estimate in a chart. */
export interface EstimateRow {
  readonly label: string;
  readonly estimate: EstimateJson;
  /** What happened, if known. */
  readonly truth?: number | null;
}

/** The numbers of a chart. @param each what its rows are */
export function numbersOf(
  each: string,
  rows: readonly EstimateRow[],
  shares: boolean,
): { readonly columns: readonly string[]; readonly rows: readonly (readonly string[])[] } {
  const show = shares ? showRate : showEstimate;
  const hasTruth = rows.some(({ truth }) => truth != null);
  const hasLikely = rows.some(({ estimate }) => estimate.likelihood !== undefined);
  return {
    columns: [
      each,
      t('raw'),
      t('estimate'),
      t('interval-from'),
      t('interval-to'),
      t('expected-noise'),
      ...(hasTruth ? [t('truth')] : []),
      ...(hasLikely ? [t('likely'), t('interval-from'), t('interval-to')] : []),
    ],
    rows: rows.map(({ label, estimate, truth }) => [
      label,
      show(estimate.observed, estimate.interval),
      showFound(estimate.estimate, estimate.interval, show),
      ...estimate.interval.map((value) => show(value, estimate.interval)),
      showShare(estimate.noise_share),
      ...(hasTruth ? [truth == null ? '–' : show(truth, estimate.interval)] : []),
      ...(hasLikely ? likelyCells(estimate, show) : []),
    ]),
  };
}

const likelyCells = ({ likelihood }: EstimateJson, show: typeof showEstimate): readonly string[] =>
  likelihood === undefined
    ? ['–', '–', '–']
    : [likelihood.estimate, ...likelihood.interval].map((value) => show(value, likelihood.interval));
