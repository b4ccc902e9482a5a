import { mistake } from '../../formats/codec/mistakes';
import { weightedIndex } from '../../src/privacy/finite-distribution';
import { epsilonParameter, ParameterError } from '../../src/privacy/parameters';
import { Rational, sum } from '../../src/privacy/rational';
import type { RandomSource } from '../../src/privacy/random-source';
import { exponentialOfMinus, rationalBounds, type RealBounds } from '../../src/privacy/real-bounds';
import {
  freeOf,
  graphParameter,
  matchingOf,
  sensitivityParameter,
  type Edge,
  type Matching,
  type MatchingParameters,
} from './graph';

/** All are looked at. Seven clicks and seven conversions have at most 5,040. */
const MOST_MATCHINGS = 20_000;

type Edges = readonly Edge<Rational>[];

interface WeighedMatching {
  readonly matching: Matching;
  readonly isBest: boolean;
  /** e^(−ε·(W − w)/2Δ), where w is its weight, and W that of the best. */
  readonly size: RealBounds;
}

/**
 * All matchings to which no edge can be added, in an order that does not depend on weights.
 * @throws ParameterError for parameters out of range, or if there are too many.
 */
export function weighedMatchings(parameters: MatchingParameters): readonly WeighedMatching[] {
  const { edges } = graphParameter(parameters);
  const found: Edges[] = [];
  // Each way takes or leaves the next edge; what was left must be blocked in the end.
  const extend = (picked: Edges, free: Edges, left: Edges): void => {
    const [next, ...later] = free;
    if (next === undefined) {
      if (left.length > 0) return;
      found.push(picked);
      if (found.length > MOST_MATCHINGS)
        throw new ParameterError('weights', mistake('too-many-matchings', { max: MOST_MATCHINGS }));
      return;
    }
    extend([...picked, next], freeOf(next.pair, later), freeOf(next.pair, left));
    // Without later edges that share an end with it, it would stay free.
    if (freeOf(next.pair, later).length < later.length) extend(picked, later, [...left, next]);
  };
  extend([], edges, []);
  const weights = found.map((picked) => sum(picked.map(({ weight }) => weight)));
  const best = weights.reduce((a, b) => (a.compare(b) >= 0n ? a : b));
  const factor = epsilonParameter(parameters.epsilon).over(
    sensitivityParameter(parameters.sensitivity).times(Rational.of(2)),
  );
  return found.map((picked, index) => ({
    matching: matchingOf(picked),
    isBest: weights[index]?.compare(best) === 0n,
    size: exponentialOfMinus(rationalBounds(best.minus(weights[index] ?? best).times(factor))),
  }));
}

/**
 * The exponential mechanism (McSherry & Talwar 2007) over whole matchings: each that cannot be extended is drawn with probability proportional
 * to e^(ε·w/2Δ). A click has one edge in a matching at most, so neighbours, which differ in the weights of one click, differ by at most Δ in w.
 * Without randomness, takes the first of the best.
 * @throws ParameterError for parameters out of range.
 */
export function exponentialMatching(
  parameters: MatchingParameters,
): (random: RandomSource | null) => Matching {
  const all = weighedMatchings(parameters);
  const draw = weightedIndex(all.map(({ size }) => size));
  const best = all.findIndex(({ isBest }) => isBest);
  return (random) => all[random === null ? best : draw(random)]?.matching ?? [];
}
