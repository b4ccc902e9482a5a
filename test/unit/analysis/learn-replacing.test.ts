import { privacyLossEpsilon } from '../../../analysis/learn/privacy-loss-distribution';
import { noiseDeviation } from '../../../analysis/learn/private-train';

/* ε of replacing an example, by a computation of our own: the worst pair that we know, on a fine grid, convolved step by step. */

const normal = (x: number, mean: number, deviation: number): number =>
  Math.exp(-((x - mean) ** 2) / (2 * deviation ** 2)) / (deviation * Math.sqrt(2 * Math.PI));

/** Losses in cells of `width`, the one in the middle around 0, as masses in the first world. */
type Losses = Float64Array;

/** Of one step with gradients of full length in opposite directions; losses are rounded down. */
function lossesOf(rate: number, deviation: number, width: number, reach: number): Losses {
  const masses = new Float64Array(2 * reach + 1);
  const step = deviation / 1000;
  for (let x = -9 * deviation - 1; x < 9 * deviation + 1; x += step) {
    const none = (1 - rate) * normal(x, 0, deviation);
    const [one, other] = [1, -1].map((mean) => none + rate * normal(x, mean, deviation)) as [number, number];
    const cell = reach + Math.max(-reach, Math.min(reach, Math.floor(Math.log(one / other) / width)));
    masses[cell] = (masses[cell] ?? 0) + one * step;
  }
  return masses;
}

function convolved(a: Losses, b: Losses): Losses {
  const sums = new Float64Array(a.length + b.length - 1);
  a.forEach((mass, i) => {
    if (mass > 1e-16) b.forEach((other, j) => (sums[i + j] = (sums[i + j] ?? 0) + mass * other));
  });
  return sums;
}

/** A lower bound of ε, but for the error of the integral: losses are rounded down. */
function leastEpsilon(
  rate: number,
  deviation: number,
  doublings: number,
  delta: number,
  width: number,
): number {
  let losses = lossesOf(rate, deviation, width, Math.ceil(8 / width));
  for (let step = 0; step < doublings; step++) losses = convolved(losses, losses);
  const middle = (losses.length - 1) / 2;
  const deltaAt = (epsilon: number): number =>
    losses.reduce(
      (sum, mass, cell) => sum + mass * Math.max(0, -Math.expm1(epsilon - (cell - middle) * width)),
      0,
    );
  let [low, high] = [0, 100];
  while (high - low > 1e-4) {
    const between = (low + high) / 2;
    if (deltaAt(between) > delta) low = between;
    else high = between;
  }
  return low;
}

test.each([
  [1, 4, 1, 1e-6],
  [0.5, 2, 1, 1e-6],
  [0.1, 1, 2, 1e-6],
  [0.02, 0.8, 2, 1e-5],
])('rate %d, deviation %d, 2^%d steps at δ = %d', (rate, deviation, doublings, delta) => {
  const width = 4e-3;
  const least = leastEpsilon(rate, deviation, doublings, delta, width);
  const found = privacyLossEpsilon(rate, deviation, 2 ** doublings, delta);
  // Of the error of the integral.
  expect(found).toBeGreaterThan(least - 1e-3);
  // Rounding took at most a cell off each step.
  expect(found).toBeLessThan(1.005 * (least + 2 ** doublings * width));
});

test('without sampling, it is the Gaussian mechanism with twice the sensitivity, whose losses add up exactly', () => {
  // k steps with deviation σ are one with σ/√k.
  for (const steps of [1, 4, 100])
    expect(
      privacyLossEpsilon(1, 10 * Math.sqrt(steps), steps, 1e-6) / privacyLossEpsilon(1, 10, 1, 1e-6),
    ).toBeCloseTo(1, 2);
});

test('adding an example needs less noise than replacing one', () => {
  // σ = 1.005 gives ε = 2.12 at δ = 10⁻⁶ for one more or less (dp-accounting 0.6.0: 2.12452 at σ = 1).
  expect(noiseDeviation(0.01, 1000, { epsilon: 2.12452, delta: 1e-6 })).toBeGreaterThan(1.2);
});
