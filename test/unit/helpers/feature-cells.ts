import type { FeatureCell, TaskInput } from '../../../analysis/experiment/tasks/task';
import { seededRandomSource } from '../../../analysis/random/sources';
import { uniformBelow } from '../../../src/privacy/uniform';

const random = seededRandomSource('features', 0);
const below = (bound: number): number => Number(uniformBelow(random, BigInt(bound)));

/** Two columns of four and three values; one cell has no sources. */
export const cells: readonly FeatureCell[] = ['a', 'b', 'c', 'd'].flatMap((campaign) =>
  ['x', 'y', 'z'].flatMap((type) => {
    const sources = 5 + below(60);
    return campaign === 'd' && type === 'z'
      ? []
      : [{ values: [campaign, type], sources, truth: below(sources + 1) }];
  }),
);

/** For each column, the conversions of its values. */
export const sumsOf = (given: readonly FeatureCell[]): TaskInput['sums'] =>
  [0, 1].map((column) => {
    const sums = new Map<string, number>();
    for (const { values, truth } of given) {
      const value = values[column] ?? '';
      sums.set(value, (sums.get(value) ?? 0) + truth);
    }
    return sums;
  });
