import { first, type Relation } from '../relation';
import { bought, shown } from '../world';

export const orderOfArrival: Relation = {
  id: 'order-of-arrival',
  differs: 'a conversion of one of two impressions whose reports leave together',
  observers: ['reporting-site'],
  neighbours: ({ label }) => {
    const both = [first, shown(first.at, 2, 'blog', 'mall')];
    const other = bought(3, 'mall');
    return {
      worlds: [
        [...both, other],
        [...both, bought(2, 'shop'), other],
      ],
      promise: label,
    };
  },
};
