import type { EdgeWeights, Matching, MatchingParameters } from '../../../analysis/matching/graph';
import { greedyMatching } from '../../../analysis/matching/greedy';
import { laplaceMatching, laplaceScale } from '../../../analysis/matching/noisy-weights';
import { maximumWeightMatching } from '../../../analysis/matching/maximum-weight';
import { seededRandomSource } from '../../../analysis/random/sources';
import { greedyMatchingDistribution } from '../helpers/greedy-distribution';
import { isLong } from '../helpers/is-long';
import { chances, everyMatching, indices, randomWeights, written } from '../helpers/matchings';
import { discreteLaplaceProbabilities, fits, instances, privacyVerdict } from '../helpers/mechanisms';

/** Two clicks compete for conversion 0, and click 0 is no candidate of conversion 2. */
const WEIGHTS: EdgeWeights = [
  [3, 1.5, null],
  [2.75, 0.25, -1],
];
const parameters = { weights: WEIGHTS, epsilon: 2, sensitivity: 1 };

/** In `npm run soak` enough to refute noise that is 10 % too low. */
const DRAWS = isLong ? 200_000 : 20_000;

/** Greedy by its definition: over all sequences of picks, in doubles. */
function greedyByDefinition(weights: EdgeWeights, epsilon: number, sensitivity: number): Map<string, number> {
  const steps = Math.min(weights.length, weights[0]?.length ?? 0);
  const found = new Map<string, number>();
  const pick = (picked: Matching, probability: number): void => {
    const free = weights.flatMap((row, click) =>
      row.flatMap((weight, conversion) =>
        weight === null || picked.some((pair) => pair.click === click || pair.conversion === conversion)
          ? []
          : [{ click, conversion, size: Math.exp((epsilon / steps) * (Number(weight) / (2 * sensitivity))) }],
      ),
    );
    const total = free.reduce((sum, { size }) => sum + size, 0);
    if (free.length === 0) {
      const key = written([...picked].sort((a, b) => a.click - b.click));
      found.set(key, (found.get(key) ?? 0) + probability);
    }
    for (const { size, ...pair } of free) pick([...picked, pair], (probability * size) / total);
  };
  pick([], 1);
  return found;
}

describe('the greedy mechanism', () => {
  test('has the probabilities of its definition, on 100 random instances', () => {
    const draw = instances('definition greedy');
    for (let run = 0; run < 100; run++) {
      const weights = randomWeights(draw, 1 + draw(3), 1 + draw(3));
      const [epsilon, sensitivity] = [(1 + draw(32)) / 8, (1 + draw(16)) / 8];
      const exact = chances(greedyMatchingDistribution({ weights, epsilon, sensitivity }));
      const expected = greedyByDefinition(weights, epsilon, sensitivity);
      expect([...exact.keys()].sort()).toEqual([...expected.keys()].sort());
      for (const [matching, probability] of expected)
        expect(exact.get(matching)).toBeCloseTo(probability, 12);
    }
  });

  const { matchings } = greedyMatchingDistribution(parameters);
  const exact = [...chances(greedyMatchingDistribution(parameters)).values()];

  test('fits them in many draws', () => {
    expect(fits(exact, indices(matchings, greedyMatching(parameters)), DRAWS)).toBe(true);
  });

  if (isLong)
    test('does not where noise is 10 % too low', () => {
      expect(fits(exact, indices(matchings, greedyMatching({ ...parameters, epsilon: 2.2 })))).toBe(false);
    });

  test.each<[string, number, ReturnType<typeof seededRandomSource> | null]>([
    ['where ε is large', 1e6, seededRandomSource('far apart', 0)],
    ['without noise', 1, null],
  ])('picks the heaviest edge first %s, however far apart weights are', (_, epsilon, random) => {
    const weights = [
      ['1e9', '9e8'],
      ['9e8', '-1e30'],
    ];
    // After the 10^9 nothing is left but −10^30.
    expect(written(greedyMatching({ weights, epsilon, sensitivity: 1 })(random))).toBe('0-0 1-1');
  });

  test('releases pairs and nothing of their weights', () => {
    const [pair] = greedyMatching({ ...parameters, weights: [[5]], epsilon: 1000 })(
      seededRandomSource('pairs', 0),
    );
    expect(pair).toEqual({ click: 0, conversion: 0 });
  });
});

describe('differential privacy, by exact distributions', () => {
  /** Moves weights by up to Δ either way: all of them, or only those of one click. */
  const neighbours = (
    draw: (below: number) => number,
    weights: readonly (readonly (number | null)[])[],
    sensitivity: number,
    movesAll: boolean,
  ): (number | null)[][] => {
    const moved = draw(weights.length);
    return weights.map((row, click) =>
      row.map((weight) => {
        // Often by all of Δ, which is the worst.
        const by = ([-1, 1, (draw(17) - 8) / 8][draw(3)] ?? 0) * sensitivity;
        return weight === null || (!movesAll && click !== moved) ? weight : weight + by;
      }),
    );
  };

  test.each<[string, boolean]>([
    ['greedy, all edges moved', true],
    ['greedy, one click moved', false],
  ])('%s: P[o | x] ≤ e^ε·P[o | x′] on 300 random pairs of neighbours', (name, movesAll) => {
    const draw = instances(`neighbours ${name}`);
    for (let run = 0; run < 300; run++) {
      const sensitivity = (1 + draw(16)) / 8;
      const epsilon = (1 + draw(32)) / 8;
      const weights = randomWeights(draw, 1 + draw(3), 1 + draw(3));
      const other = neighbours(draw, weights, sensitivity, movesAll);
      const [one, two] = [weights, other].map((each) =>
        greedyMatchingDistribution({ weights: each, epsilon, sensitivity }),
      );
      expect(one?.matchings).toEqual(two?.matchings);
      const verdict = privacyVerdict([one?.probabilities ?? [], two?.probabilities ?? []], epsilon);
      expect([weights, other, epsilon, verdict]).toEqual([weights, other, epsilon, 'proved']);
    }
  });

  /** All edges weigh as much; the favoured ones then Δ more and all others Δ less, which is the worst that can happen. */
  const worst = (clicks: number, conversions: number, favoured: readonly string[]): EdgeWeights[] => [
    Array.from({ length: clicks }, () => Array<number>(conversions).fill(10)),
    Array.from({ length: clicks }, (_, click) =>
      Array.from({ length: conversions }, (_, conversion) =>
        favoured.includes(`${click}-${conversion}`) ? 11 : 9,
      ),
    ),
  ];

  const verdict = (pair: EdgeWeights[], spent: number, claimed: number): string =>
    privacyVerdict(
      pair.map(
        (weights) => greedyMatchingDistribution({ weights, epsilon: spent, sensitivity: 1 }).probabilities,
      ),
      claimed,
    );

  test('greedy with noise that is a tenth too low is refuted', () => {
    const pair = worst(1, 200, ['0-0']);
    expect(verdict(pair, 1, 1)).toBe('proved');
    expect(verdict(pair, 1.1, 1)).toBe('violated');
  });

  test('greedy in two steps is refuted if each spends all of ε, or together 10 % more', () => {
    const pair = worst(2, 60, ['0-0', '1-1']);
    expect(verdict(pair, 1, 1)).toBe('proved');
    expect(verdict(pair, 2, 1)).toBe('violated');
    expect(verdict(pair, 1.1, 1)).toBe('violated');
  });
});

describe('the Laplace mechanism', () => {
  // One grain is 1, and the scale of the noise (1024 grains for each of two edges)/3072.
  const laplace: MatchingParameters = {
    weights: [
      [1, 0.4],
      [0.5, null],
    ],
    epsilon: 3072,
    sensitivity: 1024,
  };

  /** The probability of each matching: the sum over all noise up to `reach` on each edge; what is beyond has 10^−9. */
  function byAllNoise(rounded: readonly (readonly (bigint | null)[])[], scale: number): Map<string, number> {
    const reach = Math.ceil(scale * 22);
    const chances = discreteLaplaceProbabilities(scale, reach);
    const edges = rounded.flatMap((row, click) =>
      row.flatMap((weight, conversion) => (weight === null ? [] : [{ pair: { click, conversion }, weight }])),
    );
    const found = new Map<string, number>();
    const add = (noisy: typeof edges, probability: number): void => {
      const edge = edges[noisy.length];
      if (edge === undefined) {
        const graph = { clicks: rounded.length, conversions: rounded[0]?.length ?? 0, edges: noisy };
        const key = written(maximumWeightMatching(graph));
        found.set(key, (found.get(key) ?? 0) + probability);
        return;
      }
      chances.forEach((chance, index) =>
        add([...noisy, { ...edge, weight: edge.weight + BigInt(index - reach) }], probability * chance),
      );
    };
    add([], 1);
    return found;
  }

  test('has noise of scale (edges of a click)·1024/ε in grains', () => {
    expect(laplaceScale(1024n, 2).toString()).toBe('512');
    expect(laplaceScale(3072n, '0.5').toString()).toBe('6144');
  });

  test('without noise is the best matching', () => {
    const weights = [
      [3, 2],
      [2, null],
    ];
    expect(written(laplaceMatching({ weights, epsilon: 1, sensitivity: 1 })(null))).toBe('0-1 1-0');
  });

  describe('in many draws', () => {
    // 0.4 is rounded to 0 grains, 0.5 to 1.
    const expected = byAllNoise(
      [
        [1n, 0n],
        [1n, null],
      ],
      2 / 3,
    );
    const all = everyMatching(laplace.weights);
    const probabilities = all.map((matching) => expected.get(written(matching)) ?? 0);

    test('fits its distribution', () => {
      expect(probabilities.reduce((a, b) => a + b)).toBeCloseTo(1, 8);
      expect(fits(probabilities, indices(all, laplaceMatching(laplace)), DRAWS)).toBe(true);
    });

    if (isLong)
      test('does not where noise is 10 % too low', () => {
        expect(fits(probabilities, indices(all, laplaceMatching({ ...laplace, epsilon: 3379 })))).toBe(false);
      });
  });

  /** Whether P[o | x] ≤ e^ε·P[o | x′] for all o, either way; 10^−8 for the noise that is left out. */
  const keeps = (one: Map<string, number>, two: Map<string, number>, epsilon: number): boolean =>
    [
      [one, two],
      [two, one],
    ].every(([a, b]) => [...(a ?? [])].every(([o, p]) => p <= Math.exp(epsilon) * (b?.get(o) ?? 0) + 1e-8));

  test('loses ε/1024 for each grain by which a click moves, on random pairs', () => {
    const draw = instances('laplace neighbours');
    const whole = (): bigint => BigInt(draw(7) - 3);
    for (let run = 0; run < (isLong ? 60 : 30); run++) {
      // One click with two or three conversions, all edges of which move by up to a grain.
      const row = Array.from({ length: run % 10 === 0 ? 3 : 2 }, whole);
      const moved = row.map((weight) => weight + BigInt(draw(3) - 1));
      const epsilon = 2 + draw(16) / 8;
      const scale = laplaceScale(BigInt(row.length), epsilon).toNumber();
      const [one, two] = [byAllNoise([row], scale), byAllNoise([moved], scale)];
      expect([row, moved, epsilon, keeps(one, two, epsilon)]).toEqual([row, moved, epsilon, true]);
    }
  });

  test('would not be if the noise were for one edge where two move', () => {
    const verdict = (movedEdges: bigint): boolean => {
      const scale = laplaceScale(movedEdges, 2).toNumber();
      return keeps(byAllNoise([[0n, 4n]], scale), byAllNoise([[1n, 3n]], scale), 2);
    };
    expect(verdict(2n)).toBe(true);
    expect(verdict(1n)).toBe(false);
  });
});
