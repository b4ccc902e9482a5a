import { epsilon } from '../../../src/model/units';
import { first, type Relation } from '../relation';
import { bought, shown } from '../world';

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

/** It ranks higher, so it gets the later conversion, too, which its reports tell no more. */
export const labelBeforeLaterConversion: Relation = {
  id: 'label-before-later-conversion',
  differs: 'a conversion of one impression before one that comes after its report windows',
  observers: ['reporting-site'],
  onRequest: true,
  neighbours: ({ label }) => {
    const best = { ...first, fields: { priority: '1' } };
    const rest = [shown(10, 2, 'blog', 'shop'), bought(26, 'shop', { value: 3 })];
    return {
      worlds: [
        [best, ...rest],
        [best, bought(2, 'shop', { value: 3 }), ...rest],
      ],
      promise: label,
    };
  },
};
