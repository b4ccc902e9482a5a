import { first, type Relation } from '../relation';
import { bought } from '../world';

export const furtherConversions: Relation = {
  id: 'further-conversions',
  differs: 'further conversions of one impression, with other data, values and priorities',
  observers: ['reporting-site'],
  neighbours: ({ label }) => {
    const once = bought(2, 'shop');
    return {
      worlds: [
        [first, once],
        [
          first,
          once,
          bought(3, 'shop', { data: 2, value: 2, priority: 5 }),
          bought(4, 'shop', { data: 1, value: 2, priority: 6 }),
          bought(26, 'shop'),
        ],
      ],
      promise: label,
    };
  },
};
