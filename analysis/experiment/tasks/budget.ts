import { estimatedRate, rateOf, type Task, type TaskGroup, type TaskInput } from './task';

const MORE = 1;
const LESS = 0;
/** The API says nothing of a group. */
const BY_CHANCE = 1 / 2;

/** For each group, whether its rate is above that of all sources together: then more is spent on it, otherwise less. */
function decisions(
  groups: readonly TaskGroup[],
  decidingRate: (group: TaskGroup) => number | null,
): readonly number[] {
  const rates = groups.map(decidingRate);
  const known = groups.filter((_, index) => rates[index] !== null);
  const sources = known.reduce((sum, group) => sum + group.sources, 0);
  const overall =
    groups.reduce((sum, group, index) => sum + (rates[index] ?? 0) * group.sources, 0) / sources;
  return rates.map((rate) => (rate === null ? BY_CHANCE : rate > overall ? MORE : LESS));
}

/** How often the groups with one of the right decisions get another, in percent; NaN if there are none. */
const wrongAmong =
  (...right: readonly number[]) =>
  ({ groups }: TaskInput): number => {
    const truths = decisions(groups, (group) => rateOf(group.truth, group));
    const taken = decisions(groups, estimatedRate);
    const errors = truths.flatMap((truth, index) =>
      right.includes(truth) ? [Math.abs(truth - (taken[index] ?? truth))] : [],
    );
    return (100 * errors.reduce((sum, error) => sum + error, 0)) / errors.length;
  };

export const budget: Task = {
  title: 'Spend more, or spend less',
  what: 'More is spent on a campaign if its estimated conversion rate is above that of all campaigns together, otherwise less.',
  needsFeatures: false,
  measures: 'conversions',
  numbers: {
    'campaigns with the wrong decision, %': wrongAmong(MORE, LESS),
    'cut although more is right, %': wrongAmong(MORE),
    'raised although less is right, %': wrongAmong(LESS),
  },
};
