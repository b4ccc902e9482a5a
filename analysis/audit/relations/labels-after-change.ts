import { deltaOfPart } from '../../../src/limits/privacy-budget';
import { first, MOST_IMPRESSIONS, type Relation } from '../relation';
import { bought, type Impression } from '../world';

export const labelsAfterChange: Relation = {
  id: 'labels-after-change',
  differs: 'the conversions of a unit before and after its K was raised',
  observers: ['reporting-site'],
  neighbours: ({ settings: { budget }, later, joint }) => {
    const { epsilon, attributionEpsilon, cap } = budget;
    if (later === null || epsilon === null || cap === null || cap >= MOST_IMPRESSIONS) return null;
    const before = Array.from({ length: cap }, (_, index) => ({ ...first, at: 1 + index, id: 10 + index }));
    const change = { kind: 'change', at: cap + 1.5, budget: { cap: cap + 1 } } as const;
    const rest = [change, later(cap + 2)];
    return {
      worlds: [
        [...before, ...rest],
        [...before.flatMap(withConversion), ...rest, bought(cap + 3, 'mall')],
      ],
      promise: Math.min(epsilon - attributionEpsilon, joint),
      delta: deltaOfPart(budget),
    };
  },
};

/** At once, so that no later impression gets the credit. */
const withConversion = (impression: Impression): readonly [Impression, ReturnType<typeof bought>] => [
  impression,
  bought(impression.at + 0.5, 'shop'),
];
