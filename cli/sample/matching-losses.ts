import { epsilonParameter } from '../../src/privacy/parameters';
import type { Exact } from '../../src/privacy/rational';
import type { RandomSource } from '../../src/privacy/random-source';
import { integerParameter } from '../../analysis/noise/parameters';
import { figureFile } from '../../analysis/report/figure-file';
import { meanWithError, type MeanWithError } from '../../analysis/report/mean-with-error';
import { exponentialMatching } from '../../analysis/matching/exponential';
import type { Matching, MatchingParameters } from '../../analysis/matching/graph';
import { greedyMatching } from '../../analysis/matching/greedy';
import { gaussianMatching, laplaceMatching } from '../../analysis/matching/noisy-weights';
import { gaussianLoss } from '../../analysis/noise/gaussian-loss';

/** What a mechanism loses with one conversion of `candidates` clicks, of which one has the weight Δ and the others 0, as a share of Δ. */
export interface MatchingLoss {
  readonly by: string;
  readonly epsilon: Exact;
  readonly loss: MeanWithError;
}

export interface LossParameters {
  /** How many clicks the conversion may be credited to. */
  readonly candidates: Exact;
  /** The δ of Gaussian noise, and of the bound. */
  readonly delta: Exact;
}

type Build = (parameters: MatchingParameters, delta: Exact) => (random: RandomSource) => Matching;

const mechanisms: Readonly<Record<string, Build>> = {
  laplace: laplaceMatching,
  gaussian: ({ epsilon, ...others }, delta) =>
    gaussianMatching({ ...others, epsilon: gaussianLoss(epsilon, delta) }),
  greedy: greedyMatching,
  exponential: exponentialMatching,
};

const BOUND = 'bound';

/**
 * The loss of each mechanism, and the least that any could have.
 * @throws ParameterError for parameters out of range.
 */
export function matchingLosses(
  { candidates, delta }: LossParameters,
  epsilons: readonly Exact[],
  draws: number,
  random: RandomSource,
): readonly MatchingLoss[] {
  const clicks = Number(integerParameter('candidates', candidates, 2n, 1000n));
  return epsilons.flatMap((epsilon) => [
    ...Object.entries(mechanisms).map(([by, build]) => {
      const worlds = Array.from({ length: clicks }, (_, heavy) =>
        build({ weights: oneOf(clicks, heavy), epsilon, sensitivity: 1 }, delta),
      );
      // Each world as often, because mechanisms may prefer some of equal clicks, and the bound is a mean over worlds.
      const lossOf = (draw: number): number => {
        const heavy = draw % clicks;
        return worlds[heavy]?.(random)[0]?.click === heavy ? 0 : 1;
      };
      return { by, epsilon, loss: meanWithError(Array.from({ length: draws }, (_, draw) => lossOf(draw))) };
    }),
    { by: BOUND, epsilon, loss: { mean: leastLoss(clicks, epsilon, Number(delta)), error: 0 } },
  ]);
}

const oneOf = (clicks: number, heavy: number): readonly (readonly number[])[] =>
  Array.from({ length: clicks }, (_, click) => [click === heavy ? 1 : 0]);

/**
 * The least mean loss of an (ε, δ)-private mechanism over these worlds, as a share of Δ. Each world is a neighbour of the one in which all
 * weights are 0. There the mechanism picks a click with probability 1/n at most, in the mean, so here with e^ε/n + δ; and there it misses it
 * with 1 − 1/n at least, so here with e^−ε·(1 − 1/n − δ).
 */
export function leastLoss(candidates: number, epsilon: Exact, delta: number): number {
  const exact = epsilonParameter(epsilon).toNumber();
  return Math.max(
    0,
    1 - Math.exp(exact) / candidates - delta,
    Math.exp(-exact) * (1 - 1 / candidates - delta),
  );
}

/** The losses as a picture, by ε. */
export const matchingLossesSvg = (losses: readonly MatchingLoss[]): string =>
  figureFile(
    { title: 'Loss of a matching by ε', x: 'ε', y: 'mean loss as a share of Δ' },
    [...Object.keys(mechanisms), BOUND].map((name) => ({
      name,
      points: losses
        .filter(({ by }) => by === name)
        .map(({ epsilon, loss }) => ({ x: Number(epsilon), y: loss })),
    })),
    // A loss is a probability, whatever two standard errors reach.
    { least: 0, most: 1 },
  );
