import type { Interval } from './interval';
import { normalQuantile } from './normal';

/** A number with the interval that comparisons use: at `pairLevel`, and from noise and sampling. */
export interface Compared {
  /** Within the interval. */
  readonly estimate: number;
  readonly interval: Interval;
}

/** The places that a number can have among the others, from 1 for the highest. */
export interface Rank {
  readonly best: number;
  readonly worst: number;
  /** How many of the others cannot be told apart from it. */
  readonly tied: number;
}

/** How many pairs these are. */
export const pairsOf = (compared: number): number => (compared * (compared - 1)) / 2;

/**
 * The level of each comparison, so that all pairs together hold with the probability `level` (Bonferroni).
 * @param compared how many numbers are compared
 */
export const pairLevel = (level: number, compared: number): number =>
  1 - (1 - level) / Math.max(1, pairsOf(compared));

/**
 * The ranks that the differences of all pairs allow: a number is above as many others as it is surely greater than, and below as many as are
 * surely greater (Mogstad, Romano, Shaikh & Wilhelm 2024).
 */
export const ranksOf = (numbers: readonly Compared[]): readonly Rank[] =>
  numbers.map((own, index) => {
    let above = 0;
    let below = 0;
    numbers.forEach((other, position) => {
      if (position === index) return;
      if (isGreater(own, other)) below += 1;
      else if (isGreater(other, own)) above += 1;
    });
    return { best: 1 + above, worst: numbers.length - below, tied: numbers.length - 1 - above - below };
  });

export const areTied = (a: Compared, b: Compared): boolean => !isGreater(a, b) && !isGreater(b, a);

/** Whether the interval of the difference is above 0: the reaches of both intervals add up as standard errors do (Zou & Donner 2008). */
function isGreater(a: Compared, b: Compared): boolean {
  const difference = a.estimate - b.estimate;
  if (!(difference > 0)) return false;
  const [below, above] = [a.estimate - a.interval[0], b.interval[1] - b.estimate];
  return difference ** 2 > below ** 2 + above ** 2;
}

/** A count with noise, as a share of the sources that it is of. */
export interface CountedRate extends Compared {
  /** The part of the variance that is due to noise. */
  readonly noiseShare: number;
}

/**
 * The rate of a count that a summary report gives. Its noise is known. Who was there is taken as chance, too: as if each conversion came independently
 * of the others (Poisson), because a sum does not say how many a source had.
 * @param error the standard error of the noise
 */
export function countedRate(count: number, error: number, sources: number, level: number): CountedRate {
  const possible = Math.max(0, count);
  const chance = Math.max(1, possible);
  const reach = normalQuantile((1 + level) / 2) * Math.sqrt(error ** 2 + chance);
  return {
    estimate: possible / sources,
    interval: [Math.max(0, possible - reach) / sources, (possible + reach) / sources],
    noiseShare: error ** 2 / (error ** 2 + chance),
  };
}
