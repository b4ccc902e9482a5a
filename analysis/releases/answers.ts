import type { RandomSource } from '../../src/privacy/random-source';
import { binnedSums } from '../aggregate/bins';
import { firstAbove, largestSum } from '../aggregate/choices';
import type { Draw, Release } from './release';

const EPSILON = 1;
/** What one source can add to a sum. */
const DELTA = 1n;

/** @param drawOf what is published of these sums */
const both =
  (one: readonly bigint[], other: readonly bigint[], drawOf: (sums: readonly bigint[]) => Draw) =>
  (): ReturnType<Release['inputs']> =>
    Promise.resolve([drawOf(one), drawOf(other)]);

/** Answers of `aggregate` to a question about sums. In the two inputs, the source adds to different sums. */
export const answers: readonly Release[] = [
  {
    id: 'bins',
    differs: 'the bucket to which a source adds; the bin of each bucket is published',
    promise: EPSILON,
    method: 'exact',
    inputs: both([DELTA, 0n], [0n, DELTA], (sums) => (random) => {
      const keys = sums.map((_, index) => BigInt(index));
      const { bins } = binnedSums(
        new Map(sums.map((sum, index) => [BigInt(index), sum])),
        new Set(keys),
        [1n, 2n],
        EPSILON,
        random,
      );
      return [...bins.values()].join(' ');
    }),
  },
  {
    id: 'largest',
    differs: 'the bucket to which a source adds; the largest bucket is published',
    promise: EPSILON,
    method: 'exact',
    // One sum is far ahead, so that the total of all weights moves as much as it can.
    inputs: both([DELTA, 40n], [0n, 40n + DELTA], (sums) => {
      const draw = largestSum(sums, DELTA, EPSILON);
      return (random) => String(draw(random));
    }),
  },
  {
    id: 'first-above',
    differs: 'the bucket to which a source adds; the first bucket above a sum is published',
    promise: EPSILON,
    method: 'at-least',
    inputs: both([0n, DELTA], [DELTA, 0n], (sums) => {
      const draw = firstAbove(sums, DELTA, DELTA, EPSILON);
      return (random: RandomSource) => String(draw(random));
    }),
  },
];
