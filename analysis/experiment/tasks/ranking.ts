import { greatest } from '../../../numeric/extremes';
import { rateOf, type Task, type TaskInput } from './task';

/** In percent of the pairs with different true rates; equal estimates are wrong half of the time. */
function wrongPairs({ groups }: TaskInput): number {
  let [pairs, wrong] = [0, 0];
  groups.forEach((one, index) => {
    for (const other of groups.slice(index + 1)) {
      const truth = Math.sign(rateOf(one.truth, one) - rateOf(other.truth, other));
      if (truth === 0) continue;
      pairs += 1;
      wrong += (1 - truth * Math.sign(rateOf(one.estimate, one) - rateOf(other.estimate, other))) / 2;
    }
  });
  return (100 * wrong) / Math.max(pairs, 1);
}

/** How far below the best rate the group is that looks best, in percent of the best. */
function regret({ groups }: TaskInput): number {
  const truths = groups.map((group) => rateOf(group.truth, group));
  const estimates = groups.map((group) => rateOf(group.estimate, group));
  const best = greatest(truths);
  const bestEstimate = greatest(estimates);
  const looksBest = truths.filter((_, index) => estimates[index] === bestEstimate);
  const chosen = looksBest.reduce((sum, rate) => sum + rate, 0) / looksBest.length;
  return (100 * (best - chosen)) / best;
}

export const ranking: Task = {
  title: 'Rank the campaigns',
  what: 'Campaigns are ranked by their estimated conversion rate.',
  needsFeatures: false,
  numbers: { 'pairs in the wrong order, %': wrongPairs, 'lost by choosing the first, %': regret },
};
