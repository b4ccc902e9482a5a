import { firstAbove, largestSum, leastRare, surelyLargest } from '../../../analysis/aggregate/choices';
import { ParameterError } from '../../../src/privacy/parameters';
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

describe('the surely largest sum', () => {
  const DELTA = 0.01;

  /** The distribution of the place, then of no answer, by the noise's probabilities alone. */
  function surely(sums: readonly number[], epsilon: number, limit: number, reach = 400): number[] {
    const best = Math.max(...sums);
    const place = sums.indexOf(best);
    const second = Math.max(...sums.filter((_, index) => index !== place));
    const released = discreteLaplaceProbabilities(SENSITIVITY / epsilon, reach)
      .filter((_, at) => best - second + at - reach >= limit)
      .reduce((sum, chance) => sum + chance, 0);
    return [...sums.map((_, index) => (index === place ? released : 0)), 1 - released];
  }

  /** The least δ for which an output is at most e^ε times as probable in one world as in the other, but for δ. */
  const lost = (one: readonly number[], other: readonly number[], epsilon: number): number =>
    one.reduce(
      (sum, chance, index) => sum + Math.max(0, chance - Math.exp(epsilon) * (other[index] ?? 0)),
      0,
    );

  const limitOf = (epsilon: number, delta: number): number =>
    SENSITIVITY + Number(leastRare(SENSITIVITY / epsilon, delta));

  test('is released as often as the noise says, and is then true', () => {
    for (const sums of [
      [3, 20, 7, 0],
      [9, 9, 2],
      [0, 5],
    ]) {
      const drawing = (epsilon: number) => {
        const draw = surelyLargest(big(sums), BigInt(SENSITIVITY), epsilon, DELTA);
        return (random: RandomSource): number => draw(random) ?? sums.length;
      };
      expect(fits(surely(sums, 1, limitOf(1, DELTA)), drawing(1), DRAWS)).toBe(true);
    }
    // docs/aggregate.md
    expect(1 + Number(leastRare(65_536, 1e-6)) / 65_536).toBeCloseTo(14.12, 2);
    expect(() => surelyLargest([7n, 8n], BigInt(SENSITIVITY), 1e-320, DELTA)).toThrow(ParameterError);
    const draw = surelyLargest([7n], BigInt(SENSITIVITY), 1, DELTA);
    expect(draw({ uint64: () => 0n, decide: () => 0 })).toBe(0);
  });

  test('is (ε, δ)-private for all sums up to 9 of three buckets, and with a limit lower by two not', () => {
    const all = Array.from({ length: 1000 }, (_, code) => [
      code % 10,
      Math.floor(code / 10) % 10,
      Math.floor(code / 100),
    ]);
    const greatest = (epsilon: number, limit: number): number => {
      const worlds = new Map(all.map((sums) => [sums.join(), surely(sums, epsilon, limit, 60)]));
      let most = 0;
      for (const sums of all)
        // One source adds up to 2 in all, or takes it away.
        for (const change of [
          [1, 0, 0],
          [0, 1, 0],
          [0, 0, 1],
          [2, 0, 0],
          [0, 2, 0],
          [0, 0, 2],
          [1, 1, 0],
          [1, 0, 1],
          [0, 1, 1],
        ]) {
          const one = worlds.get(sums.join());
          const other = worlds.get(sums.map((sum, index) => sum + (change[index] ?? 0)).join());
          if (one !== undefined && other !== undefined)
            most = Math.max(most, lost(one, other, epsilon), lost(other, one, epsilon));
        }
      return most;
    };
    for (const epsilon of [0.5, 1, 3]) {
      const limit = limitOf(epsilon, DELTA);
      expect(greatest(epsilon, limit)).toBeLessThanOrEqual(DELTA);
      expect(greatest(epsilon, limit - 2)).toBeGreaterThan(DELTA);
    }
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
