import { first, type Relation } from '../relation';
import { bought, shown } from '../world';

export const conversion: Relation = {
  id: 'conversion',
  differs: 'a conversion with two candidates',
  observers: ['reporting-site'],
  neighbours: ({ settings: { budget }, labels, labelsOfAny }) => {
    const other = shown(2, 2, 'blog', 'shop');
    return {
      worlds: [
        [first, other],
        [first, other, bought(5, 'shop')],
      ],
      promise: budget.unit === 'user' ? labels(2) : budget.joint === null ? null : labelsOfAny(2),
    };
  },
};
