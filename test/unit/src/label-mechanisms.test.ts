import { outputsFor, probabilities, type FiniteMechanism } from '../../../src/privacy/finite-distribution';
import { rrOnBins } from '../../../src/privacy/rr-on-bins';
import { rrWithPrior } from '../../../src/privacy/rr-with-prior';
import type { Loss } from '../../../src/privacy/bin-loss';
import { asNumber, fits, instances, privacyVerdict, type Verdict } from '../helpers/mechanisms';
import { worded } from '../helpers/throws';

/** A random prior of whole hundredths, some of them 0. */
function randomPrior(size: number, draw: (below: number) => number): string[] {
  const cuts = Array.from({ length: size - 1 }, () => draw(101)).sort((a, b) => a - b);
  return [...cuts, 100].map((cut, index) => `${cut - (cuts[index - 1] ?? 0)}/100`);
}

const asDoubles = (fractions: readonly string[]): number[] => fractions.map((text) => parseInt(text) / 100);

/** The verdict over all pairs of inputs. */
const verdictOf = (mechanism: FiniteMechanism<unknown>, inputs: number, epsilon: number): Verdict =>
  privacyVerdict(
    Array.from({ length: inputs }, (_, input) => probabilities(mechanism.weights(input))),
    epsilon,
  );

/** Draws of the mechanism as indices into its outputs. */
const draws = (mechanism: FiniteMechanism<number>, input: number): ReturnType<typeof outputsFor<number>> =>
  outputsFor({ outputs: mechanism.outputs.map((_, index) => index), weights: mechanism.weights }, input);

describe('randomized response with a prior', () => {
  /** The probability of the truth with the k likeliest labels, by its formula. */
  function truthProbability(prior: readonly number[], k: number, epsilon: number): number {
    const likeliest = [...prior].sort((a, b) => b - a).slice(0, k);
    return (likeliest.reduce((a, b) => a + b, 0) * Math.exp(epsilon)) / (Math.exp(epsilon) + k - 1);
  }

  test('takes the k of an exhaustive search, and is ε-differentially private, on 300 random priors', () => {
    const draw = instances('prior');
    for (let run = 0; run < 300; run++) {
      const prior = randomPrior(1 + draw(12), draw);
      const epsilon = (1 + draw(48)) / 8;
      const mechanism = rrWithPrior(prior, epsilon);
      const each = prior.map((_, index) => truthProbability(asDoubles(prior), index + 1, epsilon));
      expect(each[mechanism.k - 1]).toBeGreaterThanOrEqual(Math.max(...each) * (1 - 1e-12));
      // The truth is exactly e^ε times as likely as a lie, which intervals can neither prove nor refute.
      expect(verdictOf(mechanism, prior.length, epsilon)).not.toBe('violated');
      if (mechanism.k > 1) expect(verdictOf(mechanism, prior.length, epsilon * 0.9375)).toBe('violated');
    }
  });

  test.each([
    // Of (0.8, e^ε/(e^ε + 1)) and (1, e^ε/(e^ε + 2)): 0.585 and 0.576 at ε = 1, 0.7046 and 0.787 at ε = 2.
    [['0.2', '0.5', '0.3'], 1, [1, 2]],
    [['0.2', '0.5', '0.3'], 2, [1, 2, 0]],
    [['0.25', '0.25', '0.25', '0.25'], 0.01, [0, 1, 2, 3]],
    [['0', '1', '0'], 5, [1]],
  ])('for the prior %p and ε = %s gives labels %p', (prior, epsilon, labels) => {
    expect(rrWithPrior(prior, epsilon).outputs).toEqual(labels);
  });

  test('gives the probabilities of the paper, in many draws too', () => {
    const mechanism = rrWithPrior(['0.2', '0.5', '0.3'], 1);
    const truth = Math.E / (Math.E + 1);
    expect(fits([1 - truth, truth], draws(mechanism, 2))).toBe(true);
    expect(fits([0.5, 0.5], draws(mechanism, 0))).toBe(true); // a label that cannot be an output
    expect(fits([1 - truth, truth], draws(rrWithPrior(['0.2', '0.5', '0.3'], 1.1), 2))).toBe(false);
  });
});

describe('randomized response on bins', () => {
  const losses: Record<Loss, (output: number, truth: number) => number> = {
    squared: (output, truth) => (output - truth) ** 2,
    absolute: (output, truth) => Math.abs(output - truth),
    poisson: (output, truth) => output - (truth === 0 ? 0 : truth * Math.log(output)),
  };

  interface Instance {
    readonly values: readonly number[];
    readonly prior: readonly number[];
    readonly epsilon: number;
    readonly loss: Loss;
  }

  /** The least loss of any cut into intervals, each with its best output: the mean, or for absolute loss one of the values. */
  function exhaustive({ values, prior, epsilon, loss }: Instance): number {
    let best = Infinity;
    for (let cut = 0; cut < 2 ** (values.length - 1); cut++) {
      let bin = 0;
      const bins = values.map((_, index) => (index > 0 && ((cut >> (index - 1)) & 1) === 1 ? ++bin : bin));
      let total = 0;
      for (let own = 0; own <= bin; own++) {
        const weights = prior.map((p, index) => p * (bins[index] === own ? Math.exp(epsilon) : 1));
        const cost = (output: number): number =>
          weights.reduce(
            (sum, weight, index) =>
              sum + (weight === 0 ? 0 : weight * losses[loss](output, values[index] ?? NaN)),
            0,
          );
        const mean =
          weights.reduce((sum, weight, index) => sum + weight * (values[index] ?? NaN), 0) /
          weights.reduce((a, b) => a + b, 0);
        total += loss === 'absolute' ? Math.min(...values.map(cost)) : cost(mean);
      }
      best = Math.min(best, total / (Math.exp(epsilon) + bin));
    }
    return best;
  }

  /** The mechanism's true expected loss, from its outputs and certified probabilities. */
  function realLoss({ values, prior, loss }: Instance, mechanism: FiniteMechanism<number>): number {
    return values.reduce((sum, truth, input) => {
      const chances = probabilities(mechanism.weights(input)).map(asNumber);
      const expected = chances.reduce(
        (inner, chance, index) => inner + chance * losses[loss](mechanism.outputs[index] ?? NaN, truth),
        0,
      );
      return sum + ((prior[input] ?? 0) === 0 ? 0 : (prior[input] ?? 0) * expected);
    }, 0);
  }

  test.each<Loss>(['squared', 'absolute', 'poisson'])(
    'loses as little as an exhaustive search finds, and is ε-differentially private: %s loss',
    (loss) => {
      const draw = instances(`bins ${loss}`);
      for (let run = 0; run < 100; run++) {
        const size = run < 3 ? 12 : 1 + draw(8);
        const prior = randomPrior(size, draw);
        const values = Array.from(
          { length: size },
          (_, index) => index * 4 + draw(4) + (loss === 'poisson' ? 1 : -9),
        );
        const epsilon = (1 + draw(40)) / 8;
        const instance = { values, prior: asDoubles(prior), epsilon, loss };
        const mechanism = rrOnBins(values, prior, loss, epsilon);
        const least = exhaustive(instance);
        const tolerance = 1e-9 * Math.max(1, Math.abs(least));
        expect(Math.abs(mechanism.expectedLoss - least)).toBeLessThan(tolerance);
        expect(Math.abs(realLoss(instance, mechanism) - least)).toBeLessThan(tolerance);
        expect(verdictOf(mechanism, size, epsilon)).not.toBe('violated');
        if (mechanism.bins.length > 1) expect(verdictOf(mechanism, size, epsilon * 0.9375)).toBe('violated');
      }
    },
  );

  test('gives every input its bin, in whatever order the values come', () => {
    const forwards = rrOnBins([0, 1, 10, 11], ['1/4', '1/4', '1/4', '1/4'], 'absolute', 3);
    const backwards = rrOnBins([11, 10, 1, 0], ['1/4', '1/4', '1/4', '1/4'], 'absolute', 3);
    expect(backwards.outputs).toEqual(forwards.outputs);
    expect(backwards.bins.map(({ members }) => members.map((member) => 3 - member).sort())).toEqual(
      forwards.bins.map(({ members }) => [...members].sort()),
    );
  });

  test('fits in many draws, and noise that is 10 % too low does not', () => {
    const quarter = ['1/4', '1/4', '1/4', '1/4'];
    const mechanism = rrOnBins([0, 1, 10, 11], quarter, 'squared', 2);
    expect(mechanism.bins.map(({ members }) => members)).toEqual([
      [0, 1],
      [2, 3],
    ]);
    const truth = Math.exp(2) / (Math.exp(2) + 1);
    expect(fits([1 - truth, truth], draws(mechanism, 3))).toBe(true);
    expect(fits([1 - truth, truth], draws(rrOnBins([0, 1, 10, 11], quarter, 'squared', 2.2), 3))).toBe(false);
  });

  test('with poisson loss refuses what cannot be a count', () => {
    expect(worded(() => rrOnBins([-1, 1], ['0.5', '0.5'], 'poisson', 1))).toThrow(
      'values[0] must be at least 0 for the poisson loss, was -1',
    );
    expect(rrOnBins([0, 1], ['1', '0'], 'poisson', 1).outputs).toEqual([0]);
  });
});
