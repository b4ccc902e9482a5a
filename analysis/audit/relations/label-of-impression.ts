import { epsilon } from '../../../src/model/units';
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

export const labelWithoutEpsilon: Relation = {
  id: 'label-without-epsilon',
  differs: 'a conversion of one impression that registers ε = 0',
  observers: ['reporting-site'],
  onRequest: true,
  neighbours: () => {
    const silent = { ...first, epsilon: epsilon(0) };
    return { worlds: [[silent], [silent, bought(2, 'shop')]], promise: 0 };
  },
};
