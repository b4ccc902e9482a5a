import { first, type Relation } from '../relation';
import { bought } from '../world';

export const windowOfConversion: Relation = {
  id: 'window-of-conversion',
  differs: 'the day of a conversion',
  observers: ['reporting-site'],
  neighbours: ({ label }) => ({
    worlds: [
      [first, bought(2, 'shop', { value: 3 })],
      [first, bought(30, 'shop', { value: 3 })],
    ],
    promise: label,
  }),
};
