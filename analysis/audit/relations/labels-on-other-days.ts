import { first, type Relation } from '../relation';
import { bought } from '../world';

export const labelsOnOtherDays: Relation = {
  id: 'labels-on-other-days',
  differs: 'the conversions of two impressions of a unit, days apart',
  observers: ['reporting-site'],
  neighbours: ({ later, labels }) => {
    const second = later?.(60);
    return second === undefined
      ? null
      : {
          worlds: [
            [first, second],
            [first, bought(2, 'shop'), second, bought(61, 'mall')],
          ],
          promise: labels(2),
        };
  },
};
