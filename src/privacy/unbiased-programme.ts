import { negativeMinima, raisesToZero } from '../../numeric/lesser-sum';
import type { OutputSolution, Truths } from '../../numeric/interior-point';
import { overCommonDenominator, Rational } from './rational';
import { floorDivide } from './real-bounds';
import { integerSum, windowRandomizer, type WindowRandomizer } from './sliding-window';

/** A lower bound of every randomizer's variance. */
interface Bound {
  readonly variance: Rational;
  /** Outputs that could lower the variance of the present randomizer, where the truths are from 0 to 1. */
  readonly offers: readonly number[];
}

/** Across the values, the grid has 2^GRID_BITS/ratio steps or a little more. It has no ends. */
const GRID_BITS = 40n;
/** Greatest probabilities are multiples of (1 − ratio)·2^−MASS_BITS or a little less. */
const MASS_BITS = 64n;
/** Outputs with a greatest probability below this share of 1 − ratio are left out. */
const LEAST_MASS = 1e-8;
/** Doubles are rounded to multiples of 2^−DOUBLE_BITS. */
const DOUBLE_BITS = 100;
/** In doubles, rarer values count as if they were so probable. */
const LEAST_PRIOR = 1e-12;

/**
 * The programme of the unbiased randomizer (Badanidiyuru et al. 2023, "Optimal unbiased randomizers for regression with label differential privacy"),
 * over the probability p(y|x) of each output y for each truth x, and the greatest probability m(y) of each output:
 *
 *     minimise   Σ_x prior(x) Σ_y p(y|x)·(y − x)²
 *     so that    Σ_y p(y|x) = 1,   Σ_y p(y|x)·y = x,   ratio·m(y) ≤ p(y|x) ≤ m(y)
 *
 * The ratio is e^−ε or a little more. Doubles propose outputs and m, or prices (`numeric/interior-point.ts`); this class makes exact results of
 * them: a randomizer, and a lower bound. Outputs and truths are whole numbers, in units of a grid that begins at the least value.
 */
export class UnbiasedProgramme {
  readonly truths: readonly bigint[];
  private readonly weights: readonly bigint[];
  private readonly totalWeight: bigint;
  /** The greatest truth. */
  private readonly range: bigint;
  private readonly leastValue: Rational;
  /** The grid's unit is 1/scale. */
  private readonly scale: bigint;
  /** Greatest probabilities are multiples of 1/certain. */
  private readonly certain: bigint;

  constructor(
    support: readonly Rational[],
    prior: readonly Rational[],
    private readonly ratio: Rational,
  ) {
    this.weights = likelyAtAll(overCommonDenominator(prior).numerators);
    this.totalWeight = integerSum(this.weights);
    this.leastValue = support.reduce((a, b) => (a.compare(b) < 0n ? a : b));
    const { numerators, denominator } = overCommonDenominator(
      support.map((value) => value.minus(this.leastValue)),
    );
    const range = numerators.reduce((a, b) => (a > b ? a : b));
    const finer = range === 0n ? 1n : (ratio.denominator << GRID_BITS) / ratio.numerator / range + 1n;
    this.scale = denominator * finer;
    this.certain = (ratio.denominator / (ratio.denominator - ratio.numerator)) << MASS_BITS;
    this.truths = numerators.map((value) => value * finer);
    this.range = range * finer;
  }

  valueOf(output: bigint): Rational {
    return Rational.fraction(output, this.scale).plus(this.leastValue);
  }

  /** amount/over squared units of the grid. */
  squared(amount: bigint, over: bigint): Rational {
    return Rational.fraction(amount, over * this.scale * this.scale);
  }

  /** The expected squared error, where values of prior 0 count a little (`likelyAtAll`). */
  variance({ variance, certainty }: WindowRandomizer): Rational {
    const total = integerSum(this.truths.map((truth, x) => (this.weights[x] ?? 0n) * variance(truth)));
    return this.squared(total, certainty * this.totalWeight);
  }

  /** A variance in units in which the truths are from 0 to 1. */
  relative(variance: Rational): number {
    return variance.times(Rational.fraction(this.scale * this.scale, this.range * this.range)).toNumber();
  }

  /** The programme in doubles, with truths from 0 to 1. */
  inDoubles(): Truths {
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
    const total = integerSum(this.truths);
    const certainty = high + BigInt(this.truths.length - 1) * low;
    const outputs = this.truths.map((truth) => floorDivide(certainty * truth - low * total, high - low));
    outputs.sort((a, b) => (a < b ? -1 : 1));
    const found = this.widened(
      outputs,
      Array<bigint>(outputs.length).fill((high * this.certain) / certainty),
    );
    if (found === null) throw new RangeError('the outputs must be on both sides of the values');
    return found;
  }

  /** @param outputs where the truths are from 0 to 1. @returns null if the masses are too far from any randomizer's. */
  randomizer(outputs: Float64Array, masses: Float64Array): WindowRandomizer | null {
    const { slack } = this.inDoubles();
    const used = [...outputs].flatMap((output, index) => {
      const mass = masses[index] ?? 0;
      if (mass < LEAST_MASS * slack) return [];
      return [{ output: scaled(output, this.range), mass: scaled(mass, this.certain) }];
    });
    return this.widened(
      used.map(({ output }) => output),
      used.map(({ mass }) => mass),
    );
  }

  /**
   * With outputs from doubles, the mean can miss the extreme truths by little. So this moves all outputs away from the middle of the values: by 2^−39
   * of their distance to it, and by twice as much until a randomizer exists.
   */
  private widened(outputs: readonly bigint[], masses: readonly bigint[]): WindowRandomizer | null {
    for (let bits = GRID_BITS; bits > 0n; bits--) {
      const moved = outputs.map((output) => output + ((2n * output - this.range) >> bits));
      const found = windowRandomizer(moved, masses, this.ratio, this.certain, this.truths);
      if (found !== null) return found;
    }
    return null;
  }

  /**
   * The dual of the programme. Prices level(x) and slope(x) of its two equations give the lower bound Σ_x level(x) + slope(x)·x if using no output
   * would pay: with f_x(y) = prior(x)·(y − x)² − level(x) − slope(x)·y, this is Σ_x min(f_x(y), ratio·f_x(y)) ≥ 0 for all y. Prices in doubles miss
   * this by little, so levels are lowered until it holds on the grid. An output off the grid can be rounded at random to one of its two
   * neighbours, with its mean. That adds at most a quarter to the variance, so the bound is less by a quarter.
   * @param prices where the truths are from 0 to 1. The best outputs for them are the offers.
   */
  bound(prices: OutputSolution['prices']): Bound {
    const parts = this.truths.map((truth, x) => this.exactPart(truth, this.weights[x] ?? 0n, prices[x]));
    const factors = { low: this.ratio.numerator, high: this.ratio.denominator };
    const worth = integerSum(parts.map((part) => part.worth)) - integerSum(raisesToZero(parts, factors));
    return {
      variance: this.squared(4n * worth - this.totalWeight, 4n * this.totalWeight),
      offers: negativeMinima(parts, factors).map(({ place }) => share(place, this.range)),
    };
  }

  /** f_x as a·y² + b·y + c, and level + slope·x; all times the total weight. */
  private exactPart(
    truth: bigint,
    a: bigint,
    price: OutputSolution['prices'][number] = { level: 0, slope: 0 },
  ): { readonly a: bigint; readonly b: bigint; readonly c: bigint; readonly worth: bigint } {
    const unit = this.totalWeight * this.range;
    const [level, slope] = [scaled(price.level, unit * this.range), scaled(price.slope, unit)];
    return { a, b: -2n * a * truth - slope, c: a * truth * truth - level, worth: level + slope * truth };
  }
}

/** A value of prior 0 counts by 2^−32 of the smallest unit. Otherwise its outputs would have no bound. */
const likelyAtAll = (weights: readonly bigint[]): readonly bigint[] =>
  weights.includes(0n) ? weights.map((weight) => (weight === 0n ? 1n : weight << 32n)) : weights;

const scaled = (value: number, unit: bigint): bigint =>
  (BigInt(Math.round(value * 2 ** DOUBLE_BITS)) * unit) >> BigInt(DOUBLE_BITS);

const share = (part: bigint, whole: bigint): number => Rational.fraction(part, whole).toNumber();
