import { first, type Relation } from '../relation';
import { bought } from '../world';

export const labelsAfterChange: Relation = {
  id: 'labels-after-change',
  differs: 'the conversions of a unit before and after its K was changed',
  observer: 'site',
  neighbours: ({ settings: { budget }, later }) => {
    const { epsilon, attributionEpsilon, cap } = budget;
    if (later === null || epsilon === null || cap === null) return null;
    const change = { kind: 'change', at: 3, budget: { cap: cap === 1 ? 2 : 1 } } as const;
    return {
      worlds: [
        [first, change, later(4)],
        [first, bought(2, 'shop'), change, later(4), bought(5, 'mall')],
      ],
      promise: epsilon - attributionEpsilon,
    };
  },
};
