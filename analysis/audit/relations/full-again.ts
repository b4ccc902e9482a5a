import { siteOf } from '../../../src/model/site';
import { first, type Relation, type Setup } from '../relation';
import { bought, originOf, shown, type Happening } from '../world';

/** The budget of a unit is as it was after this. */
const fullAgain =
  (between: Happening) =>
  ({ settings: { budget }, later, label, joint }: Setup) => {
    const { epsilon, attributionEpsilon, cap } = budget;
    if (later === null || epsilon === null || cap === null) return null;
    // As many as use up a budget, before and after.
    const seen = Array.from({ length: cap }, (_, index) => ({
      ...first,
      at: 1 + index / 10,
      id: 10 + index,
    }));
    const again = seen.map(({ id }, index) => ({ ...later(31 + index / 10), id: 10 + id }));
    const whole = Math.min(epsilon - attributionEpsilon, cap * label);
    return {
      worlds: [
        [...seen, between, ...again],
        [
          ...seen.flatMap((one) => [one, bought(one.at + 0.01, 'shop')]),
          between,
          ...again.flatMap((one) => [one, bought(one.at + 0.01, 'mall')]),
        ],
      ] as const,
      promise: Math.min(whole, joint),
    };
  };

export const labelsAfterNewOwners: Relation = {
  id: 'labels-after-new-owners',
  differs: 'the conversions of a unit before and after its ad tech was given another owner',
  observers: ['reporting-site'],
  onRequest: true,
  neighbours: fullAgain({
    kind: 'change',
    at: 30,
    budget: { owners: [['elsewhere', 'adtech'].map((name) => siteOf(originOf(name)))] },
  }),
};

export const labelsAfterNewPeriod: Relation = {
  id: 'labels-after-new-period',
  differs: 'the conversions of a unit before and after the period was changed',
  observers: ['reporting-site'],
  onRequest: true,
  // On the second day, which begins a period of a day.
  neighbours: fullAgain({ kind: 'change', at: 30, budget: { period: 1 } }),
};

export const labelsAfterClockAhead: Relation = {
  id: 'labels-after-clock-ahead',
  differs: 'the conversions of a unit before and after the clock was ahead by two months',
  observers: ['reporting-site'],
  onRequest: true,
  // An impression meanwhile deletes what has expired.
  neighbours: fullAgain(shown(1500, 1, 'elsewhere', 'unrelated', { adTech: 'other' })),
};
