import { belief, beliefDespite } from '../../../analysis/audit/belief';
import { shownEstimate } from '../../../analysis/estimate/result/result-json';
import { estimatedShare, STATES, tossMany, tossOdds } from '../../../extension/site/toss-run';
import { epsilon } from '../../../src/model/units';
import { responseDigits } from '../../../extension/pages/explain/response-digits';
import { seededRandomSource } from '../../../analysis/random/sources';

describe('the toss', () => {
  it.each([0.1, 1, 8])('has the exact probabilities at ε = %d', (of) => {
    const { replaced, truth, other } = tossOdds(of);
    const exact = responseDigits(STATES, epsilon(of), 17);
    expect(replaced).toBeCloseTo(Number(exact.replaced), 12);
    expect(truth).toBeCloseTo(Number(exact.truth), 12);
    expect(other).toBeCloseTo(Number(exact.other), 12);
  });

  it('estimates without bias', () => {
    const people = 20_000;
    const share = 0.1;
    const points = tossMany(seededRandomSource('toss', 1), 1, share, { people, step: 5000 });
    expect(points.map(({ tosses }) => tosses)).toEqual([5000, 10_000, 15_000, 20_000]);
    const { replaced, other } = tossOdds(1);
    const { observed = NaN, estimate = NaN } = points.at(-1) ?? {};
    // The standard error is at most this; six of them have a probability below 1e-8.
    const error = Math.sqrt(0.25 / people);
    expect(Math.abs(observed - (share * (1 - replaced) + other))).toBeLessThan(6 * error);
    expect(Math.abs(estimate - share)).toBeLessThan((6 * error) / (1 - replaced));
  });
});

describe('what the tosses say', () => {
  const people = 10_000;
  const at = (of: number, observed: number): ReturnType<typeof estimatedShare> =>
    estimatedShare({ tosses: people, observed, estimate: NaN }, of);

  it('is possible, and inside an interval with a width, though the unbiased share is below 0', () => {
    const found = at(0.1, 0.3);
    expect(found.estimate).toBeLessThan(-0.5);
    expect(shownEstimate(found)).toBe(0);
    expect(found.interval[0]).toBe(0);
    expect(found.interval[1]).toBeGreaterThan(0.1);
    expect(found.interval[1]).toBeLessThan(1);
  });

  it('is nothing if any share is possible', () => {
    expect(shownEstimate(at(0.01, 0.34))).toBeNaN();
  });

  it('has an interval that holds the truth', () => {
    for (const of of [0.1, 1, 8]) {
      const { replaced, other } = tossOdds(of);
      // Exactly as many as on average: the truth is in the middle.
      const [low, high] = at(of, 0.1 * (1 - replaced) + other).interval;
      expect(low).toBeLessThan(0.1);
      expect(high).toBeGreaterThan(0.1);
    }
  });
});

describe('belief after a report', () => {
  /** By Bayes' rule, with the exact probabilities of k states and a prior over them. */
  const posterior = (states: bigint, of: number, prior: number): number => {
    const { truth, other } = responseDigits(states, epsilon(of), 17);
    return (prior * Number(truth)) / (prior * Number(truth) + (1 - prior) * Number(other));
  };

  it.each([
    [2n, 1, 0.02],
    [3n, 1, 0.5],
    [2925n, 14, 0.001],
  ])('of %d states at ε = %d is what Bayes’ rule says', (states, of, prior) => {
    expect(belief(prior, of, 1)).toBeCloseTo(posterior(states, of, prior), 12);
    expect(beliefDespite(prior, of, 1)).toBeCloseTo(1 - posterior(states, of, 1 - prior), 12);
  });

  it('grows with each report, and at ε = 0 stays', () => {
    expect(belief(0.02, 1, 2)).toBeCloseTo(posterior(3n, 1, posterior(3n, 1, 0.02)), 12);
    expect(belief(0.02, 0, 9)).toBeCloseTo(0.02, 12);
  });
});

/** By Pascal's rule: the probabilities of 0 … n of n, each with this chance. */
function binomial(n: number, chance: number): readonly number[] {
  let odds = [1];
  for (let trial = 0; trial < n; trial++)
    odds = [...odds, 0].map((of, count) => of * (1 - chance) + (odds[count - 1] ?? 0) * chance);
  return odds;
}

test.each([0.1, 1, 8])('the interval of the tosses at ε = %d holds the truth as often as it says', (of) => {
  const [people, buyers] = [400, 40];
  const { truth, other } = tossOdds(of);
  const rest = binomial(people - buyers, other);
  const purchases = new Array<number>(people + 1).fill(0);
  binomial(buyers, truth).forEach((odds, own) =>
    rest.forEach((more, number) => {
      purchases[own + number] = (purchases[own + number] ?? 0) + odds * more;
    }),
  );
  const held = purchases.reduce((sum, odds, count) => {
    const [low, high] = estimatedShare(
      { tosses: people, observed: count / people, estimate: NaN },
      of,
    ).interval;
    return low <= buyers / people && buyers / people <= high ? sum + odds : sum;
  }, 0);
  expect(held).toBeGreaterThan(0.94);
});
