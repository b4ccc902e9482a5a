import { privacyLossEpsilon } from '../../../analysis/learn/privacy-loss-distribution';
import { noiseDeviation } from '../../../analysis/learn/private-train';

test('draws of a single example are one Gaussian mechanism', () => {
  const once = privacyLossEpsilon(1, 5, 10, 1e-6);
  expect(privacyLossEpsilon(1, 5, 10, 1e-6, 1) / once).toBeCloseTo(1, 3);
  expect(privacyLossEpsilon(3, 15, 10, 1e-6, 3) / once).toBeCloseTo(1, 3);
});

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
  return epsilonOf(losses, delta, width);
}

/** The least ε up to `most` with this δ. */
function leastWith(deltaAt: (epsilon: number) => number, delta: number, most: number): number {
  let [low, high] = [0, most];
  while (high - low > 1e-4) {
    const between = (low + high) / 2;
    if (deltaAt(between) > delta) low = between;
    else high = between;
  }
  return low;
}

/** The least ε that losses in cells of this width have with this δ. */
function epsilonOf(losses: Losses, delta: number, width: number): number {
  const middle = (losses.length - 1) / 2;
  const deltaAt = (epsilon: number): number =>
    losses.reduce(
      (sum, mass, cell) => sum + mass * Math.max(0, -Math.expm1(epsilon - (cell - middle) * width)),
      0,
    );
  return leastWith(deltaAt, delta, 100);
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

describe('with replacement', () => {
  /**
   * Masses of the losses of one step of B draws out of n examples, of which one has the gradient `own` in one world and `other` in the other, and all
   * others have `rest`; in the first world.
   */
  function lossesOfDraws(
    [draws, count]: readonly [number, number],
    [own, other, rest]: readonly [number, number, number],
    deviation: number,
    width: number,
    reach: number,
  ): Losses {
    const chances = Array.from({ length: draws + 1 }, (_, k) => {
      const ways = Array.from({ length: k }, (__, i) => (draws - i) / (i + 1)).reduce((a, b) => a * b, 1);
      return ways * (1 / count) ** k * (1 - 1 / count) ** (draws - k);
    });
    const density = (x: number, gradient: number): number =>
      chances.reduce(
        (sum, chance, k) => sum + chance * normal(x, (draws - k) * rest + k * gradient, deviation),
        0,
      );
    const masses = new Float64Array(2 * reach + 1);
    const step = deviation / 300;
    for (let x = -9 * deviation - draws; x < 9 * deviation + draws; x += step) {
      const [first, second] = [density(x, own), density(x, other)];
      if (first === 0) continue;
      const loss = Math.floor(Math.log(first / Math.max(second, 1e-300)) / width);
      const cell = reach + Math.max(-reach, Math.min(reach, loss));
      masses[cell] = (masses[cell] ?? 0) + first * step;
    }
    return masses;
  }

  const width = 0.02;
  const gradients = [-1, 0, 1];
  // The opposite gradients are the same worlds.
  const worlds = gradients
    .slice(1)
    .flatMap((own) => gradients.flatMap((other) => gradients.map((rest) => [own, other, rest] as const)));

  test.each([
    [1, 10, 1, 0],
    [4, 4, 2, 0],
    [2, 5, 1.5, 1],
    [3, 20, 1, 1],
    [4, 4, 3, 2],
  ])(
    '%d draws of %d examples, deviation %d, 2^%d steps: no world loses more',
    (draws, count, deviation, doublings) => {
      const bound = privacyLossEpsilon(draws / count, deviation, 2 ** doublings, 1e-4, draws);
      let most = 0;
      for (const world of worlds) {
        let losses = lossesOfDraws([draws, count], world, deviation, width, Math.ceil(24 / width));
        for (let step = 0; step < doublings; step++) losses = convolved(losses, losses);
        most = Math.max(most, epsilonOf(losses, 1e-4, width));
      }
      // Of the error of the integral.
      expect(most).toBeLessThan(bound + 1e-3);
      // The worst world has nearly the bound: rounding took at most a cell off each step.
      expect(bound).toBeLessThan(1.005 * (most + 2 ** doublings * width));
    },
  );

  test('many steps need less than twice the noise of Poisson sampling at a low rate', () => {
    const budget = { epsilon: 3, delta: 1e-6 };
    const [drawn = NaN, poisson = NaN] = [1000, null].map((draws) =>
      noiseDeviation(0.01, 500, budget, draws),
    );
    expect(poisson).toBeCloseTo(0.86, 2);
    expect(drawn).toBeCloseTo(1.74, 2);
  });

  test('it loses more than Poisson sampling, which takes no example twice', () => {
    const [drawn, poisson] = [1000, null].map((draws) => privacyLossEpsilon(0.01, 2, 100, 1e-6, draws));
    expect(drawn).toBeGreaterThan(poisson ?? NaN);
  });
});

test('without sampling, it is the Gaussian mechanism with twice the sensitivity, whose losses add up exactly', () => {
  // k steps with deviation σ are one with σ/√k.
  for (const steps of [1, 4, 100])
    expect(
      privacyLossEpsilon(1, 10 * Math.sqrt(steps), steps, 1e-6) / privacyLossEpsilon(1, 10, 1, 1e-6),
    ).toBeCloseTo(1, 2);
});

test('with hardly any noise, ε is large, and not 0', () => {
  const deviation = 0.06;
  // All losses that matter lie where Φ(d/2 − ε/d) = δ, for means at a distance of d standard deviations; e to them is no double.
  const distance = 2 / deviation;
  expect(privacyLossEpsilon(1, deviation, 1, 1e-6) / (distance * (distance / 2 + 4.7534))).toBeCloseTo(1, 4);
  expect(privacyLossEpsilon(0.2, deviation, 10, 1e-6)).toBeGreaterThan(500);
});

/**
 * At a low rate and with hardly any noise, a step that does not take the example has no loss, and one that takes it a normal one around
 * ln q + 1/(2σ²), with the standard deviation 1/σ.
 */
function epsilonOfHits(rate: number, deviation: number, steps: number, delta: number): number {
  const mean = Math.log(rate) + 1 / (2 * deviation ** 2);
  const chances = [(1 - rate) ** steps];
  for (let hits = 1; hits <= Math.min(steps, 40); hits++)
    chances.push(((chances[hits - 1] ?? 0) * (steps - hits + 1) * rate) / (hits * (1 - rate)));
  const grid = Array.from({ length: 1801 }, (_, i) => (i - 900) / 100);
  const deltaAt = (epsilon: number): number =>
    chances.reduce((sum, chance, hits) => {
      if (hits === 0) return sum;
      const lost = grid.reduce((all, z) => {
        const loss = hits * mean + (Math.sqrt(hits) * z) / deviation;
        return all + Math.max(0, -Math.expm1(epsilon - loss)) * normal(z, 0, 1) * 0.01;
      }, 0);
      return sum + chance * lost;
    }, 0);
  return leastWith(deltaAt, delta, 1e5);
}

test.each([1, 10, 1000])(
  'with hardly any noise at a low rate, a wider grid bounds the work, and ε by at most 0.1 %% more: %d steps',
  (steps) => {
    const [rate, deviation, delta] = [0.001, 0.05, 1e-6];
    const found = privacyLossEpsilon(rate, deviation, steps, delta);
    const exact = epsilonOfHits(rate, deviation, steps, delta);
    expect(found / exact).toBeGreaterThan(0.9999);
    expect(found / exact).toBeLessThan(1.001);
  },
);

test('adding an example needs less noise than replacing one', () => {
  // σ = 1.005 gives ε = 2.12 at δ = 10⁻⁶ for one more or less (dp-accounting 0.6.0: 2.12452 at σ = 1).
  expect(noiseDeviation(0.01, 1000, { epsilon: 2.12452, delta: 1e-6 })).toBeGreaterThan(1.2);
});
