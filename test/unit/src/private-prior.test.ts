import { privateCounts } from '../../../analysis/optimize/private-prior';
import { type RandomSource } from '../../../src/privacy/random-source';
import { Rational } from '../../../src/privacy/rational';
import { isLong } from '../helpers/is-long';
import { discreteLaplaceProbabilities, fits } from '../helpers/mechanisms';
import { seededRandomSource } from '../../../analysis/random/sources';

const VALUES = [0, 5, 10];
const PAST = new Map([
  [0, 1000],
  [3, 50],
  [7, 40],
  [12, 60],
]);
const REACH = 30;
const DRAWS = isLong ? 100_000 : 25_000;

/** The noise in the count of 5, from 0 to 2·REACH. */
const noise =
  (epsilon: string) =>
  (random: RandomSource): number => {
    const count = privateCounts(PAST, VALUES, Rational.of(epsilon), random).get(5) ?? NaN;
    return Math.max(0, Math.min(2 * REACH, count - 40 + REACH));
  };

const expected = discreteLaplaceProbabilities(2 / 0.8, REACH);

test('has exact discrete Laplace noise of scale 2/ε', () => {
  expect(fits(expected, noise('0.8'), DRAWS)).toBe(true);
});

if (isLong)
  test('fits no other where it is a tenth less', () => {
    expect(fits(expected, noise('0.88'), DRAWS)).toBe(false);
  });

test('counts each past value by the greatest listed one that it reaches', () => {
  const random = seededRandomSource('reached', 0);
  // At ε = 100 noise is 0 but for a probability of e^−50.
  const counts = [...privateCounts(PAST, VALUES, Rational.of(100), random)];
  expect(counts).toEqual([
    [0, 1050],
    [5, 40],
    [10, 60],
  ]);
});

test('has no negative counts', () => {
  const random = seededRandomSource('negative', 0);
  const found = Array.from({ length: 200 }, () => [
    ...privateCounts(new Map([[0, 1]]), VALUES, Rational.of('0.5'), random).values(),
  ]).flat();
  expect(Math.min(...found)).toBe(0);
  expect(Math.max(...found)).toBeGreaterThan(0);
});
