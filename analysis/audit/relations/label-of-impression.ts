import { first, type Relation } from '../relation';
import { bought } from '../world';

export const labelOfImpression: Relation = {
  id: 'label-of-impression',
  differs: 'a conversion of one impression; those credited to others stay the same',
  observers: ['reporting-site'],
  neighbours: ({ label }) => ({
    worlds: [[first], [first, bought(2, 'shop', { value: 3 })]],
    promise: label,
  }),
};
