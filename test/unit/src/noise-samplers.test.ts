import { bernoulliExp, bernoulliRational } from '../../../analysis/noise/bernoulli';
import { discreteLaplace } from '../../../analysis/noise/discrete-laplace';
import { weightedIndex } from '../../../src/privacy/finite-distribution';
import { type RandomSource } from '../../../src/privacy/random-source';
import { Rational } from '../../../src/privacy/rational';
import { exponentialOfMinus, rationalBounds } from '../../../src/privacy/real-bounds';
import { isLong } from '../helpers/is-long';
import { discreteLaplaceProbabilities, fits } from '../helpers/mechanisms';
import { ScriptedSource } from '../helpers/random';
import { worded } from '../helpers/throws';
import { seededRandomSource } from '../../../analysis/random/sources';

/** In `npm run soak` enough to refute noise that is 10 % too low. */
const DRAWS = isLong ? 200_000 : 20_000;

const coin = (flip: (random: RandomSource) => boolean) => (random: RandomSource) => (flip(random) ? 1 : 0);

test.each(['0', '1', '1/3', '0.999', '1e-3'])('a coin with p = %s comes up as often', (p) => {
  const probability = Rational.of(p);
  const expected = [1 - probability.toNumber(), probability.toNumber()];
  expect(
    fits(
      expected,
      coin((random) => bernoulliRational(random, probability)),
      DRAWS,
    ),
  ).toBe(true);
});

test('a coin of three sevenths shows heads for three of seven equally likely numbers', () => {
  const heads = [0n, 1n, 2n, 3n, 4n, 5n, 6n].filter((word) =>
    bernoulliRational(new ScriptedSource([word]), Rational.of('3/7')),
  );
  expect(heads).toEqual([0n, 1n, 2n]);
});

test.each(['0', '0.01', '1/3', '1', '2.5', '6'])('a coin with p = e^−%s comes up as often', (x) => {
  const exponent = Rational.of(x);
  const p = Math.exp(-exponent.toNumber());
  const draw = coin((random) => bernoulliExp(random, exponent));
  expect(fits([1 - p, p], draw, DRAWS)).toBe(true);
  if (isLong && p > 0.01 && p < 1) expect(fits([1 - p * 1.1, p * 1.1], draw, DRAWS)).toBe(false);
});

test.each(['-0.1', '1.1'])('a probability of %s is refused', (p) => {
  expect(() => bernoulliRational(new ScriptedSource([]), Rational.of(p))).toThrow(RangeError);
});

test('e^x with x above 0 is refused as a probability', () => {
  expect(() => bernoulliExp(new ScriptedSource([]), Rational.of('-0.1'))).toThrow(RangeError);
});

describe('an index drawn from weights e^−x', () => {
  const weights = (xs: readonly string[]): ReturnType<typeof exponentialOfMinus>[] =>
    xs.map((x) => exponentialOfMinus(rationalBounds(Rational.of(x))));

  test.each([
    [['0', '0.5', '1', '3']],
    [['2', '0', '0', '1/3', '7']],
    [['0']],
    [['0', '1e6', '1e300', '0.1']],
  ])('for x = %p comes up as often as it weighs', (xs) => {
    const sizes = xs.map((x) => Math.exp(-Rational.of(x).toNumber()));
    const total = sizes.reduce((a, b) => a + b);
    expect(
      fits(
        sizes.map((size) => size / total),
        weightedIndex(weights(xs)),
        DRAWS,
      ),
    ).toBe(true);
  });

  test('needs one word, unless that falls on a boundary', () => {
    const draw = weightedIndex([0, 0, 0].map(() => rationalBounds(Rational.ONE)));
    const third = 2n ** 64n / 3n; // a third is between third/2^64 and (third + 1)/2^64
    expect(draw(new ScriptedSource([third - 1n]))).toBe(0);
    expect(draw(new ScriptedSource([third + 1n]))).toBe(1);
    expect(draw(new ScriptedSource([2n ** 64n - 1n]))).toBe(2);
    expect(draw(new ScriptedSource([third, 0n]))).toBe(0);
    expect(draw(new ScriptedSource([third, 2n ** 64n - 1n]))).toBe(1);
    expect(() => draw(new ScriptedSource([third]))).toThrow();
  });

  test('never comes up where the weight is 0, and needs one weight at least', () => {
    const zero = rationalBounds(Rational.ZERO);
    const draw = weightedIndex([zero, rationalBounds(Rational.ONE), zero]);
    for (const word of [0n, 2n ** 63n, 2n ** 64n - 1n]) expect(draw(new ScriptedSource([word]))).toBe(1);
    expect(worded(() => weightedIndex([]))).toThrow('weights must not be empty');
  });
});

describe('discrete Laplace noise', () => {
  /** Outputs −reach … reach as 0 … 2·reach; what is further out is counted at the ends. */
  const clipped = (reach: number, draw: (random: RandomSource) => bigint) => (random: RandomSource) =>
    Math.max(-reach, Math.min(reach, Number(draw(random)))) + reach;

  const scales: [string, number, number][] = [
    ['0.3', 0.3, 3],
    ['1', 1, 12],
    ['7/3', 7 / 3, 25],
    ['20', 20, 100],
  ];

  test.each(scales)('of scale %s fits its distribution', (text, scale, reach) => {
    const draw = clipped(reach, discreteLaplace(text));
    expect(fits(discreteLaplaceProbabilities(scale, reach), draw, DRAWS)).toBe(true);
  });

  if (isLong)
    test.each(scales)('10 %% below scale %s does not fit', (text, scale, reach) => {
      const wrong = discreteLaplace(Rational.of(text).times(Rational.of('0.9')));
      expect(fits(discreteLaplaceProbabilities(scale, reach), clipped(reach, wrong), DRAWS)).toBe(false);
    });

  /**
   * Tests the promise itself, from outside: with sensitivity 1, P[0 + z ≤ t] must be at most e^(1/scale)·P[1 + z ≤ t]. Under
   * equality the difference of the counts c − e^ε·c' has mean 0 and a variance of at most E[c] + e^(2ε)·E[c'], and is nearly normal;
   * 5.1 standard deviations are exceeded with probability 1.7·10^−7, by any of four with less than 10^−6.
   */
  function breaksPromise(epsilon: number, draw: (random: RandomSource) => bigint): boolean {
    const random = seededRandomSource('neighbours', 0);
    const draws = isLong ? 200_000 : 50_000;
    const limit = Math.exp(epsilon);
    const count = (input: bigint): number[] => {
      const counts = [0, 0, 0, 0];
      for (let i = 0; i < draws; i++) {
        const output = input + draw(random);
        counts.forEach((_, index) => {
          if (output <= BigInt(-index)) counts[index] = (counts[index] ?? 0) + 1;
        });
      }
      return counts;
    };
    const [near, far] = [count(0n), count(1n)];
    return near.some((c, index) => {
      const other = far[index] ?? 0;
      return (c - limit * other) / Math.sqrt(c + limit ** 2 * other) > 5.1;
    });
  }

  test('keeps its promise to neighbours', () => {
    expect(breaksPromise(1, discreteLaplace('1'))).toBe(false);
    expect(breaksPromise(0.5, discreteLaplace('2'))).toBe(false);
  });

  if (isLong)
    test('breaks it where it is 10 % too low', () => {
      expect(breaksPromise(1, discreteLaplace('0.9'))).toBe(true);
      expect(breaksPromise(0.5, discreteLaplace('1.8'))).toBe(true);
    });

  test.each([0, -1, NaN, Infinity])('of scale %p is refused', (scale) => {
    expect(worded(() => discreteLaplace(scale))).toThrow('scale must be greater than 0 and finite');
  });
});
