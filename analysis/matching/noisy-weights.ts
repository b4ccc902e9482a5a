import { mistake } from '../../formats/codec/mistakes';
import { isWithinAdvanced } from '../noise/composition';
import { discreteLaplace } from '../noise/discrete-laplace';
import { epsilonParameter, ParameterError, parameterValue } from '../../src/privacy/parameters';
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

const LOSS_STEPS = 1n << 16n;

/**
 * The ε at which Gaussian noise is (`epsilon`, `delta`)-private on its own: the greatest multiple of `epsilon`/2^16 that is.
 * @throws ParameterError unless δ is between 0 and 1.
 */
export function gaussianLoss(epsilon: Exact, delta: Exact): Rational {
  const most = epsilonParameter(epsilon);
  const chance = Rational.parse(delta);
  const lossAt = (step: bigint): Rational => most.times(Rational.fraction(step, LOSS_STEPS));
  let [fits, exceeds] = [0n, LOSS_STEPS + 1n];
  while (chance !== null && exceeds - fits > 1n) {
    const middle = (fits + exceeds) >> 1n;
    if (isWithinAdvanced([lossAt(middle)], most, chance)) fits = middle;
    else exceeds = middle;
  }
  if (fits === 0n || chance === null || chance.compare(Rational.ONE) >= 0n)
    throw new ParameterError('delta', mistake('not-a-probability', { was: parameterValue(delta) }));
  return lossAt(fits);
}

/**
 * Gives each click the conversion that it has in the best matching of its own exact weights with everybody else's noisy ones. ε-jointly
 * private: what all other clicks get reveals of a click no more than its noisy weights do (the billboard lemma of Hsu et al. 2014); its own
 * conversion may depend on it. Several clicks can get the same conversion.
 * @throws ParameterError for parameters out of range.
 */
export function jointMatching(parameters: MatchingParameters): (random: RandomSource | null) => Matching {
  const { rounded, noise } = laplaceNoise(parameters);
  return (random) => {
    const billboard = noisy(rounded, noise, random);
    return Array.from({ length: rounded.clicks }, (_, click) => {
      const seen = billboard.edges.map((edge, index) =>
        edge.pair.click === click ? (rounded.edges[index] ?? edge) : edge,
      );
      return maximumWeightMatching({ ...billboard, edges: seen }).filter((pair) => pair.click === click);
    }).flat();
  };
}

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

/** The weights in grains, and for each click by how many grains each of its weights can change. */
function inWholeGrains(parameters: MatchingParameters): {
  readonly rounded: Graph<bigint>;
  readonly moves: readonly (readonly bigint[])[];
} {
  const graph = graphParameter(parameters);
  const grain = sensitivityParameter(parameters.sensitivity).over(Rational.of(GRAINS_PER_SENSITIVITY));
  return { rounded: reweighted(graph, (weight) => inGrains(weight, grain)), moves: movesOf(graph) };
}

function movesOf({ clicks, edges, chances }: WeightedGraph): readonly (readonly bigint[])[] {
  const moves = Array.from({ length: clicks }, (): bigint[] => []);
  edges.forEach(({ pair }, index) => {
    const { numerator, denominator } = chances[index] ?? Rational.ONE;
    moves[pair.click]?.push(ceilDivide(numerator * GRAINS_PER_SENSITIVITY, denominator));
  });
  return moves;
}

const total = (numbers: readonly bigint[]): bigint => numbers.reduce((sum, number) => sum + number, 0n);

const greatest = (numbers: readonly bigint[]): bigint =>
  numbers.reduce((most, number) => (number > most ? number : most), 0n);
