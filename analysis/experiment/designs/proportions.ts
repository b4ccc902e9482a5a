import { described, integer } from '../../../formats/codec/codec';
import { constant, record, required } from '../../../formats/codec/record';
import { discreteLaplace } from '../../noise/discrete-laplace';
import { normalQuantile } from '../../estimate/intervals/normal';
import { factorise, productTriangle, solveFactored, zeros } from '../../../numeric/vectors';
import type { RandomSource } from '../../../src/privacy/random-source';
import { uniformBelow } from '../../../src/privacy/uniform';
import { quantityOf, type BucketNoise, type Levels } from '../group-sums';
import type { LoggedSource } from '../logged-sources';
import { finiteOrNull, type GroupResult } from '../result';
import { conversionsField, type SummaryContender, type SummaryDesign } from './design';
import { bucketOf } from './histogram';

interface ProportionsApi {
  readonly kind: 'proportions';
  readonly size: number;
  readonly conversions: number;
}

export const proportions: SummaryContender<ProportionsApi> = {
  codec: record<ProportionsApi>({
    kind: constant('kind', 'proportions'),
    size: required('size', described(integer(1, 1_000_000), 'How many sources a bag has in the mean')),
    conversions: conversionsField,
  }),
  // Only these people's sources are put into bags.
  designOf: ({ size }, levels, sources, share) => new Proportions(levels, sources, size / share),
};

interface Bag {
  /** Its sources, by group. */
  readonly members: Map<string, number>;
  sum: number;
}

/**
 * Label proportions: sources are put into bags at random, and the noisy number of conversions of each bag is known. Least squares give the
 * groups the rates that fit the bags best. Who is in a bag says nothing of who converted, so these are unbiased.
 */
export class Proportions implements SummaryDesign {
  readonly keys = 1;
  private readonly bags = new Map<string, Bag>();
  private readonly groups = new Map<string, readonly string[]>();
  /** How many bags each reporting origin has. */
  private readonly counts: ReadonlyMap<string, number>;

  /**
   * @param sources of the log.
   * @param size how many sources a bag has in the mean, if all of them are put into bags.
   */
  constructor(
    private readonly levels: Levels,
    sources: readonly LoggedSource[],
    size: number,
  ) {
    const sourcesOf = new Map<string, number>();
    for (const { reportingOrigin, group, count } of sources) {
      sourcesOf.set(reportingOrigin, (sourcesOf.get(reportingOrigin) ?? 0) + count);
      this.groups.set(JSON.stringify(group), group);
    }
    this.counts = new Map(
      [...sourcesOf].map(([origin, count]) => [origin, Math.max(1, Math.round(count / size))]),
    );
  }

  keysOf(reportingOrigin: string, group: readonly string[], random: RandomSource): readonly number[] {
    const key = Number(uniformBelow(random, BigInt(this.counts.get(reportingOrigin) ?? 1)));
    const { members } = this.bag(reportingOrigin, key);
    const name = JSON.stringify(group);
    members.set(name, (members.get(name) ?? 0) + 1);
    return [key];
  }

  private bag(reportingOrigin: string, key: number): Bag {
    const bucket = bucketOf(reportingOrigin, key);
    const bag = this.bags.get(bucket) ?? { members: new Map<string, number>(), sum: 0 };
    this.bags.set(bucket, bag);
    return bag;
  }

  add(reportingOrigin: string, key: number, value: number): void {
    this.bag(reportingOrigin, key).sum += value;
  }

  results(unit: number, noise: BucketNoise | null): readonly GroupResult[] {
    const drawn = noise === null ? null : discreteLaplace(noise.scale);
    const bags = [...this.bags.values()].map(({ members, sum }) => ({
      members,
      sum: (sum + (noise === null || drawn === null ? 0 : Number(drawn(noise.random)))) / unit,
    }));
    const deviations = normalQuantile((1 + this.levels.confidence) / 2);
    return this.levels.levels.flatMap((level, index) =>
      this.ofLevel(level, bags).map(({ group, estimate, deviation }) => {
        const half = deviations * deviation;
        const variance = finiteOrNull(deviation ** 2);
        const interval = { low: finiteOrNull(estimate - half), high: finiteOrNull(estimate + half) };
        return {
          ...{ level: index, group, quantity: quantityOf(this.levels) },
          ...{ observed: estimate, estimate, variance, ...interval },
        };
      }),
    );
  }

  private ofLevel(level: readonly string[], bags: readonly Bag[]): readonly Estimated[] {
    const places = level.map((column) => this.levels.columns.indexOf(column));
    const groups = new Map<string, { readonly group: readonly string[]; readonly counts: Float64Array }>();
    for (const [name, values] of this.groups) {
      const group = places.map((place) => values[place] ?? '');
      const key = JSON.stringify(group);
      const { counts } = groups.get(key) ?? { counts: zeros(bags.length) };
      bags.forEach(({ members }, bag) => {
        counts[bag] = (counts[bag] ?? 0) + (members.get(name) ?? 0);
      });
      groups.set(key, { group, counts });
    }
    const rows = [...groups.values()];
    const fit = leastSquares(
      rows.map(({ counts }) => counts),
      Float64Array.from(bags, ({ sum }) => sum),
    );
    return rows.map(({ group }, index) => ({
      group,
      ...(fit[index] ?? { estimate: 0, deviation: Infinity }),
    }));
  }
}

interface Fitted {
  /** The number of conversions. */
  readonly estimate: number;
  /** The standard deviation of its error. */
  readonly deviation: number;
}

interface Estimated extends Fitted {
  readonly group: readonly string[];
}

/**
 * The least part of a group's counts that those of the groups before must leave unexplained. Counts are whole numbers, so a smaller part is
 * rounding, or makes an error beyond use.
 */
const LEAST_OF_ITS_OWN = 2 ** -30;

/**
 * The conversions of each group, from the sums of bags. The variance of a bag's sum about the fit is estimated from all bags. Of groups without
 * sources in any bag nothing is known.
 * @param counts for each group, how many of its sources each bag has.
 */
export function leastSquares(counts: readonly Float64Array[], sums: Float64Array): readonly Fitted[] {
  const measured = counts.flatMap((ofGroup, group) => (ofGroup.some((count) => count > 0) ? [group] : []));
  const fit = fitOf(
    measured.map((group) => counts[group] ?? zeros(0)),
    sums,
  );
  return counts.map((_, group) => fit[measured.indexOf(group)] ?? { estimate: 0, deviation: Infinity });
}

function fitOf(counts: readonly Float64Array[], sums: Float64Array): readonly Fitted[] {
  const sizes = counts.map((ofGroup) => ofGroup.reduce((sum, count) => sum + count, 0));
  const free = sums.length - counts.length;
  if (free <= 0) return shared(sizes, sums);
  const factor = productTriangle(counts);
  const squaresOf = factor.map((line, group) => line[group] ?? 0);
  factorise(factor);
  // `factorise` puts a huge number where nothing is left.
  const isSingular = factor.some((line, group) => {
    const left = (line[group] ?? 0) ** 2;
    const whole = squaresOf[group] ?? 0;
    return left < whole * LEAST_OF_ITS_OWN || left > whole * 2;
  });
  if (isSingular) return shared(sizes, sums);
  const solved = (side: Float64Array): Float64Array => {
    solveFactored(factor, side);
    return side;
  };
  const rates = solved(
    Float64Array.from(counts, (ofGroup) =>
      ofGroup.reduce((sum, count, bag) => sum + count * (sums[bag] ?? 0), 0),
    ),
  );
  const squares = sums.reduce((total, sum, bag) => {
    const fitted = counts.reduce((all, ofGroup, group) => all + (ofGroup[bag] ?? 0) * (rates[group] ?? 0), 0);
    return total + (sum - fitted) ** 2;
  }, 0);
  return sizes.map((size, group) => {
    const unit = zeros(counts.length);
    unit[group] = 1;
    const variance = (solved(unit)[group] ?? 0) * (squares / free);
    return { estimate: size * (rates[group] ?? 0), deviation: size * Math.sqrt(Math.max(variance, 0)) };
  });
}

/** If bags do not tell groups apart, all groups get the same rate, and its error is unknown. */
function shared(sizes: readonly number[], sums: Float64Array): readonly Fitted[] {
  const whole = sizes.reduce((sum, size) => sum + size, 0);
  const rate = sums.reduce((sum, one) => sum + one, 0) / Math.max(whole, 1);
  return sizes.map((size) => ({ estimate: size * rate, deviation: Infinity }));
}
