import { probability, type Epsilon, type Probability } from '../../../src/model/units';

/**
 * How randomization maps a source's truth to an observation, as seen by one quantity. Truths and outputs are grouped into classes of equal
 * value. Confidence intervals are computed from it.
 */
export interface Channel {
  /** The value of each class of truths. */
  readonly truths: readonly number[];
  /** A first guess at each class's share of the sources. */
  readonly guess: readonly number[];
  /** The value observed for each class of outputs. */
  readonly outputs: readonly number[];
  /** Mean and variance of the observed value, for each class of truths. */
  readonly moments: readonly { readonly mean: number; readonly variance: number }[];
  /** The probability of each class of outputs, for a source whose truth has these shares. */
  observable(shares: readonly number[]): readonly number[];
  /** Puts E[e^{iθ·output}] for each class of truths into an array: real part, imaginary part, the next real part and so on. */
  characteristic(theta: number, into: Float64Array): void;
  /** One step of expectation maximisation: improves the shares of the truths, given the observed outputs. */
  likelier(shares: readonly number[], observed: readonly number[]): readonly number[];
}

/** How often randomized response keeps the truth, and for how many sources it cannot. */
export interface ResponseRates {
  /** The probability that the output is the truth rather than a draw from all outputs: (1 − q)/(1 + (k − 1)·q), q = e^−ε. */
  readonly keep: Probability;
  /** The expected share of sources whose truth is not a possible output. They answer uniformly. */
  readonly outside: Probability;
}

/** @param states k, which may exceed what a double counts exactly. */
export function responseRates(states: number, epsilon: Epsilon, outside = probability(0)): ResponseRates {
  const exponent = -1 * epsilon;
  const q = Math.exp(exponent);
  return { keep: probability(-Math.expm1(exponent) / (1 + (states - 1) * q)), outside };
}

/**
 * The channel of randomized response for one quantity. Sources outside count as having the mean value, the only value for which their total
 * can be estimated (docs/estimate-methods.md).
 * @param shares of the outputs that have each value.
 */
export function responseChannel(
  shares: ReadonlyMap<number, number>,
  mean: number,
  response: ResponseRates,
): Channel {
  const { keep, outside } = response;
  const values = [...shares.keys()].sort((a, b) => a - b);
  const uniform = values.map((value) => shares.get(value) ?? 0);
  const excess = new Float64Array(values.length);
  const hasOutside = outside > 0;
  const outsidersOf = (truths: readonly number[]): number => (hasOutside ? (truths[values.length] ?? 0) : 0);
  const observable = (truths: readonly number[]): readonly number[] => {
    const outsiders = outsidersOf(truths);
    const drawn = (1 - keep) * (1 - outsiders) + outsiders;
    return uniform.map((share, index) => keep * (truths[index] ?? 0) + drawn * share);
  };
  const spread = values.reduce((sum, value, index) => sum + (uniform[index] ?? 0) * (value - mean) ** 2, 0);
  const own = values.map((value) => ({
    mean: keep * value + (1 - keep) * mean,
    variance: keep * (1 - keep) * (value - mean) ** 2 + (1 - keep) * spread,
  }));
  return {
    truths: hasOutside ? [...values, mean] : values,
    guess: hasOutside ? [...uniform.map((share) => (1 - outside) * share), outside] : uniform,
    outputs: values,
    moments: hasOutside ? [...own, { mean, variance: spread }] : own,
    observable,
    characteristic: (theta, into) => {
      turn(theta, values, into);
      const drawn = mixture(uniform, into);
      for (let index = 0; index < values.length; index++) {
        into[2 * index] = keep * (into[2 * index] ?? 0) + (1 - keep) * drawn.re;
        into[2 * index + 1] = keep * (into[2 * index + 1] ?? 0) + (1 - keep) * drawn.im;
      }
      if (hasOutside) into.set([drawn.re, drawn.im], 2 * values.length);
    },
    likelier: (shares, observed) => {
      const outsiders = outsidersOf(shares);
      const replaced = (1 - keep) * (1 - outsiders) + outsiders;
      let drawn = 0;
      for (let index = 0; index < values.length; index++) {
        const share = uniform[index] ?? 0;
        // Observed over expected, by class of outputs.
        const ratio = quotient(observed[index] ?? 0, keep * (shares[index] ?? 0) + replaced * share);
        excess[index] = ratio;
        drawn += ratio * share;
      }
      const own = new Array<number>(shares.length).fill(NaN);
      for (let index = 0; index < values.length; index++)
        own[index] = (shares[index] ?? 0) * (keep * (excess[index] ?? 0) + (1 - keep) * drawn);
      if (hasOutside) own[values.length] = outsiders * drawn;
      return own;
    },
  };
}

/** The channel of any mechanism, from its output probabilities for each truth. */
export function matrixChannel(
  truths: readonly number[],
  outputs: readonly number[],
  rows: readonly (readonly number[])[],
  prior: readonly number[],
): Channel {
  const turns = new Float64Array(2 * outputs.length);
  const observable = (shares: readonly number[]): readonly number[] =>
    outputs.map((_, output) =>
      rows.reduce((sum, row, truth) => sum + (shares[truth] ?? 0) * (row[output] ?? 0), 0),
    );
  return {
    truths,
    guess: prior,
    outputs,
    moments: rows.map((row) => {
      const mean = row.reduce((sum, chance, output) => sum + chance * (outputs[output] ?? 0), 0);
      const variance = row.reduce(
        (sum, chance, output) => sum + chance * ((outputs[output] ?? 0) - mean) ** 2,
        0,
      );
      return { mean, variance };
    }),
    observable,
    characteristic: (theta, into) => {
      turn(theta, outputs, turns);
      for (let truth = 0; truth < rows.length; truth++) {
        const { re, im } = mixture(rows[truth] ?? [], turns);
        into[2 * truth] = re;
        into[2 * truth + 1] = im;
      }
    },
    likelier: (shares, observed) => {
      const excess = observable(shares).map((expected, output) => quotient(observed[output] ?? 0, expected));
      return rows.map(
        (row, truth) =>
          (shares[truth] ?? 0) * row.reduce((sum, chance, output) => sum + chance * (excess[output] ?? 0), 0),
      );
    },
  };
}

const quotient = (a: number, b: number): number => (a === 0 ? 0 : a / b);

/** After so many steps, the next is computed anew, so that rounding errors stay those of single numbers. */
const FRESH = 16;

/** e^{iθ·value} for each value, for θ = 1, 3, 5 and so on times a unit. A step takes a product instead of a sine and a cosine. */
export class OddTurns {
  /** Real part, imaginary part, the next real part and so on. */
  readonly parts: Float64Array;
  private readonly by: Float64Array;
  private unit = NaN;
  private step = 0;

  constructor(private readonly values: readonly number[]) {
    this.parts = new Float64Array(2 * values.length);
    this.by = new Float64Array(2 * values.length);
  }

  begin(unit: number): void {
    turn(2 * unit, this.values, this.by);
    this.unit = unit;
    this.step = 0;
  }

  /** The first call moves to the unit itself. */
  next(): void {
    const { parts, by, step } = this;
    this.step += 1;
    if (step % FRESH === 0) {
      turn((2 * step + 1) * this.unit, this.values, parts);
      return;
    }
    for (let place = 0; place < parts.length; place += 2) {
      const re = parts[place] ?? 0;
      const im = parts[place + 1] ?? 0;
      const cos = by[place] ?? 0;
      const sin = by[place + 1] ?? 0;
      parts[place] = re * cos - im * sin;
      parts[place + 1] = re * sin + im * cos;
    }
  }
}

/** Puts e^{iθ·value} for each value into an array. */
function turn(theta: number, values: readonly number[], into: Float64Array): void {
  for (let index = 0; index < values.length; index++) {
    const angle = theta * (values[index] ?? 0);
    into[2 * index] = Math.cos(angle);
    into[2 * index + 1] = Math.sin(angle);
  }
}

function mixture(
  weights: readonly number[],
  parts: Float64Array,
): { readonly re: number; readonly im: number } {
  let re = 0;
  let im = 0;
  for (let index = 0; index < weights.length; index++) {
    const weight = weights[index] ?? 0;
    re += weight * (parts[2 * index] ?? 0);
    im += weight * (parts[2 * index + 1] ?? 0);
  }
  return { re, im };
}
