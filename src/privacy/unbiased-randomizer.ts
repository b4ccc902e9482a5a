import { minimise } from './exact-simplex';
import type { FiniteMechanism } from './finite-distribution';
import { mistake } from '../model/mistakes';
import { epsilonParameter, ParameterError, priorParameter, valuesParameter } from './parameters';
import { Rational, sum, type Exact } from './rational';
import { exponentialOfMinus, rationalBounds } from './real-bounds';
import { UnbiasedProgramme } from './unbiased-programme';

/** The linear programme takes some two seconds with so many values, and many with sixteen. */
export const MAX_UNBIASED_VALUES = 12;

export interface UnbiasedRandomizer extends FiniteMechanism<Rational> {
  /** The exact probability of each output for an input. */
  readonly probabilities: (input: number) => readonly Rational[];
  /** E[(output − truth)²] under the prior. */
  readonly variance: Rational;
  /** At most by so much the variance is above the least possible with real outputs. */
  readonly gap: Rational;
}

/**
 * The optimal unbiased randomizer (Badanidiyuru et al. 2023, "Optimal unbiased randomizers for regression with label differential
 * privacy"); see docs/mechanisms.md. Inputs are indices of values.
 * All is rational: with a rational q ≥ e^−ε, outputs are at most 1/q ≤ e^ε times as likely for one input as for another. For one
 * output, these likelihoods are positive sums of patterns that are q or 1 for each input (the staircases of Kairouz, Oh &
 * Viswanath 2016). So the linear programme needs no inequalities: its variables are (output, pattern) pairs, and its rows say
 * that the probabilities for each input sum to one and average to the truth.
 * @throws ParameterError for parameters out of range.
 */
export function unbiasedRandomizer(
  values: readonly Exact[],
  prior: readonly Exact[],
  epsilon: Exact,
): UnbiasedRandomizer {
  const exactEpsilon = epsilonParameter(epsilon);
  const weights = priorParameter(prior);
  const support = valuesParameter(values, weights);
  const [max, count] = [MAX_UNBIASED_VALUES, support.length];
  if (count > max) throw new ParameterError('values', mistake('too-many-items', { max, count }));
  const programme = new UnbiasedProgramme(support, weights, rationalAbove(exactEpsilon));
  const { columns, denominator } = minimise(programme.rightHandSide, programme.start, (prices) =>
    programme.offer(prices),
  );
  const used = columns.filter(({ amount }) => amount > 0n);
  const outputs = [...new Set(used.map(({ column }) => column.output))].sort((a, b) => (a < b ? -1 : 1));
  const probabilities = support.map((_, input) =>
    outputs.map((output) => {
      const total = used
        .filter(({ column }) => column.output === output)
        .reduce((total, { column, amount }) => total + amount * (column.levels[input] ?? 0n), 0n);
      return Rational.fraction(total, denominator * programme.certainty);
    }),
  );
  const exactOutputs = outputs.map((output) => programme.valueOf(output));
  return {
    outputs: exactOutputs,
    probabilities: (input) => probabilities[input] ?? [],
    weights: (input) => (probabilities[input] ?? []).map(rationalBounds),
    variance: expectedSquare(support, weights, exactOutputs, probabilities),
    gap: programme.gap,
  };
}

/** A rational q with e^−ε ≤ q < 1 that differs from e^−ε by less than 2^−40 and less than 2^−40·ε. */
function rationalAbove(epsilon: Rational): Rational {
  const power = exponentialOfMinus(rationalBounds(epsilon));
  const [size, inverse] = [epsilon.numerator, epsilon.denominator].map((part) => part.toString(2).length);
  const bits = 43 + Math.max(0, (inverse ?? 0) - (size ?? 0));
  return Rational.fraction(power(bits).upper, 1n << BigInt(bits));
}

const expectedSquare = (
  support: readonly Rational[],
  prior: readonly Rational[],
  outputs: readonly Rational[],
  probabilities: readonly (readonly Rational[])[],
): Rational =>
  sum(
    support.map((truth, input) => {
      const squares = outputs.map((output, index) => {
        const error = output.minus(truth);
        return error.times(error).times(probabilities[input]?.[index] ?? Rational.ZERO);
      });
      return sum(squares).times(prior[input] ?? Rational.ZERO);
    }),
  );
