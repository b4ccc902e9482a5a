import fc from 'fast-check';
import { fixedLogarithm, FIXED_ONE } from '../../../src/privacy/fixed-point';
import { Rational, sum } from '../../../src/privacy/rational';
import { difference, exponentialOfMinus, quotient, rationalBounds } from '../../../src/privacy/real-bounds';
import { exponentialFloor } from '../helpers/random';
import { product } from '../../../analysis/noise/product';
import { total } from '../helpers/total';

const bounds = (value: string): ReturnType<typeof rationalBounds> => rationalBounds(Rational.of(value));

describe('bounds of e^−x', () => {
  test('enclose the truth, at most a few units apart', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 2 ** 20 }),
        fc.integer({ min: 1, max: 400 }),
        (thousandth, bits) => {
          const x = thousandth / 2 ** 12; // dyadic, so that the double is what the rational is
          const { lower, upper } = exponentialOfMinus(
            rationalBounds(Rational.fraction(BigInt(thousandth), 4096n)),
          )(bits);
          // e^x is in [power, power + 1)·2^−500, and so e^−x·2^bits in (2^(500 + bits)/(power + 1), 2^(500 + bits)/power].
          const power = exponentialFloor(x, 500);
          const numerator = 1n << BigInt(500 + bits);
          expect(lower * power <= numerator).toBe(true);
          expect(upper * (power + 1n) >= numerator).toBe(true);
          expect(upper - lower).toBeLessThanOrEqual(2n);
          expect(lower).toBeGreaterThanOrEqual(0n);
          expect(upper).toBeLessThanOrEqual(1n << BigInt(bits));
        },
      ),
      { numRuns: 400, seed: 3 },
    );
  });

  test('are immediate where nothing of it is left', () => {
    expect(exponentialOfMinus(bounds('1e1000'))(64)).toEqual({ lower: 0n, upper: 1n });
  });

  test('allow for x being known by bounds only', () => {
    const wide = exponentialOfMinus((bits) => ({ lower: 0n, upper: 1n << BigInt(bits) })); // x is somewhere in [0, 1]
    const { lower, upper } = wide(64);
    expect(lower <= 2n ** 64n / 3n).toBe(true);
    expect(upper).toBe(2n ** 64n);
  });
});

test('bounds of products and of sums enclose them, at most two units apart', () => {
  const fraction = fc
    .tuple(fc.bigInt(0n, 10n ** 12n), fc.bigInt(1n, 10n ** 12n))
    .map(([a, b]) => Rational.fraction(a, a + b)); // from 0 to 1
  fc.assert(
    fc.property(fc.array(fraction, { minLength: 1, maxLength: 40 }), fc.nat(200), (numbers, bits) => {
      const encloses = (value: Rational, real: ReturnType<typeof rationalBounds>): void => {
        const { lower, upper } = real(bits);
        const scaled = value.times(Rational.of(1n << BigInt(bits)));
        expect(Rational.of(lower).compare(scaled) <= 0n).toBe(true);
        expect(Rational.of(upper).compare(scaled) >= 0n).toBe(true);
        expect(upper - lower).toBeLessThanOrEqual(2n);
      };
      const real = numbers.map(rationalBounds);
      encloses(sum(numbers), total(real));
      // One after the other: the error does not add up.
      encloses(
        numbers.reduce((a, b) => a.times(b), Rational.ONE),
        real.reduce(product, rationalBounds(Rational.ONE)),
      );
    }),
    { numRuns: 200, seed: 5 },
  );
});

test('bounds of fractions, differences and quotients enclose them', () => {
  fc.assert(
    fc.property(fc.bigInt(-999n, 999n), fc.bigInt(1n, 999n), fc.bigInt(1n, 10n ** 30n), (a, b, c) => {
      const [x, y] = [Rational.fraction(a, b), Rational.fraction(b, c)];
      const encloses = (
        value: Rational,
        of: typeof x | null,
        real: ReturnType<typeof rationalBounds>,
      ): void => {
        const { lower, upper } = real(70);
        const scaled = value.times(Rational.of(2n ** 70n));
        expect(Rational.of(lower).compare(scaled) <= 0n && Rational.of(upper).compare(scaled) >= 0n).toBe(
          true,
        );
        expect(upper - lower).toBeLessThanOrEqual(of === null ? 1n : 2n);
      };
      encloses(x, null, rationalBounds(x));
      encloses(x.minus(y), x, difference(rationalBounds(x), rationalBounds(y)));
      const { lower, upper } = quotient(rationalBounds(y), rationalBounds(y))(70);
      expect(lower <= 2n ** 70n && upper >= 2n ** 70n && upper - lower <= 4n).toBe(true);
    }),
    { numRuns: 200, seed: 4 },
  );
});

test.each([
  [1n, 1n],
  [1n, 3n],
  [7n, 2n],
  [10n ** 12n, 3n],
  [3n, 10n ** 12n],
])('the logarithm of %s/%s is right', (numerator, denominator) => {
  const logarithm = Number(fixedLogarithm(numerator, denominator)) / Number(FIXED_ONE);
  expect(logarithm).toBeCloseTo(Math.log(Number(numerator)) - Math.log(Number(denominator)), 13);
});
