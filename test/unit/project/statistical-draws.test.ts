import {
  binomial,
  gamma,
  multinomial,
  seededUniform,
} from '../../../analysis/estimate/likelihood/statistical-draws';
import { binomialProbabilities } from '../helpers/coverage';
import { fits } from '../helpers/mechanisms';

const uniform = seededUniform('draws', 0);

test.each([
  [1, 0.2],
  [10, 0.3],
  [10, 0.9],
  [40, 0.02],
  // From ten expected successes on, candidates are drawn and rejected.
  [30, 0.4],
  [100, 0.1],
  [300, 0.75],
  [2000, 0.02],
])('binomial numbers of %d trials with the chance %d have their distribution', (trials, chance) => {
  const expected = binomialProbabilities(trials, chance);
  expect(fits(expected, () => binomial(uniform, trials, chance), 50_000)).toBe(true);
  expect(fits(expected, () => binomial(uniform, trials, chance * 0.9), 50_000)).toBe(false);
});

const DRAWS = 20_000;

/** The mean of draws is off by more than 6 standard errors with a probability below 1e-8. */
function expectMean(draw: () => number, mean: number, variance: number): void {
  let sum = 0;
  for (let drawn = 0; drawn < DRAWS; drawn++) sum += draw() / DRAWS;
  expect(Math.abs(sum - mean)).toBeLessThan(6 * Math.sqrt(variance / DRAWS));
}

test('binomial numbers of many trials have mean and variance, and stay in their range', () => {
  const [trials, chance] = [100_000, 0.4];
  const variance = trials * chance * (1 - chance);
  expectMean(() => binomial(uniform, trials, chance), trials * chance, variance);
  expectMean(() => (binomial(uniform, trials, chance) - trials * chance) ** 2, variance, 2 * variance ** 2);
  expect([binomial(uniform, 5, 0), binomial(uniform, 5, 1), binomial(uniform, 0, 0.5)]).toEqual([0, 5, 0]);
});

test.each([[0.1], [0.5], [1], [7.5]])('gamma numbers of shape %d have its mean and variance', (shape) => {
  expectMean(() => gamma(uniform, shape), shape, shape);
  // The fourth central moment of a gamma number is 3·shape² + 6·shape.
  expectMean(() => (gamma(uniform, shape) - shape) ** 2, shape, 2 * shape ** 2 + 6 * shape);
  expect(gamma(uniform, 0)).toBe(0);
});

test('multinomial numbers add up, and each has its share', () => {
  const weights = [1, 0, 3];
  const drawn = Array.from({ length: 2000 }, () => multinomial(uniform, 8, weights));
  for (const parts of drawn) expect([parts.reduce((a, b) => a + b, 0), parts[1]]).toEqual([8, 0]);
  const first = binomialProbabilities(8, 0.25);
  let next = 0;
  expect(fits(first, () => drawn[next++]?.[0] ?? -1, 2000)).toBe(true);
});
