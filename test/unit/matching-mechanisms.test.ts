import {
  exponentialMatching,
  exponentialMatchingDistribution,
  greedyMatching,
  greedyMatchingDistribution,
  laplaceMatching,
  laplaceScale,
  matchingValue,
  valueScale,
  type EdgeWeights,
  type GreedyParameters,
  type LaplaceParameters,
  type Matching,
  type MatchingDistribution,
} from '../../src/attribution/matching';
import { maximumWeightMatching } from '../../src/attribution/matching/maximum-weight';
import { seededRandomSource } from '../../src/privacy/random-source';
import { Rational } from '../../src/privacy/rational';
import {
  bestWeight,
  chances,
  everyMatching,
  indices,
  randomWeights,
  weightOf,
  written,
} from './helpers/matchings';
import { discreteLaplaceProbabilities, fits, instances, privacyVerdict } from './helpers/mechanisms';

/** Two clicks compete for conversion 0, and click 0 is no candidate of conversion 2. */
const WEIGHTS: EdgeWeights = [
  [3, 1.5, null],
  [2.75, 0.25, -1],
];
const parameters = { weights: WEIGHTS, epsilon: 2, sensitivity: 1 };

/** The exponential mechanism over all matchings by its definition, in doubles. */
function exponentialByDefinition(
  weights: EdgeWeights,
  epsilon: number,
  sensitivity: number,
): Map<string, number> {
  const sizes = everyMatching(weights).map((matching): [string, number] => [
    written(matching),
    Math.exp((epsilon * weightOf(weights, matching)) / (2 * sensitivity)),
  ]);
  const total = sizes.reduce((sum, [, size]) => sum + size, 0);
  return new Map(sizes.map(([key, size]) => [key, size / total]));
}

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

const families = [
  {
    name: 'greedy',
    mechanism: greedyMatching,
    distribution: greedyMatchingDistribution,
    definition: greedyByDefinition,
  },
  {
    name: 'exact exponential',
    mechanism: exponentialMatching,
    distribution: exponentialMatchingDistribution,
    definition: exponentialByDefinition,
  },
];

describe.each(families)('the $name mechanism', ({ name, mechanism, distribution, definition }) => {
  test('has the probabilities of its definition, on 100 random instances', () => {
    const draw = instances(`definition ${name}`);
    for (let run = 0; run < 100; run++) {
      const weights = randomWeights(draw, 1 + draw(3), 1 + draw(3));
      const [epsilon, sensitivity] = [(1 + draw(32)) / 8, (1 + draw(16)) / 8];
      const exact = chances(distribution({ weights, epsilon, sensitivity }));
      const expected = definition(weights, epsilon, sensitivity);
      expect([...exact.keys()].sort()).toEqual([...expected.keys()].sort());
      for (const [matching, probability] of expected)
        expect(exact.get(matching)).toBeCloseTo(probability, 12);
    }
  });

  test('fits them in a million draws, and noise that is 10 % too low does not', () => {
    const { matchings } = distribution(parameters);
    const exact = [...chances(distribution(parameters)).values()];
    expect(fits(exact, indices(matchings, mechanism(parameters)))).toBe(true);
    expect(fits(exact, indices(matchings, mechanism({ ...parameters, epsilon: 2.2 })), 100_000)).toBe(false);
  });

  test('draws the best matching where ε is large, however far apart weights are', () => {
    const weights = [
      ['1e9', '9e8'],
      ['9e8', '-1e30'],
    ];
    const choice = mechanism({ weights, epsilon: 1e6, sensitivity: 1 });
    // Greedily the 10^9 comes first, and leaves nothing but −10^30.
    expect(written(choice(seededRandomSource('far apart', 0)))).toBe(
      name === 'greedy' ? '0-0 1-1' : '0-1 1-0',
    );
  });

  test('releases pairs and nothing of their weights', () => {
    const [pair] = mechanism({ ...parameters, weights: [[5]], epsilon: 1000 })(
      seededRandomSource('pairs', 0),
    );
    expect(pair).toEqual({ click: 0, conversion: 0 });
  });
});

describe('differential privacy, by exact distributions', () => {
  type Distribution = (parameters: GreedyParameters) => MatchingDistribution;

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

  test.each<[string, Distribution, boolean]>([
    ['greedy, all edges moved', greedyMatchingDistribution, true],
    ['greedy, one click moved', greedyMatchingDistribution, false],
    ['exact exponential, one click moved', exponentialMatchingDistribution, false],
  ])('%s: P[o | x] ≤ e^ε·P[o | x′] on 300 random pairs of neighbours', (name, distribution, movesAll) => {
    const draw = instances(`neighbours ${name}`);
    for (let run = 0; run < 300; run++) {
      const sensitivity = (1 + draw(16)) / 8;
      const epsilon = (1 + draw(32)) / 8;
      const weights = randomWeights(draw, 1 + draw(3), 1 + draw(3));
      const other = neighbours(draw, weights, sensitivity, movesAll);
      const [one, two] = [weights, other].map((each) =>
        distribution({ weights: each, epsilon, sensitivity }),
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

  const verdict = (distribution: Distribution, pair: EdgeWeights[], spent: number, claimed: number): string =>
    privacyVerdict(
      pair.map((weights) => distribution({ weights, epsilon: spent, sensitivity: 1 }).probabilities),
      claimed,
    );

  test.each(families)('$name with noise that is a tenth too low is refuted', ({ distribution }) => {
    const pair = worst(1, 200, ['0-0']);
    expect(verdict(distribution, pair, 1, 1)).toBe('proved');
    expect(verdict(distribution, pair, 1.1, 1)).toBe('violated');
  });

  test('greedy in two steps is refuted if each spends all of ε, or together 10 % more', () => {
    const pair = worst(2, 60, ['0-0', '1-1']);
    expect(verdict(greedyMatchingDistribution, pair, 1, 1)).toBe('proved');
    expect(verdict(greedyMatchingDistribution, pair, 2, 1)).toBe('violated');
    expect(verdict(greedyMatchingDistribution, pair, 1.1, 1)).toBe('violated');
  });

  test('the exact exponential mechanism is refuted if all clicks move, for which Δ is not enough', () => {
    // Two clicks with fifty conversions each, the weight of two edges of a matching changing.
    expect(verdict(exponentialMatchingDistribution, worst(2, 50, ['0-0', '1-1']), 1, 1)).toBe('violated');
  });
});

describe('the Laplace mechanism', () => {
  const laplace: LaplaceParameters = {
    weights: [
      [1, 0.4],
      [0.5, null],
    ],
    epsilon: 3,
    sensitivity: 1,
    movedEdges: 2,
    grain: 1,
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

  test.each<[string, Partial<LaplaceParameters>, string]>([
    ['one edge per click', { movedEdges: 1, epsilon: 2 }, '1/2'],
    ['three edges per click', { movedEdges: 3, epsilon: 2 }, '3/2'],
    ['a grain that divides Δ', { grain: '0.25', sensitivity: '0.75' }, '2'],
    ['a grain that does not, for which Δ is rounded up', { grain: '0.5', sensitivity: '0.75' }, '4/3'],
    ['a grain above Δ', { grain: '10', sensitivity: '0.75' }, '2/3'],
  ])('has noise of scale Δ₁/ε in grains: %s', (_, change, scale) => {
    expect(laplaceScale({ ...laplace, ...change }).toString()).toBe(scale);
  });

  test('fits its distribution in a million draws, and noise that is 10 % too low does not', () => {
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
    expect(probabilities.reduce((a, b) => a + b)).toBeCloseTo(1, 8);
    expect(fits(probabilities, indices(all, laplaceMatching(laplace)))).toBe(true);
    expect(fits(probabilities, indices(all, laplaceMatching({ ...laplace, epsilon: 3.3 })), 100_000)).toBe(
      false,
    );
  });

  /** Whether P[o | x] ≤ e^ε·P[o | x′] for all o, either way; 10^−8 for the noise that is left out. */
  const keeps = (one: Map<string, number>, two: Map<string, number>, epsilon: number): boolean =>
    [
      [one, two],
      [two, one],
    ].every(([a, b]) => [...(a ?? [])].every(([o, p]) => p <= Math.exp(epsilon) * (b?.get(o) ?? 0) + 1e-8));

  test('is ε-differentially private, on 60 random pairs of neighbours', () => {
    const draw = instances('laplace neighbours');
    const whole = (): bigint => BigInt(draw(7) - 3);
    for (let run = 0; run < 60; run++) {
      // One click with two or three conversions, all edges of which move by up to a grain.
      const row = Array.from({ length: run % 10 === 0 ? 3 : 2 }, whole);
      const moved = row.map((weight) => weight + BigInt(draw(3) - 1));
      const epsilon = 2 + draw(16) / 8;
      const scale = laplaceScale({ epsilon, sensitivity: 1, movedEdges: row.length, grain: 1 }).toNumber();
      const [one, two] = [byAllNoise([row], scale), byAllNoise([moved], scale)];
      expect([row, moved, epsilon, keeps(one, two, epsilon)]).toEqual([row, moved, epsilon, true]);
    }
  });

  test('would not be if the noise were for one edge where two move', () => {
    const verdict = (movedEdges: number): boolean => {
      const scale = laplaceScale({ epsilon: 2, sensitivity: 1, movedEdges, grain: 1 }).toNumber();
      return keeps(byAllNoise([[0n, 4n]], scale), byAllNoise([[1n, 3n]], scale), 2);
    };
    expect(verdict(2)).toBe(true);
    expect(verdict(1)).toBe(false);
  });
});

describe('the value', () => {
  // 1.5 + 2.75 is more than 3 + 0.25. In grains of 0.1, 42.5 is 43; Δ = 0.25 is three of them.
  const GRAIN = Rational.of('0.1');
  const value = { weights: WEIGHTS, epsilon: 1.5, sensitivity: 0.25, grain: GRAIN };

  test('is that of the best matching, exact before it is rounded, with noise of scale ⌈Δ/g⌉/ε in grains', () => {
    expect(bestWeight(WEIGHTS)).toBe(4.25);
    expect(valueScale(value).toString()).toBe('2');
    const [best, reach] = [43, 20];
    const distance = (parameters: typeof value) => {
      const draw = matchingValue(parameters);
      return (random: Parameters<typeof draw>[0]): number => {
        const grains = draw(random).over(GRAIN).toNumber();
        return Math.max(-reach, Math.min(reach, grains - best)) + reach;
      };
    };
    expect(fits(discreteLaplaceProbabilities(2, reach), distance(value))).toBe(true);
    expect(fits(discreteLaplaceProbabilities(2, reach), distance({ ...value, epsilon: 1.65 }), 100_000)).toBe(
      false,
    );
    expect(
      fits(discreteLaplaceProbabilities(2, reach), distance({ ...value, weights: [[4.2]] }), 100_000),
    ).toBe(false);
  });

  test('moves by no more than an edge if one click moves, on 300 random pairs', () => {
    const draw = instances('value');
    for (let run = 0; run < 300; run++) {
      const weights = randomWeights(draw, 1 + draw(4), 1 + draw(4));
      const moved = draw(weights.length);
      const other = weights.map((row, click) =>
        row.map((weight) => (weight === null || click !== moved ? weight : weight + (draw(17) - 8) / 8)),
      );
      expect(Math.abs(bestWeight(weights) - bestWeight(other))).toBeLessThanOrEqual(1);
    }
  });
});
