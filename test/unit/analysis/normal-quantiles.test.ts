import { chiSquareQuantile } from '../../../analysis/estimate/intervals/normal';

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

/* The exact quantiles at 1 − 10⁻⁶. */
test.each([
  [1, 23.928],
  [3, 30.665],
  [20, 65.421],
])('far in the tail, it is too large with %s degrees of freedom, by 15 % at most', (degrees, value) => {
  const ratio = chiSquareQuantile(degrees, 1 - 1e-6) / value;
  expect(ratio).toBeGreaterThan(1);
  expect(ratio).toBeLessThan(1.15);
});

/** The probabilities of a Poisson number's deviance, twice its log-likelihood ratio, in steps. */
function deviances(mean: number, step: number, steps: number): Float64Array {
  const probabilities = new Float64Array(steps);
  let probability = Math.exp(-mean);
  for (let count = 0; count < 200; probability *= mean / ++count) {
    const deviance = 2 * ((count === 0 ? 0 : count * Math.log(count / mean)) - count + mean);
    const place = Math.round(deviance / step);
    if (place < steps) probabilities[place] = (probabilities[place] ?? 0) + probability;
  }
  return probabilities;
}

function sumOf(one: Float64Array, other: Float64Array): Float64Array {
  const sum = new Float64Array(one.length);
  one.forEach((a, place) => {
    if (a > 0)
      for (let next = 0; next + place < sum.length; next++)
        sum[next + place] = (sum[next + place] ?? 0) + a * (other[next] ?? 0);
  });
  return sum;
}

/*
 * Where few sources have each number of reports, deviances are not distributed as chi-square. Computed for 20 numbers that are equally rare: the level
 * of 1e-6 is exceeded most, with 2e-6, where 5 sources are expected of each.
 */
test.each([0.1, 1, 3, 5, 10, 30])('rare numbers exceed the quantile little more often (mean %s)', (mean) => {
  const [step, most] = [0.1, chiSquareQuantile(20, 1 - 1e-6)];
  const four = [1, 2].reduce((sum) => sumOf(sum, sum), deviances(mean, step, Math.ceil(most / step)));
  const twenty = sumOf(
    four,
    [1, 2].reduce((sum) => sumOf(sum, sum), four),
  );
  expect(1 - twenty.reduce((a, b) => a + b, 0)).toBeLessThan(3e-6);
});
