import { first, type Relation } from '../relation';
import { bought, shown } from '../world';

export const otherUnit: Relation = {
  id: 'other-unit',
  differs: 'impressions and conversions of another unit',
  observers: ['one-source'],
  neighbours: ({ settings: { budget }, label }) => {
    if (budget.unit === 'user') return null;
    const rest = [first, bought(2, 'shop')];
    const others = Array.from({ length: budget.cap ?? 1 }, (_, index) =>
      shown(0, 10 + index, 'blog', 'mall'),
    );
    return {
      worlds: [rest, [...others, bought(0.5, 'mall'), ...rest]],
      promise: budget.joint === null ? 0 : label,
    };
  },
};
