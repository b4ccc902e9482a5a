import { siteOf } from '../../../src/model/site';
import { first, withBoth, type Neighbours, type Relation, type Setup } from '../relation';
import { bought, originOf, shown, type Change, type Happening } from '../world';

/** The budget of a unit is as it was after this. @param before what happens before the unit has spent anything */
const fullAgain =
  (between: readonly Happening[], before: (setup: Setup) => readonly Happening[] = () => [], start = 1) =>
  (setup: Setup): Neighbours | null => {
    const { settings, later, label, joint } = setup;
    const { budget } = settings;
    const { epsilon, attributionEpsilon, cap } = budget;
    if (later === null || epsilon === null || cap === null) return null;
    // As many as use up a budget, before and after.
    const seen = Array.from({ length: cap }, (_, index) => ({
      ...first,
      at: start + index / 10,
      id: 10 + index,
    }));
    const again = seen.map(({ id }, index) => ({ ...later(31 + index / 10), id: 10 + id }));
    const whole = Math.min(epsilon - attributionEpsilon, cap * label);
    return {
      worlds: [
        [...before(setup), ...seen, ...between, ...again],
        [
          ...before(setup),
          ...seen.flatMap((one) => [one, bought(one.at + 0.01, 'shop')]),
          ...between,
          ...again.flatMap((one) => [one, bought(one.at + 0.01, 'mall')]),
        ],
      ],
      promise: Math.min(whole, joint),
    };
  };

const changed = (at: number, budget: Change['budget']): Change => ({
  kind: 'change',
  at,
  ...(budget === undefined ? {} : { budget }),
});

/** An impression while the clock is ahead deletes what has expired. */
export const monthsAhead = shown(1500, 1, 'elsewhere', 'unrelated', { adTech: 'other' });

const newOwners = changed(30, { owners: [['elsewhere', 'adtech'].map((name) => siteOf(originOf(name)))] });

export const budgetsFullAgain: readonly Relation[] = [
  {
    id: 'labels-after-new-owners',
    differs: 'the conversions of a unit before and after its ad tech was given another owner',
    onRequest: true,
    neighbours: fullAgain([newOwners]),
  },
  {
    id: 'labels-after-new-period',
    differs: 'the conversions of a unit before and after the period was changed',
    onRequest: true,
    // On the second day, which begins a period of a day.
    neighbours: fullAgain([changed(30, { period: 1 })]),
  },
  {
    id: 'labels-after-clock-ahead',
    differs: 'the conversions of a unit before and after the clock was ahead by two months',
    onRequest: true,
    neighbours: fullAgain([monthsAhead]),
  },
  {
    id: 'labels-after-new-period-with-clock-ahead',
    differs: 'the conversions of a unit before and after the period was changed while the clock was ahead',
    onRequest: true,
    neighbours: fullAgain([monthsAhead, changed(1501, { period: 1 })]),
  },
  {
    id: 'labels-after-new-period-with-clock-behind',
    differs: 'the conversions of a unit before and after the period was changed while the clock was behind',
    onRequest: true,
    neighbours: fullAgain([changed(2, { period: 1 })], () => [], 30),
  },
  {
    id: 'labels-after-erasing-with-clock-behind',
    differs:
      'the conversions of a unit before and after everything was erased and the period changed while the clock was behind',
    onRequest: true,
    neighbours: fullAgain([{ kind: 'erase', at: 60 }, changed(2, { period: 1 })], () => [], 30),
  },
  {
    id: 'labels-after-new-unit',
    differs: 'the conversions of a unit before and after the budget was one of other units',
    onRequest: true,
    neighbours: (setup) => {
      const { unit } = setup.settings.budget;
      const other = unit === 'user' ? 'impression' : 'user';
      return fullAgain([changed(30, { unit })], () => [changed(0.5, { unit: other })])(setup);
    },
  },
  {
    id: 'labels-after-new-quotas',
    differs: 'the conversions of two impressions before and after there was a joint budget',
    onRequest: true,
    neighbours: ({ settings: { budget }, labelsOfAny }) => {
      if (budget.joint === null) return null;
      const [without, again] = [changed(0.5, { joint: null }), changed(30, { joint: budget.joint })];
      return {
        worlds: withBoth(shown(31, 2, 'blog', 'mall'), [again], [without]),
        promise: labelsOfAny(2),
      };
    },
  },
  {
    id: 'labels-after-new-owners-of-quotas',
    differs: 'the conversions of two impressions before and after their ad tech was given another owner',
    onRequest: true,
    neighbours: ({ settings: { budget }, labelsOfAny }) =>
      budget.joint === null
        ? null
        : { worlds: withBoth(shown(31, 2, 'blog', 'mall'), [newOwners]), promise: labelsOfAny(2) },
  },
];
