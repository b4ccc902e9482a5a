import { first, type Relation } from '../relation';
import { bought, shown } from '../world';

export const conversion: Relation = {
  id: 'conversion',
  differs: 'a conversion with two candidates',
  observers: ['site'],
  neighbours: ({ settings, labels }) => {
    const other = shown(2, 2, 'blog', 'shop');
    return {
      worlds: [
        [first, other],
        [first, other, bought(5, 'shop')],
      ],
      promise: settings.budget.unit === 'user' ? labels(2) : null,
    };
  },
};
