import { negativeMinima, raisesToZero } from '../../numeric/lesser-sum';
import type { OutputProgramme, OutputSolution } from '../../numeric/interior-point';
import { overCommonDenominator, Rational } from './rational';
import { floorDivide } from './real-bounds';
import { sum, windowRandomizer, type WindowRandomizer } from './sliding-window';

/** A lower bound of every randomizer's variance, and the outputs that could lower it, where the truths are from 0 to 1. */
interface Bound {
  readonly variance: Rational;
  readonly offers: readonly number[];
}

/** Outputs lie on a grid without ends, which has so many steps, and more at large ε, across the values. */
const GRID_BITS = 40n;
/** Greatest probabilities are multiples of 2^−MASS_BITS. */
const MASS_BITS = 64n;
/** Rarer outputs, in shares of 1 − ratio, are left out. */
const LEAST_MASS = 1e-8;
/** Doubles are rounded to multiples of 2^−DOUBLE_BITS. */
const DOUBLE_BITS = 100;
/** Rarer values count so much in doubles. */
const LEAST_PRIOR = 1e-12;

/** The exact programme of the unbiased randomizer. Outputs and truths are in units of the grid, from the least value. */
export class UnbiasedProgramme {
  readonly truths: readonly bigint[];
  private readonly weights: readonly bigint[];
  private readonly totalWeight: bigint;
  /** The greatest truth. */
  private readonly range: bigint;
  private readonly least: Rational;
  /** The grid's unit is 1/scale. */
  private readonly scale: bigint;

  constructor(
    support: readonly Rational[],
    prior: readonly Rational[],
    private readonly ratio: Rational,
  ) {
    this.weights = likelyAtAll(overCommonDenominator(prior).numerators);
    this.totalWeight = sum(this.weights);
    this.least = support.reduce((a, b) => (a.compare(b) < 0n ? a : b));
    const { numerators, denominator } = overCommonDenominator(
      support.map((value) => value.minus(this.least)),
    );
    const range = numerators.reduce((a, b) => (a > b ? a : b));
    const finer = range === 0n ? 1n : (ratio.denominator << GRID_BITS) / ratio.numerator / range + 1n;
    this.scale = denominator * finer;
    this.truths = numerators.map((value) => value * finer);
    this.range = range * finer;
  }

  valueOf(output: bigint): Rational {
    return Rational.fraction(output, this.scale).plus(this.least);
  }

  /** amount/over squared units of the grid. */
  squared(amount: bigint, over: bigint): Rational {
    return Rational.fraction(amount, over * this.scale * this.scale);
  }

  /** The expected squared error, where values of prior 0 count a little. */
  variance({ variance, certainty }: WindowRandomizer): Rational {
    const total = sum(this.truths.map((truth, x) => (this.weights[x] ?? 0n) * variance(truth)));
    return this.squared(total, certainty * this.totalWeight);
  }

  /** Where the truths are from 0 to 1. */
  relative(variance: Rational): number {
    return variance.times(Rational.fraction(this.scale * this.scale, this.range * this.range)).toNumber();
  }

  /** Where the truths are from 0 to 1. */
  inDoubles(): Omit<OutputProgramme, 'outputs'> {
    return {
      truths: Float64Array.from(this.truths, (truth) => share(truth, this.range)),
      prior: Float64Array.from(this.weights, (own) => Math.max(LEAST_PRIOR, share(own, this.totalWeight))),
      ratio: this.ratio.toNumber(),
      slack: Rational.ONE.minus(this.ratio).toNumber(),
    };
  }

  /** Unbiased randomized response: its outputs are as far from their mean as makes up for the responses that are not the truth. */
  response(): WindowRandomizer {
    const { numerator: low, denominator: high } = this.ratio;
    const total = sum(this.truths);
    const certainty = high + BigInt(this.truths.length - 1) * low;
    const outputs = this.truths.map((truth) => floorDivide(certainty * truth - low * total, high - low));
    outputs.sort((a, b) => (a < b ? -1 : 1));
    const found = this.widened(outputs, Array<bigint>(outputs.length).fill((high << MASS_BITS) / certainty));
    if (found === null) throw new RangeError('the outputs must be on both sides of the values');
    return found;
  }

  /** @param outputs where the truths are from 0 to 1. @returns null if the masses are too far from any randomizer's. */
  randomizer(outputs: Float64Array, masses: Float64Array): WindowRandomizer | null {
    const { slack } = this.inDoubles();
    const used = [...outputs].flatMap((output, index) => {
      const mass = masses[index] ?? 0;
      if (mass < LEAST_MASS * slack) return [];
      return [{ output: scaled(output, this.range), mass: scaled(mass, 1n << MASS_BITS) }];
    });
    return this.widened(
      used.map(({ output }) => output),
      used.map(({ mass }) => mass),
    );
  }

  /** Moves the outputs outwards by as little as gives each truth its mean, because doubles leave that only almost so. */
  private widened(outputs: readonly bigint[], masses: readonly bigint[]): WindowRandomizer | null {
    for (let bits = GRID_BITS; bits > 0n; bits--) {
      const moved = outputs.map((output) => output + ((2n * output - this.range) >> bits));
      const found = windowRandomizer(moved, masses, this.ratio, 1n << MASS_BITS, this.truths);
      if (found !== null) return found;
    }
    return null;
  }

  /**
   * The price of an output is a sum over the truths: for each the lesser of `high` and `low` times a quadratic function. Where no price
   * is below 0, no randomizer's variance is below the prices' of the constraints. Truths' levels are lowered until that is so. Outputs off the grid can be rounded at random to its two neighbours, which adds a quarter at most.
   */
  bound(doubles: OutputSolution['prices']): Bound {
    const unit = this.totalWeight * this.range;
    const prices = this.truths.map((truth, x) => {
      const a = this.weights[x] ?? 0n;
      const [level, slope] = [
        scaled(doubles[x]?.level ?? 0, unit * this.range),
        scaled(doubles[x]?.slope ?? 0, unit),
      ];
      return { a, b: -2n * a * truth - slope, c: a * truth * truth - level, worth: level + slope * truth };
    });
    const factors = { low: this.ratio.numerator, high: this.ratio.denominator };
    const worth = sum(prices.map((own) => own.worth)) - sum(raisesToZero(prices, factors));
    return {
      variance: this.squared(4n * worth - this.totalWeight, 4n * this.totalWeight),
      offers: negativeMinima(prices, factors).map(({ place }) => share(place, this.range)),
    };
  }
}

/** A value of prior 0 counts by 2^−32 of the smallest unit. Otherwise its outputs would have no bound. */
const likelyAtAll = (weights: readonly bigint[]): readonly bigint[] =>
  weights.includes(0n) ? weights.map((weight) => (weight === 0n ? 1n : weight << 32n)) : weights;

const scaled = (value: number, unit: bigint): bigint =>
  (BigInt(Math.round(value * 2 ** DOUBLE_BITS)) * unit) >> BigInt(DOUBLE_BITS);

const share = (part: bigint, whole: bigint): number => Rational.fraction(part, whole).toNumber();
