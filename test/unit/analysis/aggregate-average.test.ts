import { averageOf, noiseQuantile } from '../../../analysis/aggregate/average';
import { summaryNoise } from '../../../analysis/aggregate/noise';
import { seededRandomSource } from '../../../analysis/random/sources';

test.each([
  [1, 1],
  [1, 0.3],
  [2, 1.99999999],
  [0, 5],
])(
  'differences of Laplace noise of scales %d and %d exceed their quantile as often as said',
  (one, other) => {
    // P[|X − Y| ≤ t] by integrating the density of X over P[|x − Y| ≤ t].
    const level = 0.9;
    const t = noiseQuantile(one, other, level);
    const [narrow, wide] = [Math.min(one, other), Math.max(one, other)];
    const cdf = (y: number): number => (y < 0 ? Math.exp(y / wide) / 2 : 1 - Math.exp(-y / wide) / 2);
    const within = (x: number): number => cdf(x + t) - cdf(x - t);
    const STEP = narrow / 500;
    let chance = narrow === 0 ? within(0) : 0;
    for (let x = STEP / 2; x < 40 * narrow; x += STEP)
      chance += (2 * within(x) * Math.exp(-x / narrow) * STEP) / (2 * narrow);
    expect(chance).toBeCloseTo(level, 4);
  },
);

test('95 % of the intervals contain the mean, also if the number is nearly lost in noise', () => {
  const noise = summaryNoise(10);
  const random = seededRandomSource('averages', 0);
  const [unitOfValue, unitOfCount] = [64, 16_384];
  for (const [conversions, mean] of [
    [300, 25],
    [3, 40],
    [1, 0],
  ] as const) {
    const RUNS = 1500;
    let [inside, open] = [0, 0];
    for (let run = 0; run < RUNS; run++) {
      const value = (conversions * mean * unitOfValue + Number(noise.draw(random))) / unitOfValue;
      const count = (conversions * unitOfCount + Number(noise.draw(random))) / unitOfCount;
      const { average, low, high } = averageOf(
        { value, scale: noise.scale / unitOfValue },
        { value: count, scale: noise.scale / unitOfCount },
        0.95,
      );
      // Without a positive number, every mean is possible.
      if (low === null || (mean >= low && mean <= (high ?? Infinity))) inside += 1;
      if (high === null) open += 1;
      if (average !== null && low !== null) expect(low).toBeLessThanOrEqual(average);
      if (average !== null && high !== null) expect(high).toBeGreaterThanOrEqual(average);
    }
    // The binomial distribution is 5.5 standard errors below with a probability of 1.8e-7, so a false alarm has one below 1e-6 for all three.
    // An interval without an end can only contain the mean more often.
    const error = 5.5 * Math.sqrt((0.95 * 0.05) / RUNS);
    expect(inside / RUNS).toBeGreaterThan(0.95 - error);
    if (conversions === 300) expect(inside / RUNS).toBeLessThan(0.95 + error);
    // With the quantile 1.2 and noise of scale 0.4, a run of 300 conversions is open with a probability of e^−700, and one of 1 with 0.7.
    if (conversions === 300) expect(open).toBe(0);
    if (conversions === 1) expect(open).toBeGreaterThan(0);
  }
});

test('a sum below 0 says no more than 0 does, however far below it is', () => {
  const found = [0, -2.9, -3.2, -30].map((value) =>
    averageOf({ value, scale: 1 }, { value: 100, scale: 0.1 }, 0.95),
  );
  expect(found[0]?.high).toBeGreaterThan(0.02);
  for (const one of found) expect(one).toEqual(found[0]);
});

test('is exact without noise, and unknown without conversions', () => {
  const { average, low, high } = averageOf({ value: 50, scale: 1e-9 }, { value: 4, scale: 1e-9 }, 0.95);
  for (const end of [average, low, high]) expect(end).toBeCloseTo(12.5, 6);
  expect(averageOf({ value: 50, scale: 1 }, { value: -0.1, scale: 1 }, 0.95)).toEqual({
    average: null,
    low: null,
    high: null,
  });
});
