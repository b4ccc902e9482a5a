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
export function ranksOf(numbers: readonly Compared[]): readonly Rank[] {
  const ranks = greaterAndSmaller(numbers).map(([greater, smaller]) => ({
    best: 1 + greater,
    worst: numbers.length - smaller,
    tied: 0,
  }));
  const tie = (own: number, other: number): void => {
    const rank = ranks[own];
    const difference = (numbers[own]?.estimate ?? NaN) - (numbers[other]?.estimate ?? NaN);
    if (rank === undefined) return;
    rank.tied += 1;
    if (difference < 0) rank.best -= 1;
    else if (difference > 0) rank.worst += 1;
  };
  forEachTie(numbers, (one, other) => {
    tie(one, other);
    tie(other, one);
  });
  return ranks;
}

/** For each number, how many estimates are greater, and how many are smaller. */
function greaterAndSmaller(numbers: readonly Compared[]): readonly (readonly [number, number])[] {
  const sorted = Float64Array.from(numbers, ({ estimate }) => estimate).sort();
  const smaller = new Map<number, number>();
  const upTo = new Map<number, number>();
  sorted.forEach((estimate, place) => {
    if (!smaller.has(estimate)) smaller.set(estimate, place);
    upTo.set(estimate, place + 1);
  });
  return numbers.map(({ estimate }) => [
    numbers.length - (upTo.get(estimate) ?? 0),
    smaller.get(estimate) ?? 0,
  ]);
}

/** How many tied groups a table names. */
export const NAMED_TIES = 5;

/** For each group, the names of the first others that cannot be told apart from it, in the order of the list. `Rank` has their number. */
export function tiedNames(
  groups: readonly { readonly name: string; readonly compared: Compared | null }[],
): readonly (readonly string[])[] {
  const places = groups.flatMap(({ compared }, place) => (compared === null ? [] : [place]));
  const ties = groups.map((): number[] => []);
  const add = (own: number, other: number): void => {
    const first = ties[own];
    if (first === undefined || (first.length === NAMED_TIES && other > (first.at(-1) ?? -1))) return;
    const later = first.findIndex((known) => known > other);
    first.splice(later === -1 ? first.length : later, 0, other);
    first.length = Math.min(first.length, NAMED_TIES);
  };
  forEachTie(
    groups.flatMap(({ compared }) => (compared === null ? [] : [compared])),
    (one, other) => {
      const [own, rival] = [places[one] ?? -1, places[other] ?? -1];
      add(own, rival);
      add(rival, own);
    },
  );
  return ties.map((first) => first.map((place) => groups[place]?.name ?? ''));
}

/** Sums of squares that differ by less are equal in floating point. Relative to the estimates. */
const ROUNDING = 1e-12;

/**
 * Finds each pair that cannot be told apart once, by the places of its numbers. Their intervals overlap, so it compares only such pairs, in the order of
 * the lower ends.
 */
function forEachTie(numbers: readonly Compared[], tie: (one: number, other: number) => void): void {
  const slack = ROUNDING * numbers.reduce((most, { estimate }) => Math.max(most, Math.abs(estimate)), 1);
  const sorted = numbers
    .map((number, place) => ({ number, place }))
    .sort((a, b) => a.number.interval[0] - b.number.interval[0]);
  sorted.forEach(({ number: own, place }, index) => {
    const end = own.interval[1] + slack;
    for (let next = index + 1; next < sorted.length; next++) {
      const other = sorted[next];
      if (other === undefined || other.number.interval[0] > end) break;
      if (areTied(own, other.number)) tie(place, other.place);
    }
  });
}

export const areTied = (a: Compared, b: Compared): boolean => !isGreater(a, b) && !isGreater(b, a);

/** Whether the interval of the difference is above 0: the reaches of both intervals add up as standard errors do (Zou & Donner 2008). */
function isGreater(a: Compared, b: Compared): boolean {
  const difference = a.estimate - b.estimate;
  if (!(difference > 0)) return false;
  const below = a.estimate - a.interval[0];
  const above = b.interval[1] - b.estimate;
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
