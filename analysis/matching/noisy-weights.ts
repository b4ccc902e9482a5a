import { discreteLaplace } from '../noise/discrete-laplace';
import { epsilonParameter } from '../../src/privacy/parameters';
import { Rational, type Exact } from '../../src/privacy/rational';
import type { RandomSource } from '../../src/privacy/random-source';
import { ceilDivide, floorDivide } from '../../src/privacy/real-bounds';
import { discreteGaussian } from '../noise/discrete-gaussian';
import {
  graphParameter,
  reweighted,
  sensitivityParameter,
  type Graph,
  type Matching,
  type MatchingParameters,
  type Neighbours,
  type Pair,
  type WeightedGraph,
} from './graph';
import { maximumWeightMatching } from './maximum-weight';

/** Weights are rounded to multiples of Δ/1024. A difference of at most Δ stays at most Δ, so rounding needs no extra noise. */
export const GRAINS_PER_SENSITIVITY = 1024n;

/** The nearest whole multiple of the grain, halves up. */
export function inGrains(x: Rational, grain: Rational): bigint {
  const { numerator, denominator } = x.over(grain);
  return floorDivide(2n * numerator + denominator, 2n * denominator);
}

/**
 * Adds independent discrete Laplace noise to every edge and takes a matching of greatest noisy weight, without edges of noisy
 * weight ≤ 0. ε-private if neighbours differ in the weights of one click: processing noisy weights reveals no more than they do.
 * Without randomness there is no noise.
 * @throws ParameterError for parameters out of range.
 */
export function laplaceMatching(parameters: MatchingParameters): (random: RandomSource | null) => Matching {
  const { rounded, noise } = laplaceNoise(parameters);
  return (random) => maximumWeightMatching(noisy(rounded, noise, random));
}

/**
 * As `laplaceMatching`, with discrete Gaussian noise, of which a click with many edges needs less: √d times, not d times as much as one with a
 * single edge. It composes like ε-private mechanisms under advanced composition: ε²/2-concentrated (Bun & Steinke 2016).
 * `gaussianLoss` says what ε makes it (ε, δ)-private.
 */
export function gaussianMatching(parameters: MatchingParameters): (random: RandomSource | null) => Matching {
  const { rounded, moves } = inWholeGrains(parameters);
  const squares = greatest(moves.map((grains) => total(grains.map((grain) => grain * grain))));
  const epsilon = epsilonParameter(parameters.epsilon);
  const noise = discreteGaussian(Rational.of(squares).over(epsilon.times(epsilon)));
  return (random) => maximumWeightMatching(noisy(rounded, noise, random));
}

/**
 * Gives each click the conversion that it has in the best matching of its own exact weights with everybody else's noisy ones. ε-jointly
 * private: what all other clicks get reveals of a click no more than its noisy weights do (the billboard lemma of Hsu et al. 2014); its own
 * conversion may depend on it. Several clicks can get the same conversion. This holds for all other clicks together, so they may collude.
 * @param owners whose each click is: an owner sees the exact weights of all of theirs, and the promise is for the other owners together.
 * Without, each click has its own.
 * @throws ParameterError for parameters out of range.
 */
export function jointMatching(
  parameters: MatchingParameters,
  owners?: readonly string[],
): (random: RandomSource | null) => Matching {
  const { rounded, noise } = laplaceNoise(parameters);
  const isOwn = (click: number, other: number): boolean =>
    owners === undefined ? click === other : owners[click] === owners[other];
  return (random) => {
    const billboard = noisy(rounded, noise, random);
    return Array.from({ length: rounded.clicks }, (_, click) => {
      const seen = billboard.edges.map((edge, index) =>
        isOwn(click, edge.pair.click) ? (rounded.edges[index] ?? edge) : edge,
      );
      return maximumWeightMatching({ ...billboard, edges: seen }).filter((pair) => pair.click === click);
    }).flat();
  };
}

/**
 * Releases only the weight of the best matching, with discrete Laplace noise, in multiples of Δ/1024. A click has one edge in a matching at
 * most, so the weight of the best changes by at most Δ, however many edges a click has.
 * @throws ParameterError for parameters out of range.
 */
export function matchingValue(parameters: MatchingParameters): (random: RandomSource | null) => Rational {
  const { rounded } = inWholeGrains(parameters);
  const weights = new Map(rounded.edges.map(({ pair, weight }) => [keyOf(pair), weight]));
  const best = total(maximumWeightMatching(rounded).map((pair) => weights.get(keyOf(pair)) ?? 0n));
  const grain = sensitivityParameter(parameters.sensitivity).over(Rational.of(GRAINS_PER_SENSITIVITY));
  const noise = discreteLaplace(laplaceScale(GRAINS_PER_SENSITIVITY, parameters.epsilon));
  return (random) => Rational.of(best + (random === null ? 0n : noise(random))).times(grain);
}

const keyOf = ({ click, conversion }: Pair): string => `${click}-${conversion}`;

type Noise = (random: RandomSource) => bigint;

const noisy = (rounded: Graph<bigint>, noise: Noise, random: RandomSource | null): Graph<bigint> =>
  random === null ? rounded : reweighted(rounded, (weight) => weight + noise(random));

function laplaceNoise(parameters: MatchingParameters): {
  readonly rounded: Graph<bigint>;
  readonly noise: Noise;
} {
  const { rounded, moves } = inWholeGrains(parameters);
  return { rounded, noise: discreteLaplace(laplaceScale(greatest(moves.map(total)), parameters.epsilon)) };
}

/** The scale of each edge's noise, if neighbours have an L1 distance of at most so many grains. */
export const laplaceScale = (grains: bigint, epsilon: Exact): Rational =>
  Rational.of(grains).over(epsilonParameter(epsilon));

/** The weights in grains, and for each click by how many grains each of its weights can change; if they change one by one, for each edge. */
function inWholeGrains(parameters: MatchingParameters): {
  readonly rounded: Graph<bigint>;
  readonly moves: readonly (readonly bigint[])[];
} {
  const graph = graphParameter(parameters);
  const grain = sensitivityParameter(parameters.sensitivity).over(Rational.of(GRAINS_PER_SENSITIVITY));
  return {
    rounded: reweighted(graph, (weight) => inGrains(weight, grain)),
    moves: movesOf(graph, parameters.neighbours),
  };
}

function movesOf(
  { clicks, edges, chances }: WeightedGraph,
  neighbours: Neighbours = 'click',
): readonly (readonly bigint[])[] {
  const ofEdges = chances.map(({ numerator, denominator }) =>
    ceilDivide(numerator * GRAINS_PER_SENSITIVITY, denominator),
  );
  if (neighbours === 'edge') return ofEdges.map((move) => [move]);
  const moves = Array.from({ length: clicks }, (): bigint[] => []);
  edges.forEach(({ pair }, index) => moves[pair.click]?.push(ofEdges[index] ?? 0n));
  return moves;
}

const total = (numbers: readonly bigint[]): bigint => numbers.reduce((sum, number) => sum + number, 0n);

const greatest = (numbers: readonly bigint[]): bigint =>
  numbers.reduce((most, number) => (number > most ? number : most), 0n);
