import { chiSquareQuantile } from '../../../analysis/estimate/normal';

/* The tables of Abramowitz & Stegun (1964), 26.8. */
test.each([
  [1, 0.95, 3.841],
  [1, 0.99, 6.635],
  [2, 0.99, 9.21],
  [3, 0.99, 11.345],
  [20, 0.99, 37.566],
])('the quantile of chi-square with %s degrees of freedom, %s', (degrees, probability, value) => {
  expect(Math.abs(chiSquareQuantile(degrees, probability) / value - 1)).toBeLessThan(0.03);
});

test('without a degree of freedom nothing varies', () => {
  expect(chiSquareQuantile(0, 0.99)).toBe(0);
});
