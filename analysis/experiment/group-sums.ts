import { discreteLaplace } from '../noise/discrete-laplace';
import { laplaceDeviation } from '../w3c/aggregate';
import type { RandomSource } from '../../src/privacy/random-source';
import type { Rational } from '../../src/privacy/rational';
import { remembered } from '../../src/model/remembered';
import { halfWidth } from '../estimate/intervals/half-width';
import type { GroupResult } from './result';

/** The groups that are measured. */
export interface Levels {
  /** All columns of all levels. */
  readonly columns: readonly string[];
  readonly levels: readonly (readonly string[])[];
  /** The level of the intervals. */
  readonly confidence: number;
  /** The most that a conversion counts, if values are measured; otherwise each counts 1. */
  readonly mostValue?: number;
}

/** What the groups' sums are of. */
export const quantityOf = ({ mostValue }: Pick<Levels, 'mostValue'>): 'conversions' | 'value' =>
  mostValue === undefined ? 'conversions' : 'value';

/** Discrete Laplace noise, drawn for each bucket. */
export interface BucketNoise {
  readonly scale: Rational;
  readonly random: RandomSource;
}

/** From this many Laplace numbers on, their sum counts as normal. */
const MANY = 30;

/** Sums by bucket, as an aggregation service publishes them. Each bucket is about one group of sources; a group can have several. */
export class GroupSums {
  private readonly sums = new Map<string, number>();

  /** @param groups of the expected buckets, by bucket. */
  constructor(private readonly groups: ReadonlyMap<string, readonly string[]>) {}

  /** Unexpected buckets are left out. */
  add(bucket: string, value: number): void {
    if (this.groups.has(bucket)) this.sums.set(bucket, (this.sums.get(bucket) ?? 0) + value);
  }

  /**
   * @param unit what one conversion, or a value of 1, adds to a sum.
   * @param noise null for none.
   */
  results(
    { columns, levels, confidence, ...values }: Levels,
    unit: number,
    noise: BucketNoise | null,
  ): readonly GroupResult[] {
    const drawn = noise === null ? null : discreteLaplace(noise.scale);
    const buckets = [...this.groups].map(([bucket, group]) => {
      const error = noise === null || drawn === null ? 0 : Number(drawn(noise.random));
      return { group, value: (this.sums.get(bucket) ?? 0) + error };
    });
    const scale = noise === null ? 0 : noise.scale.toNumber();
    const deviation = scale === 0 ? 0 : laplaceDeviation(scale);
    const widthOf = (count: number): number => widthOfSum(confidence, scale, count) / unit;
    return levels.flatMap((level, index) => {
      const places = level.map((column) => columns.indexOf(column));
      return added(buckets, places).map(({ group, sum, count }) => {
        const [estimate, half] = [sum / unit, widthOf(count)];
        const variance = count * (deviation / unit) ** 2;
        const numbers = {
          observed: estimate,
          estimate,
          low: estimate - half,
          high: estimate + half,
          variance,
        };
        return { level: index, group, quantity: quantityOf(values), ...numbers };
      });
    });
  }
}

interface GroupSum {
  readonly group: readonly string[];
  readonly sum: number;
  /** The number of buckets. */
  readonly count: number;
}

/** @param places of the columns of a level. */
function added(
  buckets: readonly { readonly group: readonly string[]; readonly value: number }[],
  places: readonly number[],
): readonly GroupSum[] {
  const found = new Map<string, GroupSum>();
  for (const { group, value } of buckets) {
    const values = places.map((place) => group[place] ?? '');
    const key = JSON.stringify(values);
    const { sum, count } = found.get(key) ?? { sum: 0, count: 0 };
    found.set(key, { group: values, sum: sum + value, count: count + 1 });
  }
  return [...found.values()];
}

/** All runs of an experiment ask for the same few. */
const widthOfSum = remembered(
  (confidence: number, scale: number, count: number): number => {
    if (scale === 0) return 0;
    return halfWidth(
      confidence,
      count < MANY
        ? { variance: 0, scale, terms: count }
        : { variance: 2 * count * scale ** 2, scale, terms: 0 },
    );
  },
  (...given) => given.join(' '),
);
