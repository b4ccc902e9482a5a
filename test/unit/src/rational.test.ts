import fc from 'fast-check';
import { overCommonDenominator, Rational, sum } from '../../../src/privacy/rational';

describe('a number that arrives', () => {
  test.each([
    ['0.1', '1/10'],
    [0.1, '1/10'],
    ['-2.50', '-5/2'],
    ['+.5', '1/2'],
    ['5.', '5'],
    ['1e-3', '1/1000'],
    ['1.5E2', '150'],
    [1e21, '1000000000000000000000'],
    [5e-324, `1/2${'0'.repeat(323)}`],
    ['6/4', '3/2'],
    ['-1/3', '-1/3'],
    [' 7 ', '7'],
    [12345678901234567890n, '12345678901234567890'],
    [-0, '0'],
  ])('as %p is exactly %s', (value, expected) => {
    expect(String(Rational.of(value))).toBe(expected);
  });

  test.each([
    '',
    '.',
    'e5',
    '1e',
    '1e99999',
    '0x10',
    '1,5',
    '1/0',
    '1/-2',
    '--1',
    'NaN',
    NaN,
    Infinity,
    -Infinity,
  ])('as %p is refused', (value) => {
    expect(Rational.parse(value)).toBeNull();
    expect(() => Rational.of(value)).toThrow(RangeError);
  });
});

describe('arithmetic', () => {
  test('ten tenths are one, and a third is a third', () => {
    expect(sum(Array<Rational>(10).fill(Rational.of(0.1))).equals(Rational.ONE)).toBe(true);
    expect(Rational.ONE.over(Rational.of(3)).times(Rational.of(3)).equals(Rational.ONE)).toBe(true);
  });

  test('is that of fractions, in lowest terms', () => {
    const divisors = Array.from({ length: 99 }, (_, index) => BigInt(index + 2));
    const fraction = fc.tuple(fc.bigInt(-50n, 50n), fc.bigInt(1n, 50n));
    fc.assert(
      fc.property(fraction, fraction, ([a, b], [c, d]) => {
        const [x, y] = [Rational.fraction(a, b), Rational.fraction(c, d)];
        const sumOf = x.plus(y);
        expect(sumOf.numerator * b * d).toBe((a * d + c * b) * sumOf.denominator);
        const product = x.times(y);
        expect(product.numerator * b * d).toBe(a * c * product.denominator);
        expect(x.minus(y).plus(y)).toEqual(x);
        if (c !== 0n) expect(x.over(y).times(y)).toEqual(x);
        expect(x.compare(y) < 0n).toBe(a * d < c * b);
        // One `expect` for all, because each costs more than the division.
        expect(divisors.filter((by) => sumOf.numerator % by === 0n && sumOf.denominator % by === 0n)).toEqual(
          [],
        );
      }),
      { numRuns: 300, seed: 1 },
    );
  });

  test('division by zero is refused', () => {
    expect(() => Rational.ONE.over(Rational.ZERO)).toThrow(RangeError);
  });

  test('the common denominator is the least', () => {
    const numbers = ['1/6', '-3/4', '2'].map((text) => Rational.of(text));
    expect(overCommonDenominator(numbers)).toEqual({ numerators: [2n, -9n, 24n], denominator: 12n });
  });
});

test('every double above the least normal one comes back as itself', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
      fc.pre(value === 0 || Math.abs(value) >= 2.2250738585072014e-308);
      expect(Rational.of(value).toNumber()).toBe(value === 0 ? 0 : value);
    }),
    { numRuns: 500, seed: 2 },
  );
});
