import { rateOf, type Task, type TaskGroup, type TaskInput } from './task';

/** For each group, whether its rate is above that of all sources together: then more is spent on it, otherwise less. */
function decisions(
  groups: readonly TaskGroup[],
  conversionsOf: (group: TaskGroup) => number,
): readonly boolean[] {
  const rates = groups.map((group) => rateOf(conversionsOf(group), group));
  const sources = groups.reduce((sum, group) => sum + group.sources, 0);
  const overall =
    groups.reduce((sum, group, index) => sum + (rates[index] ?? 0) * group.sources, 0) / sources;
  return rates.map((rate) => rate > overall);
}

/** Among the groups with one right decision, how many get the other, in percent; NaN if there are none. */
const flipped =
  (right: boolean) =>
  ({ groups }: TaskInput): number => {
    const truths = decisions(groups, ({ truth }) => truth);
    const taken = decisions(groups, ({ estimate }) => estimate);
    const such = taken.filter((_, index) => truths[index] === right);
    return (100 * such.filter((more) => more !== right).length) / such.length;
  };

function wrong({ groups }: TaskInput): number {
  const truths = decisions(groups, ({ truth }) => truth);
  const taken = decisions(groups, ({ estimate }) => estimate);
  return (100 * truths.filter((more, index) => more !== taken[index]).length) / Math.max(groups.length, 1);
}

export const budget: Task = {
  title: 'Spend more, or spend less',
  what: 'More is spent on a campaign if its estimated conversion rate is above that of all campaigns together, otherwise less.',
  needsFeatures: false,
  numbers: {
    'campaigns with the wrong decision, %': wrong,
    'cut although more is right, %': flipped(true),
    'raised although less is right, %': flipped(false),
  },
};
