import { first, type Relation } from '../relation';
import { bought, shown } from '../world';

export const orderOfArrival: Relation = {
  id: 'order-of-arrival',
  differs: 'a conversion of one of two impressions whose reports leave together',
  observer: 'site',
  neighbours: ({ label }) => {
    const both = [first, shown(first.at, 2, 'blog', 'mall')];
    return { worlds: [both, [...both, bought(2, 'shop')]], promise: label };
  },
};
