import { first, type Relation } from '../relation';
import { bought } from '../world';

export const labelsOfUnit: Relation = {
  id: 'labels-of-unit',
  differs: 'the conversions of all impressions of a unit',
  observers: ['reporting-site'],
  neighbours: ({ later, labels, label }) => {
    const second = later?.(4);
    return second === undefined
      ? { worlds: [[first], [first, bought(2, 'shop')]], promise: label }
      : {
          worlds: [
            [first, second],
            [first, bought(2, 'shop'), second, bought(5, 'mall')],
          ],
          promise: labels(2),
        };
  },
};
