import { binnedSums } from '../../../analysis/aggregate/bins';
import { privacyLossEpsilon } from '../../../analysis/learn/privacy-loss-distribution';
import { randomizedResponse } from '../../../src/privacy/randomized-response';
import { epsilon as epsilonOf } from '../../../src/model/units';
import type { RandomSource } from '../../../src/privacy/random-source';
import { seededRandomSource } from '../../../analysis/random/sources';
import { fits } from '../helpers/mechanisms';

const CUTS = [100n, 1000n];
const sums = new Map([
  [1n, 99n],
  [2n, 100n],
  [3n, 5000n],
]);
const expected = new Set([3n, 1n, 2n, 4n]);
/** Of the buckets 1, 2, 3, and 4, which has no contributions. */
const TRUTH = [0, 1, 2, 0];

test('with a huge ε, each bucket is in its bin', () => {
  const { bins, kept } = binnedSums(sums, expected, CUTS, '1e6', seededRandomSource('bins', 0));
  expect([...bins]).toEqual(TRUTH.map((bin, index) => [BigInt(index + 1), bin]));
  expect(kept).toBe(1);
});

test('bins beat a noisy value where the cuts are near, and lose to it where they are far, as docs/aggregate.md says', () => {
  const only = new Set([1n]);
  expect(binnedSums(sums, only, CUTS, 1, seededRandomSource('one', 0)).kept).toBeCloseTo(0.58, 2);
  const within = (sum: number, from: number, below: number): number =>
    1 - Math.exp(-(sum - from) / 65_536) / 2 - Math.exp(-(below - sum) / 65_536) / 2;
  expect(within(400, 100, 1000)).toBeCloseTo(0.007, 3);
  expect(within(327_680, 65_536, 655_360)).toBeCloseTo(0.99, 2);
});

test('Gaussian noise would be larger, unless a source could use only a ninth of its contribution for a bucket', () => {
  const delta = 1e-6;
  // The accountant lets a source change a sum from 1 to −1, so its distance is 2.
  const isPrivate = (deviation: number): boolean => privacyLossEpsilon(1, 2 * deviation, 1, delta) <= 1;
  expect([4.2, 4.25].map(isPrivate)).toEqual([false, true]);
  const p = Math.exp(-1 / 65_536);
  const laplace = Math.sqrt(2 * p) / (1 - p) / 65_536;
  expect(laplace).toBeCloseTo(1.41, 2);
  // A source that fills m buckets alike changes them by 1/√m in L2, and always by 1 in L1.
  expect([8, 9].map((buckets) => isPrivate(laplace * Math.sqrt(buckets)))).toEqual([false, true]);
});

test('buckets share ε: each answer has the distribution of randomized response with a quarter', () => {
  const share = 1.5;
  const kept = Math.exp(share) / (Math.exp(share) + 2);
  for (const [index, truth] of TRUTH.entries()) {
    const draw = (random: RandomSource): number => {
      const binned = binnedSums(sums, expected, CUTS, 4 * share, random);
      expect(binned.kept).toBeCloseTo(kept, 12);
      return binned.bins.get(BigInt(index + 1)) ?? -1;
    };
    const distribution = [0, 1, 2].map((bin) => (bin === truth ? kept : (1 - kept) / 2));
    expect(fits(distribution, draw, 4000)).toBe(true);
    if (index > 0) continue;
    // With all of ε for one bucket it would be another.
    const respond = randomizedResponse(3n, epsilonOf(4 * share));
    const whole = (random: RandomSource): number => {
      const response = respond(random);
      return response.kind === 'truthful' ? truth : Number(response.state);
    };
    expect(fits(distribution, whole, 4000)).toBe(false);
  }
});
