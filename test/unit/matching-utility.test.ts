import {
  countMatchings,
  exponentialMatching,
  exponentialMatchingDistribution,
  greedyMatching,
  greedyMatchingBound,
  greedyMatchingDistribution,
  laplaceMatching,
  laplaceMatchingBound,
  laplaceScale,
  matchingValue,
  matchingValueBound,
  valueScale,
  type EdgeWeights,
  type MatchingDistribution,
} from '../../src/attribution/matching';
import { graphParameter } from '../../src/attribution/matching/graph';
import { utilityBound } from '../../src/attribution/private-choice';
import { seededRandomSource, type RandomSource } from '../../src/privacy/random-source';
import { bestWeight, randomWeights, weightOf } from './helpers/matchings';
import { asNumber, instances } from './helpers/mechanisms';

const DRAWS = 10_000;

/**
 * Whether what the theory allows with probability β at most happens in more of the draws than chance explains. Its count is then at
 * most binomial with mean n·β; where that is 100 or more, 6 standard deviations are exceeded with probability below 10^−6 (Chernoff:
 * e^(−n·β·((1 + u)·ln(1 + u) − u)) with u = 0.6 is 3·10^−7).
 */
function exceeds(beta: number, beyond: (random: RandomSource) => boolean): boolean {
  const random = seededRandomSource('bounds', 0);
  let count = 0;
  for (let drawn = 0; drawn < DRAWS; drawn++) if (beyond(random)) count += 1;
  return count > DRAWS * beta + 6 * Math.sqrt(DRAWS * beta * (1 - beta));
}

/** One click, one conversion that is better than 19 others by `lead`: what is chosen is right or loses all of the lead. */
const oneLeads = (lead: number): EdgeWeights => [[lead, ...Array<number>(19).fill(0)]];

/** Four clicks whose conversions overlap. */
const FOUR = randomWeights(instances('four'), 4, 4, { least: 0, range: 400, missing: 8 });
const EDGES = FOUR.flat().filter((weight) => weight !== null).length;

describe('the Laplace matching', () => {
  const base = { epsilon: 2, sensitivity: 1, movedEdges: 4, grain: '0.3' };
  const boundOf = (pairs: number, edges: number, beta: number): number =>
    laplaceMatchingBound(pairs, edges, laplaceScale(base).toNumber(), 0.3, beta);

  const beyond = (weights: EdgeWeights, bound: number, epsilon: number) => {
    const draw = laplaceMatching({ ...base, weights, epsilon });
    const best = bestWeight(weights);
    return (random: RandomSource): boolean => weightOf(weights, draw(random)) < best - bound;
  };

  test('has the bound of its formula', () => {
    // ⌈Δ/g⌉ = 4, so Δ₁ = 16 grains and b = 8; a = ⌈8·ln(20/0.01)⌉ = 61.
    expect(boundOf(1, 20, 0.01)).toBeCloseTo(0.3 * 123, 9);
  });

  test.each([0.1, 0.01])('loses more with probability %d at most', (beta) => {
    const single = boundOf(1, 20, beta);
    expect(exceeds(beta, beyond(oneLeads(single + 0.01), single, 2))).toBe(false);
    expect(exceeds(beta, beyond(FOUR, boundOf(4, EDGES, beta), 2))).toBe(false);
  });

  test('would lose more with a third of ε', () => {
    const single = boundOf(1, 20, 0.01);
    expect(exceeds(0.01, beyond(oneLeads(single + 0.01), single, 2 / 3))).toBe(true);
  });
});

/** The probability of a matching that weighs less than `least`. */
const below = (
  { matchings, probabilities }: MatchingDistribution,
  weights: EdgeWeights,
  least: number,
): number =>
  probabilities.reduce(
    (sum, probability, index) =>
      sum + (weightOf(weights, matchings[index] ?? []) < least ? asNumber(probability) : 0),
    0,
  );

describe('the exact exponential mechanism', () => {
  test.each([0.1, 1, 3])(
    'falls short by more than 2Δ·(ln|M| + k)/ε with probability e^−k at most: k = %d',
    (k) => {
      const draw = instances(`exponential ${k}`);
      for (let run = 0; run < 60; run++) {
        const weights = randomWeights(draw, 1 + draw(3), 1 + draw(3), { range: 80 });
        const [epsilon, sensitivity] = [(4 + draw(64)) / 8, (1 + draw(8)) / 8];
        const count = Number(countMatchings(graphParameter(weights), 10n ** 9n));
        const { loss, probabilityOfMore } = utilityBound(count, sensitivity, epsilon, k);
        const distribution = exponentialMatchingDistribution({ weights, epsilon, sensitivity });
        expect(below(distribution, weights, bestWeight(weights) - loss)).toBeLessThanOrEqual(
          probabilityOfMore,
        );
      }
    },
  );

  test('so do its draws, and more of them with half of ε', () => {
    // 20 edges and the empty matching.
    const { loss, probabilityOfMore } = utilityBound(21, 1, 2, 1);
    const weights = oneLeads(loss + 0.001);
    const beyond = (epsilon: number) => {
      const draw = exponentialMatching({ weights, epsilon, sensitivity: 1 });
      return (random: RandomSource): boolean => weightOf(weights, draw(random)) < 0.001;
    };
    expect(exceeds(probabilityOfMore, beyond(2))).toBe(false);
    expect(exceeds(probabilityOfMore, beyond(1))).toBe(true);
  });
});

describe('the greedy matching', () => {
  test.each([0.5, 0.1, 0.01])(
    'is half as good as the best, less the bound, but for a probability of %d',
    (beta) => {
      const draw = instances(`greedy ${beta}`);
      let possible = 0;
      for (let run = 0; run < 60; run++) {
        const weights = randomWeights(draw, 1 + draw(3), 1 + draw(3), { least: 0, range: 80 });
        const [epsilon, sensitivity] = [(16 + draw(64)) / 4, (1 + draw(8)) / 8];
        const steps = Math.min(weights.length, weights[0]?.length ?? 0);
        const edges = weights.flat().filter((weight) => weight !== null).length;
        const bound = greedyMatchingBound(steps, edges, sensitivity, epsilon, beta);
        const least = bestWeight(weights) / 2 - bound;
        if (least > 0) possible += 1;
        const distribution = greedyMatchingDistribution({ weights, epsilon, sensitivity });
        expect(below(distribution, weights, least)).toBeLessThanOrEqual(beta);
      }
      // The bound says something of most instances.
      expect(possible).toBeGreaterThan(30);
    },
  );

  test('cannot be promised to be better than half as good', () => {
    // The heaviest edge takes the place of two that are hardly lighter.
    const weights = [
      [1001, 1000],
      [1000, 0],
    ];
    const matching = greedyMatching({ weights, epsilon: 1e6, sensitivity: 1 })(seededRandomSource('half', 0));
    expect([weightOf(weights, matching), bestWeight(weights)]).toEqual([1001, 2000]);
  });

  test('so are its draws, and fewer of them with half of ε', () => {
    const beta = 0.1;
    // OPT/2 is just above the bound, so that all but the leading edge are beyond it.
    const bound = greedyMatchingBound(1, 20, 1, 2, beta);
    const weights = oneLeads(2 * bound + 0.001);
    const beyond = (epsilon: number) => {
      const draw = greedyMatching({ weights, epsilon, sensitivity: 1 });
      return (random: RandomSource): boolean => weightOf(weights, draw(random)) < 0.0005;
    };
    expect(exceeds(beta, beyond(2))).toBe(false);
    expect(exceeds(beta, beyond(1))).toBe(true);
  });
});

describe('the released value', () => {
  const parameters = { weights: FOUR, epsilon: 2, sensitivity: 1, grain: '0.3' };
  const off = (epsilon: number, bound: number) => {
    const draw = matchingValue({ ...parameters, epsilon });
    const best = bestWeight(FOUR);
    return (random: RandomSource): boolean => Math.abs(draw(random).toNumber() - best) > bound + 1e-9;
  };

  test.each([0.5, 0.1, 0.01])(
    'is off by more than its bound with probability %d at most, and often with half of ε',
    (beta) => {
      const bound = matchingValueBound(valueScale(parameters).toNumber(), 0.3, beta);
      expect(exceeds(beta, off(2, bound))).toBe(false);
      expect(exceeds(beta, off(1, bound))).toBe(true);
    },
  );

  test('has the bound of its formula', () => {
    // ⌈1/0.3⌉ = 4 grains, b = 2, a = ⌈2·ln 100⌉ = 10.
    expect(matchingValueBound(2, 0.3, 0.01)).toBeCloseTo(3.15, 12);
  });
});
