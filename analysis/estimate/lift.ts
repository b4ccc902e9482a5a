import type { Interval } from './interval';
import { normalQuantile } from './normal';

/** The conversions of one arm, as an API lets them be estimated. */
export interface ArmEstimate {
  readonly estimate: number;
  /** Of the noise alone. */
  readonly variance: number;
}

/** A lift test: chance held some people out of a campaign, whose ads the others saw. */
export interface LiftTest {
  readonly exposed: ArmEstimate;
  readonly holdout: ArmEstimate;
  /** The share of the people who were held out, between 0 and 1. */
  readonly held: number;
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
export function liftOf({ exposed, holdout, held }: LiftTest, level: number): Lift {
  const z = normalQuantile((1 + level) / 2);
  // The holdout arm as if it were as large as the exposed one.
  const scaled = (1 - held) / held;
  const one = { estimate: exposed.estimate, variance: exposed.variance + sampling(exposed) };
  const other = {
    estimate: scaled * holdout.estimate,
    variance: scaled ** 2 * (holdout.variance + sampling(holdout)),
  };
  const caused = one.estimate - other.estimate;
  const reach = z * Math.sqrt(one.variance + other.variance);
  const [low, high] = ratioInterval(one, other, z);
  return {
    caused: { estimate: caused, interval: [caused - reach, caused + reach] },
    lift: other.estimate > 0 ? Math.max(one.estimate, 0) / other.estimate - 1 : null,
    interval: [low - 1, high - 1],
  };
}

/** The variance that the choice of people gives to a number of them. */
const sampling = ({ estimate }: ArmEstimate): number => Math.max(estimate, 0);

/** The ratios that the two numbers do not exclude (Fieller 1954), from 0. */
function ratioInterval(one: ArmEstimate, other: ArmEstimate, z: number): Interval {
  // Solves (one − R·other)² = z²·(variance of one + R²·variance of the other) for R.
  const a = other.estimate ** 2 - z ** 2 * other.variance;
  const b = one.estimate * other.estimate;
  const c = one.estimate ** 2 - z ** 2 * one.variance;
  const root = Math.sqrt(Math.max(b ** 2 - a * c, 0));
  if (a > 0 && other.estimate > 0) return [Math.max((b - root) / a, 0), Math.max((b + root) / a, 0)];
  // The other number may be 0. Only if the first cannot be, ratios near 0 are excluded.
  return [c > 0 && one.estimate > 0 && a < 0 ? Math.max((b - root) / a, 0) : 0, Infinity];
}
