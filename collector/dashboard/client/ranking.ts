import type { EstimateResultJson } from '../../../analysis/estimate/estimate-result';
import type { EstimateJson, GroupJson } from '../../../analysis/estimate/group-result';
import type { TruthAnswer } from '../../http/answers';
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
  /** The standard error of the conversions. */
  readonly error: number;
  /** What happened; null if nobody knows. */
  readonly truth: { readonly rate: number; readonly conversions: number } | null;
  /** The ranks, from 1, of the groups whose rate cannot be distinguished from this one. */
  readonly alike: readonly number[];
}

/** 95 % of a normal distribution. */
const Z = 1.959964;

/** The groups over all configurations that count conversions, by estimated rate, the highest first. */
export function ranked(
  { configurations, totals }: EstimateResultJson,
  truth: TruthAnswer | null,
): readonly Ranked[] {
  const counting = configurations.filter(({ groups }) => groups.some((group) => ratesOf(group).length > 0));
  const counted = new Set(counting.map(({ configuration }) => configuration));
  const rows = totals
    .filter(({ sources }) => sources > 0)
    .flatMap(ratesOf)
    .sort((a, b) => (b.rate.estimate ?? 0) - (a.rate.estimate ?? 0));
  return rows.map((row) => ({
    group: row.group,
    sources: row.sources,
    rate: estimated(row.rate),
    conversions: estimated(row.conversions),
    error: Math.sqrt(row.conversions.variance ?? Infinity),
    truth: truth === null ? null : truthOf(truth, row.group, counted, row.sources),
    alike: rows.flatMap((other, index) => (other !== row && areAlike(row, other) ? [index + 1] : [])),
  }));
}

interface Rates {
  readonly group: string;
  readonly sources: number;
  readonly rate: EstimateJson;
  readonly conversions: EstimateJson;
}

/** Null for a group without an estimate of conversions, and for all sources together. */
function ratesOf(found: GroupJson): readonly Rates[] {
  const [group] = Object.values(found.group);
  const [rate, conversions] = [estimateOf(found, 'conversion-rate'), estimateOf(found, 'conversions')];
  if (group === undefined || rate === null || conversions === null) return [];
  return [{ group, sources: found.sources, rate, conversions }];
}

const estimated = ({ estimate, interval: [low, high] }: EstimateJson): Estimated => ({
  value: estimate ?? NaN,
  low: low ?? -Infinity,
  high: high ?? Infinity,
});

/** Whether the interval of the rates' difference includes 0. */
const areAlike = ({ rate: a }: Rates, { rate: b }: Rates): boolean =>
  Math.abs((a.estimate ?? 0) - (b.estimate ?? 0)) <=
  Z * Math.sqrt((a.variance ?? Infinity) + (b.variance ?? Infinity));

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
