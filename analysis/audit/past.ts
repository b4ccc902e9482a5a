import type { PriorCost } from '../optimize/private-prior';
import { first, type Relation } from './relation';
import { bought } from './world';

/**
 * Worlds in which a source that a private prior counts has another value. Where the prior has a part of the budget, it is the source that
 * reports, too.
 */
export const pastRelation = ({ epsilon, split }: PriorCost): Relation => ({
  id: 'past-value',
  differs: 'the value of a past source that the prior counts',
  observers: ['reporting-site'],
  neighbours: ({ label }) =>
    split === 'people'
      ? { worlds: [[first], [first]], past: [0, 1], promise: epsilon }
      : { worlds: [[first], [first, bought(2, 'shop')]], past: [0, 1], promise: epsilon + label },
});

/** Two past sources: one with this value, and one with 0. */
export const pastOf = (value: number): ReadonlyMap<number, number> =>
  value === 0
    ? new Map([[0, 2]])
    : new Map([
        [0, 1],
        [value, 1],
      ]);
