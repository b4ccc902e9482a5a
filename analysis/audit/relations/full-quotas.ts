import type { JointBudget } from '../../../src/model/mechanisms';
import { first, type Relation } from '../relation';
import { bought, shown, type Happening, type Impression } from '../world';
import { monthsAhead } from './full-again';

/** A quota of the joint budget is as it was after this. @param second an impression that has only this quota in common with `first` */
const fullAgain = (
  quota: Exclude<keyof JointBudget, 'epsilon'>,
  between: Happening,
  second: Impression,
): Pick<Relation, 'observers' | 'onRequest' | 'neighbours'> => ({
  observers: [quota === 'reportingSite' ? 'reporting-site' : 'everyone'],
  onRequest: true,
  neighbours: ({ settings: { budget }, labelsOfAny }) => {
    if (budget.joint === null) return null;
    const { at, adTech, advertisers } = second;
    return {
      worlds: [
        [first, between, second],
        [first, bought(2, 'shop'), between, second, bought(at + 1, advertisers[0] ?? '', { adTech })],
      ],
      promise: Math.min(labelsOfAny(2), budget.joint[quota]),
    };
  },
});

const other = { adTech: 'other' };

export const labelsAfterClockAheadOfQuotas: Relation = {
  id: 'labels-after-clock-ahead-of-quotas',
  differs:
    'the conversions of two impressions of an ad tech before and after the clock was ahead by two months',
  ...fullAgain('reportingSite', monthsAhead, shown(31, 2, 'blog', 'mall')),
};

export const labelsAfterNewPeriodOfQuotas: Relation = {
  id: 'labels-after-new-period-of-quotas',
  differs: 'the conversions of two impressions of a page before and after the period was changed',
  ...fullAgain(
    'sourceSite',
    { kind: 'change', at: 30, budget: { period: 1 } },
    shown(31, 2, 'news', 'mall', other),
  ),
};

export const labelsAfterErasingOfQuotas: Relation = {
  id: 'labels-after-erasing-of-quotas',
  differs: 'the conversions of two impressions for an advertiser before and after it was erased',
  ...fullAgain(
    'destination',
    { kind: 'erase', at: 40, sites: ['shop'] },
    shown(60, 2, 'blog', 'shop', other),
  ),
};
