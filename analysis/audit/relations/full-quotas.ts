import type { JointBudget } from '../../../src/model/mechanisms';
import { withBoth, type Relation } from '../relation';
import { shown, type Happening, type Impression } from '../world';
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
    const promise = Math.min(labelsOfAny(2), budget.joint[quota]);
    return { worlds: withBoth(second, [between]), promise };
  },
});

const other = { adTech: 'other' };

export const quotasFullAgain: readonly Relation[] = [
  {
    id: 'labels-after-clock-ahead-of-quotas',
    differs:
      'the conversions of two impressions of an ad tech before and after the clock was ahead by two months',
    ...fullAgain('reportingSite', monthsAhead, shown(31, 2, 'blog', 'mall')),
  },
  {
    id: 'labels-after-new-period-of-quotas',
    differs: 'the conversions of two impressions of a page before and after the period was changed',
    ...fullAgain(
      'sourceSite',
      { kind: 'change', at: 30, budget: { period: 1 } },
      shown(31, 2, 'news', 'mall', other),
    ),
  },
  {
    id: 'labels-after-erasing-of-quotas',
    differs: 'the conversions of two impressions for an advertiser before and after it was erased',
    ...fullAgain(
      'destination',
      { kind: 'erase', at: 40, sites: ['shop'] },
      shown(60, 2, 'blog', 'shop', other),
    ),
  },
];
