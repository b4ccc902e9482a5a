import { greatest } from '../../../numeric/extremes';
import { estimatedRate, rateOf, type Task, type TaskGroup, type TaskInput } from './task';

/** Which of two groups is ranked higher; 0 if both have the same estimated rate, or the API says nothing of one. */
function orderOf(one: TaskGroup, other: TaskGroup): number {
  const [rate, otherRate] = [estimatedRate(one), estimatedRate(other)];
  return rate === null || otherRate === null ? 0 : Math.sign(rate - otherRate);
}

/** In percent of the pairs with different true rates; those without an order are wrong half of the time. */
function wrongPairs({ groups }: TaskInput): number {
  let [pairs, wrong] = [0, 0];
  groups.forEach((one, index) => {
    for (const other of groups.slice(index + 1)) {
      const truth = Math.sign(rateOf(one.truth, one) - rateOf(other.truth, other));
      if (truth === 0) continue;
      pairs += 1;
      wrong += (1 - truth * orderOf(one, other)) / 2;
    }
  });
  return (100 * wrong) / Math.max(pairs, 1);
}

/** How far below the best rate the group is that looks best, in percent of the best. If the API says nothing of any, chance chooses. */
function regret({ groups }: TaskInput): number {
  const truths = groups.map((group) => rateOf(group.truth, group));
  const estimates = groups.map((group) => estimatedRate(group) ?? 0);
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
  measures: 'conversions',
  numbers: { 'pairs in the wrong order, %': wrongPairs, 'lost by choosing the first, %': regret },
};
