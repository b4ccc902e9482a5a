import { firstAbove, largestSum } from '../../../analysis/aggregate/choices';
import type { RandomSource } from '../../../src/privacy/random-source';
import { discreteLaplaceProbabilities, fits } from '../helpers/mechanisms';

const SENSITIVITY = 2;
const DRAWS = 20_000;

/** What the exponential mechanism draws, by its definition. */
function largest(sums: readonly number[], epsilon: number): number[] {
  const sizes = sums.map((sum) => Math.exp((epsilon * sum) / (2 * SENSITIVITY)));
  const total = sizes.reduce((a, b) => a + b, 0);
  return sizes.map((size) => size / total);
}

/** The distribution of the first sum above, then none, by adding up over the noise of the threshold. */
function first(sums: readonly number[], threshold: number, epsilon: number, reach = 400): number[] {
  const ofThreshold = discreteLaplaceProbabilities((2 * SENSITIVITY) / epsilon, reach);
  const scale = (4 * SENSITIVITY) / epsilon;
  const r = Math.exp(-1 / scale);
  /** P[z ≥ k] */
  const tail = (k: number): number => (k >= 1 ? r ** k / (1 + r) : 1 - r ** (1 - k) / (1 + r));
  const found = Array<number>(sums.length + 1).fill(0);
  ofThreshold.forEach((chance, place) => {
    const limit = threshold + place - reach;
    let reached = chance;
    sums.forEach((sum, index) => {
      const above = tail(limit - sum);
      found[index] = (found[index] ?? 0) + reached * above;
      reached *= 1 - above;
    });
    found[sums.length] = (found[sums.length] ?? 0) + reached;
  });
  return found;
}

const big = (sums: readonly number[]): bigint[] => sums.map(BigInt);
const ratios = (one: readonly number[], other: readonly number[]): number[] =>
  one.map((chance, index) => Math.abs(Math.log(chance / (other[index] ?? 0))));

describe('the largest sum', () => {
  const sums = [3, 9, 7, 0];

  test('is drawn with the probabilities of the exponential mechanism', () => {
    const drawing = (epsilon: number): ((random: RandomSource) => number) =>
      largestSum(big(sums), BigInt(SENSITIVITY), epsilon);
    expect(fits(largest(sums, 1), drawing(1), DRAWS)).toBe(true);
    expect(fits(largest(sums, 1), drawing(1.5), DRAWS)).toBe(false);
  });

  test('is ε-private if every sum changes by Δ', () => {
    for (const moved of [
      [5, 7, 5, 2],
      [1, 11, 5, 0],
      [3, 7, 9, 0],
    ])
      expect(Math.max(...ratios(largest(sums, 1), largest(moved, 1)))).toBeLessThanOrEqual(1 + 1e-12);
    expect(Math.max(...ratios(largest(sums, 2.5), largest([5, 7, 5, 2], 2.5)))).toBeGreaterThan(1);
  });
});

describe('the first sum above a threshold', () => {
  const sums = [3, 9, 7, 20];

  test('is drawn with the probabilities of the sparse vector technique', () => {
    const drawing = (epsilon: number) => {
      const draw = firstAbove(big(sums), 10n, BigInt(SENSITIVITY), epsilon);
      return (random: RandomSource): number => draw(random) ?? sums.length;
    };
    expect(fits(first(sums, 10, 1), drawing(1), DRAWS)).toBe(true);
    expect(fits(first(sums, 10, 1), drawing(1.5), DRAWS)).toBe(false);
  });

  test('is ε-private for any number of sums, if every sum changes by Δ', () => {
    for (const count of [1, 5, 50]) {
      const low = Array<number>(count).fill(6);
      const worlds = [
        low,
        low.map((sum) => sum + 2),
        low.map((sum, index) => sum + (index === count - 1 ? 2 : -2)),
      ];
      for (const one of worlds.slice(0, 1))
        for (const other of worlds)
          expect(Math.max(...ratios(first(one, 10, 1), first(other, 10, 1)))).toBeLessThanOrEqual(1 + 1e-9);
    }
    // With half of the noise it would not be.
    const [low, high] = [Array<number>(50).fill(6), [...Array<number>(49).fill(4), 8]];
    expect(Math.max(...ratios(first(low, 10, 2.5), first(high, 10, 2.5)))).toBeGreaterThan(1);
  });
});

test('the normal summary finds the bucket more often, as docs/aggregate.md says', () => {
  // Enough steps for the third digit. A source changes all sums together by Δ, so the noise of the summary has the scale Δ/ε.
  const [scale, reach] = [100, 3000];
  const epsilon = SENSITIVITY / scale;
  const lead = 8 * scale;
  const noise = discreteLaplaceProbabilities(scale, reach);
  let below = 0;
  const cumulative = noise.map((chance) => (below += chance));
  const isBelow = (step: number): number => cumulative[Math.min(step + reach, 2 * reach)] ?? 0;
  const largestOf = (others: number): readonly number[] => [
    largest([lead, ...Array<number>(others).fill(0)], epsilon)[0] ?? 0,
    noise.reduce((sum, chance, place) => sum + chance * isBelow(place - reach + lead) ** others, 0),
  ];
  const sums = [...Array<number>(19).fill(-lead / 2), lead / 2];
  const found = [
    largestOf(1),
    largestOf(99),
    [first(sums, 0, epsilon, reach)[19] ?? 0, isBelow(lead / 2 - 1) ** 19 * isBelow(lead / 2)],
  ];
  [
    [0.982, 0.999],
    [0.355, 0.958],
    [0.035, 0.832],
  ].forEach((expected, row) => {
    expected.forEach((chance, column) =>
      expect(Math.abs((found[row]?.[column] ?? 0) - chance)).toBeLessThan(0.0015),
    );
  });
});
