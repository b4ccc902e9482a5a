import { fixed, meanWithError } from '../../../analysis/report/mean-with-error';

// Without this, the report of an experiment had a width of 13.773314203730 ± 0.000000000000.
test('what rounding leaves between equal values is no error', () => {
  const values = [0.1 + 0.2, 0.3, 0.3];
  expect(new Set(values).size).toBe(2);
  expect(meanWithError(values).error).toBe(0);
  expect(meanWithError(values.map((value) => -1e9 * value)).error).toBe(0);
});

test('a small difference is an error', () => {
  const { mean, error } = meanWithError([1, 1 + 2e-9]);
  expect(mean).toBeCloseTo(1, 6);
  expect(error).toBeCloseTo(1e-9, 12);
  expect(meanWithError([1]).error).toBeNaN();
});

test('a number without a limit, or of which nothing is known, is no word of a programming language', () => {
  expect([1.25, NaN, Infinity, -Infinity].map((value) => fixed(value, 1))).toEqual(['1.3', '–', '∞', '−∞']);
});
