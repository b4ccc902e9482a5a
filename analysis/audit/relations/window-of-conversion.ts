import { first, type Relation } from '../relation';
import { bought } from '../world';

export const windowOfConversion: Relation = {
  id: 'window-of-conversion',
  differs: 'the days of two conversions of one impression',
  observers: ['reporting-site'],
  neighbours: ({ label }) => ({
    worlds: [
      [first, bought(2, 'shop', { value: 3 }), bought(30, 'shop')],
      [first, bought(30, 'shop', { value: 3 }), bought(50, 'shop')],
    ],
    promise: label,
  }),
};
