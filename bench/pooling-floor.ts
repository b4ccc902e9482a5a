const STEP = 0.1;
/** Reports farther from their mean, in standard errors, have no part in a risk. */
const FARTHEST = 14;

/** The squared RMSE of the estimates shrunk towards each other, over that of the unbiased ones, where groups are alike. */
const SHARES = [0.05, 0.1, 0.2];
/** How far groups that differ are from those that are alike, in standard errors of their unbiased estimates. */
const RANGES = [
  [1, 4],
  [2, 3],
  [4, 6.5],
] as const;

/** By how much the RMSE may exceed the best one. */
const MORE = 1.05;

/**
 * The least RMSE of groups that differ, over that of the unbiased estimates, for any estimate whose RMSE is within 5 % of the best one where groups are
 * alike. Even if it knows where the others are, and how far a group that differs can be. The table in docs/trial-settings.md: `npm run bench -- pooling-floor`.
 */
export function benchPoolingFloor(): void {
  for (const share of SHARES)
    for (const [from, to] of RANGES) {
      const floor = leastError(from, to, MORE ** 2 * share);
      console.log(`${share} | ${from} to ${to} | ${floor.toFixed(2)}`);
    }
}

/**
 * A Bayes rule has the least sum of the mean risk over the range and `weight` times the risk at 0. So no estimate whose risk at 0 is at most `allowed` has a
 * smaller mean risk than that sum less `weight` times `allowed` (as in Bickel 1983).
 */
export function leastError(from: number, to: number, allowed: number): number {
  const steps = Math.round((to - from) / STEP);
  const truths = Array.from({ length: steps + 1 }, (_, step) => from + step * STEP).flatMap((truth) => [
    truth,
    -truth,
  ]);
  let most = 0;
  for (let power = -3; power <= 5; power += 0.1) {
    const weight = Math.exp(power);
    most = Math.max(most, leastSum(truths, weight) - weight * allowed);
  }
  return Math.sqrt(most);
}

function leastSum(truths: readonly number[], weight: number): number {
  let risk = 0;
  for (let seen = -FARTHEST; seen <= FARTHEST; seen += STEP) {
    let [all, first, second] = [weight * density(seen), 0, 0];
    for (const truth of truths) {
      const own = density(seen - truth) / truths.length;
      all += own;
      first += own * truth;
      second += own * truth ** 2;
    }
    // What is left of the squares around the mean of the truths, given what is seen.
    risk += (second - first ** 2 / all) * STEP;
  }
  return risk;
}

const density = (deviations: number): number => Math.exp(deviations ** 2 / -2) / Math.sqrt(2 * Math.PI);
