import { isNegative, minimise, type Column, type Price, type RowPrices } from './exact-simplex';
import type { FiniteMechanism } from './finite-distribution';
import { epsilonParameter, priorParameter, valuesParameter } from './parameters';
import { overCommonDenominator, Rational, sum, type Exact } from './rational';
import { exponentialOfMinus, rationalBounds } from './real-bounds';

export interface UnbiasedRandomizer extends FiniteMechanism<Rational> {
  /** The exact probability of each output for an input. */
  readonly probabilities: (input: number) => readonly Rational[];
  /** E[(output − truth)²] under the prior. */
  readonly variance: Rational;
}

/** Steps of the output grid from its least to its greatest output. */
const GRID_STEPS = 64n;

/**
 * The optimal unbiased randomizer (Badanidiyuru et al. 2023, "Optimal unbiased randomizers for regression with label differential
 * privacy"); see docs/noise.md. Inputs are indices of values.
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
  const q = rationalAbove(exactEpsilon);
  const programme = new Programme(support, weights, q);
  const { columns, denominator, feasible } = minimise(programme.rightHandSide, (prices) =>
    programme.offer(prices),
  );
  if (!feasible) throw new Error('debiased randomized response is a solution, but none was found');

  const outputs = programme.outputs.filter((output) =>
    columns.some(({ column }) => column.output === output),
  );
  const probabilities = support.map((_, input) =>
    outputs.map(({ numerator }) => {
      const amounts = columns.filter(({ column }) => column.output.numerator === numerator);
      const total = amounts.reduce(
        (total, { column, amount }) => total + amount * (column.entries[input] ?? 0n),
        0n,
      );
      return Rational.fraction(total, denominator);
    }),
  );
  const exactOutputs = outputs.map(({ value }) => value);
  return {
    outputs: exactOutputs,
    probabilities: (input) => probabilities[input] ?? [],
    weights: (input) => (probabilities[input] ?? []).map(rationalBounds),
    variance: expectedSquare(support, weights, exactOutputs, probabilities),
  };
}

/** A rational q with e^−ε ≤ q < 1 that differs from e^−ε by less than 2^−53 and less than 2^−53·ε. */
function rationalAbove(epsilon: Rational): Rational {
  const power = exponentialOfMinus(rationalBounds(epsilon));
  const [size, inverse] = [epsilon.numerator, epsilon.denominator].map((part) => part.toString(2).length);
  const bits = 56 + Math.max(0, (inverse ?? 0) - (size ?? 0));
  return Rational.fraction(power(bits).upper, 1n << BigInt(bits));
}

interface Output {
  /** In units of 1/denominator of the grid, from the least value. */
  readonly numerator: bigint;
  readonly value: Rational;
}

interface Pattern extends Column {
  readonly output: Output;
}

class Programme {
  readonly outputs: readonly Output[];
  readonly rightHandSide: readonly bigint[];
  /** The truth of each input in units of the grid, from the least value. */
  private readonly truths: readonly bigint[];
  private readonly prior: readonly bigint[];
  /** The two levels of a pattern, q and 1, times their common denominator. */
  private readonly low: bigint;
  private readonly high: bigint;

  constructor(support: readonly Rational[], prior: readonly Rational[], q: Rational) {
    this.low = q.numerator;
    this.high = q.denominator;
    this.prior = overCommonDenominator(prior).numerators;
    const least = support.reduce((a, b) => (a.compare(b) < 0n ? a : b));
    const { numerators, denominator } = overCommonDenominator(support.map((value) => value.minus(least)));
    // Randomized response outputs y_i with probability 1/(1 + (k − 1)·q) if it is the truth, else q times that. It becomes
    // unbiased with ((1 + (k − 1)·q)·y_i − q·Σ y)/(1 − q) in place of y_i. So the grid's unit is 1/(1 − q) of the values'.
    const unit = this.high - this.low;
    const total = numerators.reduce((a, b) => a + b, 0n);
    const response = numerators.map(
      (value) => (this.high + BigInt(support.length - 1) * this.low) * value - this.low * total,
    );
    this.truths = numerators.map((value) => value * unit);
    this.outputs = grid([...response, ...this.truths]).map((numerator) => ({
      numerator,
      value: Rational.fraction(numerator, denominator * unit).plus(least),
    }));
    this.rightHandSide = [...support.map(() => 1n), ...this.truths];
  }

  /** The pattern with the lowest reduced price; each input's level is chosen independently. */
  offer({ rows, denominator }: RowPrices): Pattern | null {
    let best: { readonly output: Output; readonly price: Price; readonly levels: readonly bigint[] } | null =
      null;
    for (const output of this.outputs) {
      const price = { infeasibility: 0n, cost: 0n };
      const levels = this.truths.map((truth, input) => {
        const unit = this.unitPrice(output, truth, input, rows, denominator);
        const level = isNegative(unit) ? this.high : this.low;
        price.infeasibility += level * unit.infeasibility;
        price.cost += level * unit.cost;
        return level;
      });
      if (isNegative(price) && (best === null || isNegative(difference(price, best.price))))
        best = { output, price, levels };
    }
    return best === null ? null : this.column(best.output, best.levels);
  }

  /** Per unit of likelihood of an output for an input: its cost minus what it earns in its two rows. */
  private unitPrice(
    { numerator }: Output,
    truth: bigint,
    input: number,
    rows: readonly Price[],
    denominator: bigint,
  ): Price {
    const [one, mean] = [rows[input], rows[input + this.truths.length]];
    if (one === undefined || mean === undefined) throw new RangeError(`there is no input ${input}`);
    return {
      infeasibility: -one.infeasibility - numerator * mean.infeasibility,
      cost: this.unitCost(numerator, truth, input) * denominator - one.cost - numerator * mean.cost,
    };
  }

  private unitCost(numerator: bigint, truth: bigint, input: number): bigint {
    return (this.prior[input] ?? 0n) * (numerator - truth) ** 2n;
  }

  private column(output: Output, levels: readonly bigint[]): Pattern {
    return {
      output,
      entries: [...levels, ...levels.map((level) => level * output.numerator)],
      cost: levels.reduce(
        (total, level, input) =>
          total + level * this.unitCost(output.numerator, this.truths[input] ?? 0n, input),
        0n,
      ),
    };
  }
}

const difference = (a: Price, b: Price): Price => ({
  infeasibility: a.infeasibility - b.infeasibility,
  cost: a.cost - b.cost,
});

function grid(points: readonly bigint[]): bigint[] {
  const least = points.reduce((a, b) => (a < b ? a : b));
  const greatest = points.reduce((a, b) => (a > b ? a : b));
  const steps = Array.from(
    { length: Number(GRID_STEPS) },
    (_, step) => least + (BigInt(step) * (greatest - least)) / GRID_STEPS,
  );
  return [...new Set([...points, ...steps])].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
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
