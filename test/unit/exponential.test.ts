import fc from 'fast-check';
import { exponentialBounds } from '../../src/privacy/exponential';
import { exponentialFloor } from './helpers/random';

test('the reference agrees with the known digits of e', () => {
  // e = 2.7182818284590452353602874713526624977572470936999595749669676277…, scaled by 2^200 and truncated.
  const digits = 27182818284590452353602874713526624977572470936999595749669676277n;
  expect(exponentialFloor(1, 200) / 10n).toBe((digits << 200n) / 10n ** 64n / 10n);
});

describe('the bounds of e^x', () => {
  const exponents = [5e-324, 1e-300, 1e-9, 0.1, 0.5, 0.7, 1, 1.5, 2, Math.PI, 4, 8, 14, 50.25, 700, 1000.5];
  const sizes = [1, 8, 64, 128, 192, 320];
  const cases = exponents.flatMap((x) => sizes.map((bits): [number, number] => [x, bits]));

  // e^x is irrational, so the nearest whole numbers around e^x·2^bits are the best bounds there are. The bounds are worked
  // out with at least 16 more bits than asked for, so that only a fraction within 2^−10 of a whole number could miss them.
  test.each(cases)('are the nearest whole numbers for x = %s with %s bits', (x, bits) => {
    const floor = exponentialFloor(x, bits);
    expect(exponentialBounds(x)(bits)).toEqual({ lower: floor, upper: floor + 1n });
  });

  test('bracket it within one unit for any double', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 100, minExcluded: true, noNaN: true }),
        fc.integer({ min: 1, max: 400 }),
        (x, bits) => {
          const floor = exponentialFloor(x, bits);
          const { lower, upper } = exponentialBounds(x)(bits);
          expect(lower === floor || lower === floor - 1n).toBe(true);
          expect(upper === floor + 1n || upper === floor + 2n).toBe(true);
          expect(upper - lower).toBeLessThanOrEqual(2n);
        },
      ),
      { numRuns: 300 },
    );
  });

  test.each([0, -0])('are exact for x = %s, where e^x = 1', (x) => {
    expect(exponentialBounds(x)(64)).toEqual({ lower: 2n ** 64n, upper: 2n ** 64n });
  });

  test.each([-1, -5e-324, NaN, Infinity, -Infinity])('are refused for x = %s', (x) => {
    expect(() => exponentialBounds(x)).toThrow(new RangeError(`x must be finite and at least 0, was ${x}`));
  });
});
