import type { EdgeWeights } from '../../../analysis/matching/graph';
import { greedyMatching } from '../../../analysis/matching/greedy';
import {
  GRAINS_PER_SENSITIVITY,
  laplaceMatching,
  laplaceScale,
} from '../../../analysis/matching/noisy-weights';
import { type RandomSource } from '../../../src/privacy/random-source';
import { greedyMatchingDistribution, type MatchingDistribution } from '../helpers/greedy-distribution';
import { isLong } from '../helpers/is-long';
import { bestWeight, randomWeights, weightOf } from '../helpers/matchings';
import { asNumber, instances } from '../helpers/mechanisms';
import { seededRandomSource } from '../../../analysis/random/sources';

/* The bounds of docs/matching.md. */

/**
 * With probability 1 − β at least, the true weight of the Laplace matching is at least that of the best matching less this.
 *
 * For whole a, discrete Laplace noise z of scale b has P[|z| > a] = 2·r^(a+1)/(1 + r) ≤ r^a with r = e^(−1/b), for 2r ≤ 1 + r. So
 * with a = ⌈b·ln(E/β)⌉ none of E edges has noise beyond a, but with probability E·e^(−a/b) ≤ β. Then the chosen matching, of greatest
 * noisy weight, falls short of the best one in rounded weight by the noise of both at most, each of m edges at most: 2m·a
 * grains. Rounding adds half a grain for each of these edges: m·(2a + 1) grains in all.
 * @param pairs m, how many pairs a matching has at most: min(clicks, conversions).
 * @param edges E.
 * @param most how many edges a click has at most.
 */
function laplaceMatchingBound(
  pairs: number,
  edges: number,
  most: bigint,
  { sensitivity, epsilon }: { readonly sensitivity: number; readonly epsilon: number },
  beta: number,
): number {
  const grain = sensitivity / Number(GRAINS_PER_SENSITIVITY);
  const scale = laplaceScale(most * GRAINS_PER_SENSITIVITY, epsilon).toNumber();
  return pairs * grain * (2 * Math.ceil(scale * Math.log(edges / beta)) + 1);
}

/**
 * With probability 1 − β at least, the greedy matching weighs at least half of what the best matching does less this, if no weight is
 * negative.
 *
 * Of s steps each picks an edge that weighs less than the greatest free one by more than α = 2Δ·ln(E·s/β)/ε_step with probability
 * β/s at most (the exponential mechanism's bound with k = ln(s/β)). In the end each edge of the best matching shares an end with a
 * picked one, or is one; charge it to the first of these. It was still free then, so it weighs at most α more; and a picked edge has
 * two ends, so it is charged twice at most. Hence OPT ≤ 2·W + s·α, and with ε_step = ε/s, W ≥ OPT/2 − Δ·s²·ln(E·s/β)/ε.
 * @param steps s = min(clicks, conversions).
 * @param edges E.
 */
const greedyMatchingBound = (
  steps: number,
  edges: number,
  sensitivity: number,
  epsilon: number,
  beta: number,
): number => (sensitivity * steps ** 2 * Math.log((edges * steps) / beta)) / epsilon;

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

/** How many edges a click of these has at most. */
const MOST = BigInt(Math.max(...FOUR.map((row) => row.filter((weight) => weight !== null).length)));

describe('the Laplace matching', () => {
  const base = { epsilon: 2, sensitivity: 1 };
  const singleBound = (beta: number): number => laplaceMatchingBound(1, 20, 20n, base, beta);

  const beyond = (weights: EdgeWeights, bound: number, epsilon: number) => {
    const draw = laplaceMatching({ ...base, weights, epsilon });
    const best = bestWeight(weights);
    return (random: RandomSource): boolean => weightOf(weights, draw(random)) < best - bound;
  };

  test('has the bound of its formula', () => {
    // b = 20·1024/2 and a = ⌈b·ln(20/0.01)⌉ = 77,834; twice that and one, over 1024.
    expect(singleBound(0.01)).toBeCloseTo(155_669 / 1024, 9);
  });

  test.each(isLong ? [0.1, 0.01] : [0.01])('loses more with probability %d at most', (beta) => {
    const single = singleBound(beta);
    expect(exceeds(beta, beyond(oneLeads(single + 0.01), single, 2))).toBe(false);
    const several = laplaceMatchingBound(4, EDGES, MOST, base, beta);
    expect(exceeds(beta, beyond(FOUR, several, 2))).toBe(false);
  });

  if (isLong)
    test('would lose more with a third of ε', () => {
      const single = singleBound(0.01);
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
