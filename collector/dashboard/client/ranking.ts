import type { EstimateResultJson } from '../../../analysis/estimate/estimate-result';
import type { TruthAnswer } from '../../answers';
import { estimateOf } from './quantities';

/** A number with its 95 % interval. */
export interface Estimated {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

export interface Ranked {
  readonly group: string;
  readonly sources: number;
  /** The share of sources with a conversion. */
  readonly rate: Estimated;
  readonly conversions: Estimated;
  /** What happened; null where nobody knows. */
  readonly truth: { readonly rate: number; readonly conversions: number } | null;
  /** The ranks, from 1, of the groups whose rate may as well be higher or lower. */
  readonly alike: readonly number[];
}

/** 95 % of a normal distribution. */
const Z = 1.959964;

/** The groups over all configurations that count conversions, by estimated rate, the highest first. */
export function ranked({ configurations }: EstimateResultJson, truth: TruthAnswer | null): readonly Ranked[] {
  const sums = new Map<string, Sum>();
  const counted = new Set<string>();
  for (const { configuration, groups } of configurations)
    for (const found of groups) {
      const [group] = Object.values(found.group);
      const [rate, conversions] = [estimateOf(found, 'conversion-rate'), estimateOf(found, 'conversions')];
      if (group === undefined || rate === null || conversions === null) continue;
      counted.add(configuration);
      const sum = sums.get(group) ?? emptySum;
      sums.set(group, {
        sources: sum.sources + found.sources,
        converted: sum.converted + found.sources * (rate.estimate ?? 0),
        convertedVariance: sum.convertedVariance + found.sources ** 2 * (rate.variance ?? Infinity),
        conversions: sum.conversions + (conversions.estimate ?? 0),
        conversionsVariance: sum.conversionsVariance + (conversions.variance ?? Infinity),
      });
    }
  const rows = [...sums]
    .filter(([, { sources }]) => sources > 0)
    .sort(([, a], [, b]) => rateOf(b) - rateOf(a));
  return rows.map(([group, sum]) => ({
    group,
    sources: sum.sources,
    rate: interval(rateOf(sum), rateVarianceOf(sum)),
    conversions: interval(sum.conversions, sum.conversionsVariance),
    truth: truth === null ? null : truthOf(truth, group, counted, sum.sources),
    alike: rows.flatMap(([other, its], index) => (other !== group && areAlike(sum, its) ? [index + 1] : [])),
  }));
}

/** Unbiased estimates add up, and so do their variances. */
interface Sum {
  readonly sources: number;
  readonly converted: number;
  readonly convertedVariance: number;
  readonly conversions: number;
  readonly conversionsVariance: number;
}

const emptySum: Sum = {
  sources: 0,
  converted: 0,
  convertedVariance: 0,
  conversions: 0,
  conversionsVariance: 0,
};

const rateOf = ({ converted, sources }: Sum): number => converted / sources;
const rateVarianceOf = ({ convertedVariance, sources }: Sum): number => convertedVariance / sources ** 2;

const interval = (value: number, variance: number): Estimated => {
  const half = Z * Math.sqrt(variance);
  return { value, low: value - half, high: value + half };
};

/** The standard error. */
export const errorOf = ({ low, high }: Estimated): number => (high - low) / (2 * Z);

/** Whether the interval of the rates' difference includes 0. */
const areAlike = (a: Sum, b: Sum): boolean =>
  Math.abs(rateOf(a) - rateOf(b)) <= Z * Math.sqrt(rateVarianceOf(a) + rateVarianceOf(b));

function truthOf(
  { groups }: TruthAnswer,
  group: string,
  configurations: ReadonlySet<string>,
  sources: number,
): Ranked['truth'] {
  const found = groups.filter((one) => one.group === group && configurations.has(one.configuration));
  const sum = (of: (one: (typeof found)[number]) => number): number =>
    found.reduce((total, one) => total + of(one), 0);
  return {
    rate: sum(({ converted }) => converted) / sources,
    conversions: sum(({ conversions }) => conversions),
  };
}

/** `2–4, 7`: numbers in order, with ranges of three or more. */
export function rangesOf(numbers: readonly number[]): string {
  const ranges: [first: number, last: number][] = [];
  for (const number of numbers) {
    const range = ranges.at(-1);
    if (range !== undefined && range[1] === number - 1) range[1] = number;
    else ranges.push([number, number]);
  }
  return ranges
    .map(([first, last]) =>
      first === last ? String(first) : `${first}${last === first + 1 ? ', ' : '–'}${last}`,
    )
    .join(', ');
}
