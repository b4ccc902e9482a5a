import { productsOf, solveOutputs } from '../../numeric/interior-point';
import { responsePrices } from '../../numeric/response-prices';
import { firstOutputs, fullBands, nextBands, nextOutputs, type OnRound } from '../../numeric/output-grid';
import { mistake } from '../../formats/codec/mistakes';
import type { FiniteMechanism } from './finite-distribution';
import {
  epsilonParameter,
  MAX_UNBIASED_VALUES,
  ParameterError,
  priorParameter,
  valuesParameter,
} from './parameters';
import { Rational, sum, type Exact } from './rational';
import { exponentialOfMinus, rationalBounds } from './real-bounds';
import type { WindowRandomizer } from './sliding-window';
import { UnbiasedProgramme } from './unbiased-programme';

export interface UnbiasedRandomizer extends FiniteMechanism<Rational> {
  /** The exact probability of each output for an input. */
  readonly probabilities: (input: number) => readonly Rational[];
  /** E[(output − truth)²] under the prior. */
  readonly variance: Rational;
  /** At most by so much the variance is above the least possible with real outputs. */
  readonly gap: Rational;
}

/** The search ends when the variance is at most this share above the least possible, or after so many rounds. */
const TOLERANCE = 2 ** -14;
const MOST_ROUNDS = 12;
/** It also ends after so many rounds in a row that end no nearer than a round before: doubles are too coarse. */
const MOST_STALLED = 2;
/** For many values it ends at this share, before a round each of whose steps takes so many products. Such rounds take more than ten seconds. */
const LARGE_TOLERANCE = 2 ** -10;
const MANY_PRODUCTS = 5e7;
/** It also ends before a round each of whose steps takes so many products, which is about a second. */
const MOST_PRODUCTS = 4e8;
/** For an ε below, doubles say nothing, and the start is the end. */
const LEAST_SLACK = 2 ** -40;
/** The accuracy of the linear programmes in doubles. While the gap is large, a hundredth of the gap is enough. */
const ACCURACY = 1e-9;
/** By this share of the gap, or this one of the variance, the distances of outputs may make the variance of the next round greater. */
const ROUNDING = 1 / 20;
const LEAST_ROUNDING = 3 * TOLERANCE;

/**
 * The optimal unbiased randomizer (Badanidiyuru et al. 2023, "Optimal unbiased randomizers for regression with label differential
 * privacy"); see docs/mechanisms.md. Inputs are indices of values. Doubles only choose the outputs and how probable each is at most.
 * From these the probabilities follow in fractions, with a rational q ≥ e^−ε as the least ratio. The gap is exact as well.
 * @param onRound is called after each round of the search, which can take a minute.
 * @throws ParameterError for parameters out of range.
 */
export function unbiasedRandomizer(
  values: readonly Exact[],
  prior: readonly Exact[],
  epsilon: Exact,
  onRound?: OnRound,
): UnbiasedRandomizer {
  const exactEpsilon = epsilonParameter(epsilon);
  const weights = priorParameter(prior);
  const support = valuesParameter(values, weights);
  const [max, count] = [MAX_UNBIASED_VALUES, support.length];
  if (count > max) throw new ParameterError('values', mistake('too-many-items', { max, count }));
  const programme = new UnbiasedProgramme(support, weights, rationalAbove(exactEpsilon));
  const [randomizer, bound] = search(programme, onRound);
  const rows = programme.truths.map(randomizer.probabilities);
  return {
    outputs: randomizer.outputs.map((output) => programme.valueOf(output)),
    probabilities: (input) => rows[input] ?? [],
    weights: (input) => (rows[input] ?? []).map(rationalBounds),
    variance: sum(
      programme.truths.map((truth, input) =>
        programme
          .squared(randomizer.variance(truth), randomizer.certainty)
          .times(weights[input] ?? Rational.ZERO),
      ),
    ),
    gap: programme.variance(randomizer).minus(bound),
  };
}

/** A rational q with e^−ε ≤ q < 1 that differs from e^−ε by less than 2^−40 and less than 2^−40·ε. */
function rationalAbove(epsilon: Rational): Rational {
  const power = exponentialOfMinus(rationalBounds(epsilon));
  const [size, inverse] = [epsilon.numerator, epsilon.denominator].map((part) => part.toString(2).length);
  const bits = 43 + Math.max(0, (inverse ?? 0) - (size ?? 0));
  return Rational.fraction(power(bits).upper, 1n << BigInt(bits));
}

/**
 * Begins with unbiased randomized response, which its own prices may prove to be the best. Otherwise solves the linear programme over some
 * outputs, then again with those whose price says that they would lower the variance. Every round has a lower bound of all randomizers' variance.
 */
function search(programme: UnbiasedProgramme, onRound?: OnRound): readonly [WindowRandomizer, Rational] {
  let randomizer = programme.response();
  let [least, bound] = [programme.variance(randomizer), Rational.ZERO];
  if (least.sign === 0n) return [randomizer, bound];
  const given = programme.inDoubles();
  if (given.slack < LEAST_SLACK) return [randomizer, bound];
  const raise = (found: Rational): number => {
    if (found.compare(bound) > 0n) bound = found;
    return least.minus(bound).over(least).toNumber();
  };
  let outputs = firstOutputs(given.ratio);
  let bands = fullBands(given.truths.length, outputs.length);
  let gap = raise(programme.bound(responsePrices(given)).variance);
  let [nearest, stalled] = [1, 0];
  for (let round = 0; gap > TOLERANCE && round < MOST_ROUNDS && stalled < MOST_STALLED; round++) {
    if (productsOf(outputs.length, bands) > (gap > LARGE_TOLERANCE ? MOST_PRODUCTS : MANY_PRODUCTS)) break;
    const solution = solveOutputs({ ...given, outputs, bands }, Math.max(ACCURACY, gap / 100));
    const { variance, offers } = programme.bound(solution.prices);
    const found = programme.randomizer(outputs, solution.masses);
    const own = found === null ? least : programme.variance(found);
    if (found !== null && own.compare(least) < 0n) [randomizer, least] = [found, own];
    gap = raise(variance);
    const ofRound = own.minus(variance).over(own).toNumber();
    stalled = ofRound >= nearest ? stalled + 1 : 0;
    nearest = Math.min(nearest, ofRound);
    onRound?.({ round: round + 1, outputs: outputs.length, gap });
    const rounding = Math.max(LEAST_ROUNDING, gap * ROUNDING) * programme.relative(least);
    outputs = nextOutputs(outputs, solution.likely, offers, rounding);
    bands = nextBands(given, solution.prices, outputs);
  }
  return [randomizer, bound];
}
