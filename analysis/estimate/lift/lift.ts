import type { Interval } from '../intervals/interval';
import { normalQuantile } from '../intervals/normal';

/** The conversions of one arm, as an API lets them be estimated. */
export interface ArmEstimate {
  readonly estimate: number;
  /** The variance of the noise alone. */
  readonly variance: number;
}

/** A lift test: chance held some people out of a campaign, whose ads the others saw. */
export interface LiftTest {
  readonly exposed: ArmEstimate;
  readonly holdout: ArmEstimate;
  /** The share of the people who were held out, between 0 and 1. */
  readonly held: number;
  /** Of the noise of both arms, if the same reports tell of them; 0 unless given. */
  readonly covariance?: number;
}

/** What a campaign added. The intervals are for the noise and for the choice of people, each of whom converts at most once. */
export interface Lift {
  /** The conversions of the exposed arm that would not have happened without the ads. */
  readonly caused: { readonly estimate: number; readonly interval: Interval };
  /** The same as a share of those that would have happened anyway; null if the estimate has none of these. */
  readonly lift: number | null;
  /** From −1. Its upper end is infinite if the holdout arm may have had no conversions. */
  readonly interval: Interval;
}

/** Compares the arms. Who is in which arm need not be known, only the share. @param level of the intervals */
export function liftOf(test: LiftTest, level: number): Lift {
  const { exposed, holdout, held } = test;
  const scaled = (1 - held) / held;
  const caused = exposed.estimate - scaled * holdout.estimate;
  return {
    caused: { estimate: caused, interval: causedInterval(test, caused, level) },
    lift: holdout.estimate > 0 ? Math.max(exposed.estimate, 0) / (scaled * holdout.estimate) - 1 : null,
    interval: liftInterval(test, level),
  };
}

/** 1 if the interval of what the ads caused is above 0, −1 if it is below, 0 if it contains 0. Much faster than the interval. */
export const signOfLift = (test: LiftTest, level: number): Contradiction =>
  contradiction(test, { factor: (1 - test.held) / test.held, added: 0 }, level);

/** What may hold of the expected conversions: exposed = factor · holdout + added. */
interface Hypothesis {
  readonly factor: number;
  readonly added: number;
}

/** 1: the exposed arm has too many conversions for the hypothesis. −1: it has too few. 0: the arms fit the hypothesis. */
type Contradiction = -1 | 0 | 1;

/** Against rounding, as a share of the numbers compared. */
const ROUNDING = 1e-12;

/**
 * A score test: the variance is the one under the hypothesis, because that of the counts themselves is 0 for a count of 0. The tail on the skewed side
 * is longer than that of a normal distribution. The first term of Cornish & Fisher (1938) corrects this. At least half a step of the count keeps the
 * error small if less than one conversion of the holdout arm is expected; the tests enumerate these counts.
 */
function contradiction(
  { exposed, holdout, covariance = 0 }: LiftTest,
  { factor, added }: Hypothesis,
  level: number,
): Contradiction {
  const z = normalQuantile((1 + level) / 2);
  const expectedHoldout = likeliestHoldout(exposed.estimate, holdout.estimate, { factor, added });
  const expectedExposed = Math.max(factor * expectedHoldout + added, 0);
  const difference = exposed.estimate - factor * holdout.estimate - added;
  const noise = exposed.variance + factor ** 2 * holdout.variance - 2 * factor * covariance;
  const variance = expectedExposed + factor ** 2 * expectedHoldout + noise;
  const third = expectedExposed - factor ** 3 * expectedHoldout;
  const reach = z * Math.sqrt(variance);
  const further = variance > 0 ? (Math.max((z ** 2 - 1) / 6, 1 / 2) * third) / variance : 0;
  const rounding =
    ROUNDING * (Math.abs(exposed.estimate) + factor * Math.abs(holdout.estimate) + Math.abs(added));
  if (difference > reach + Math.max(further, 0) + rounding) return 1;
  return difference < -reach + Math.min(further, 0) - rounding ? -1 : 0;
}

/** The expected conversions of the holdout arm that make Poisson counts of both arms likeliest. Noise can make the counts negative. */
function likeliestHoldout(exposed: number, holdout: number, { factor, added }: Hypothesis): number {
  if (factor === 0) return Math.max(holdout, 0);
  // Solves factor·exposed/(factor·x + added) + holdout/x = factor + 1.
  const a = factor * (factor + 1);
  const b = (factor + 1) * added - factor * (exposed + holdout);
  const root = Math.sqrt(Math.max(b ** 2 + 4 * a * holdout * added, 0));
  return Math.max((root - b) / (2 * a), 0, -added / factor);
}

/** Numbers of conversions beyond this are infinite, so that their squares do not become it. */
const GREATEST_NUMBER = 2 ** 200;

/** All numbers of caused conversions that the test does not contradict. */
function causedInterval(test: LiftTest, estimate: number, level: number): Interval {
  const factor = (1 - test.held) / test.held;
  const at = (added: number): Contradiction => contradiction(test, { factor, added }, level);
  const end = (side: -1 | 1): number => {
    const fits = (added: number): boolean => at(added) !== -side;
    let [inside, outside] = [estimate, 0];
    // Zero first: the end is on the same side of it as `signOfLift` has it.
    if (fits(0) || side * estimate > 0) {
      if (side * estimate < 0) inside = 0;
      if (fits(side * GREATEST_NUMBER)) return side * Infinity;
      let stride = 1;
      while (fits(inside + side * stride)) stride *= 2;
      outside = inside + side * stride;
    }
    return boundary(fits, inside, outside);
  };
  return [end(-1), end(1)];
}

/** Ratios beyond this are infinite. */
const GREATEST_RATIO = 2 ** 50;

/** All lifts that the test does not contradict, from −1. For no lift, it is the same test as that of the caused conversions. */
function liftInterval(test: LiftTest, level: number): Interval {
  const scaled = (1 - test.held) / test.held;
  const at = (ratio: number): Contradiction =>
    contradiction(test, { factor: ratio * scaled, added: 0 }, level);
  return [lowestRatio((ratio) => at(ratio) !== 1) - 1, greatestRatio((ratio) => at(ratio) !== -1) - 1];
}

/** If noise made the holdout arm so negative that no ratio fits, it is known only that there are more conversions with the ads. */
function lowestRatio(fits: (ratio: number) => boolean): number {
  if (fits(1)) return fits(0) ? 0 : boundary(fits, 1, 0);
  for (let ratio = 2; ratio <= GREATEST_RATIO; ratio *= 2)
    if (fits(ratio)) return boundary(fits, ratio, ratio / 2);
  return 1;
}

/** If noise made the exposed arm so negative that no ratio fits, it is known only that there are fewer conversions with the ads. */
function greatestRatio(fits: (ratio: number) => boolean): number {
  if (!fits(1)) return fits(0) ? boundary(fits, 0, 1) : 1;
  if (fits(GREATEST_RATIO)) return Infinity;
  let ratio = 1;
  while (fits(2 * ratio)) ratio *= 2;
  return boundary(fits, ratio, 2 * ratio);
}

/** Halves the distance to the last number that fits. */
function boundary(fits: (value: number) => boolean, inside: number, outside: number): number {
  for (let step = 0; step < 60; step++) {
    const middle = (inside + outside) / 2;
    if (fits(middle)) inside = middle;
    else outside = middle;
  }
  return inside;
}
