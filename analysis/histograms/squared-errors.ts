import { integerParameter } from '../noise/parameters';
import type { Exact } from '../../src/privacy/rational';
import type { RandomSource } from '../../src/privacy/random-source';
import { figureFile } from '../report/figure-file';
import { meanWithError, type MeanWithError } from '../report/mean-with-error';
import {
  histogramMechanisms,
  noisyHistogram,
  type HistogramMechanism,
  type HistogramParameters,
} from './mechanisms';

/** The cost of one way of adding noise: the mean over the buckets of the squared error of an estimate. */
export interface SquaredError {
  readonly by: HistogramMechanism;
  readonly epsilon: Exact;
  readonly expected: number;
  readonly measured: MeanWithError;
}

/**
 * Draws `draws` histograms by each mechanism with each ε.
 * @throws ParameterError for parameters out of range.
 */
export function squaredErrors(
  { counts, delta }: Omit<HistogramParameters, 'epsilon'>,
  epsilons: readonly Exact[],
  draws: number,
  random: RandomSource,
): readonly SquaredError[] {
  const truth = counts.map((count) => Number(integerParameter('counts', count, 0n)));
  return epsilons.flatMap((epsilon) =>
    histogramMechanisms.map((by) => {
      const { draw, estimate, squaredError } = noisyHistogram(by, { counts, epsilon, delta });
      const errorOf = (): number => {
        const squares = draw(random).map((drawn, bucket) => (estimate(drawn) - (truth[bucket] ?? 0)) ** 2);
        return squares.reduce((sum, square) => sum + square, 0) / squares.length;
      };
      return {
        by,
        epsilon,
        expected: squaredError,
        measured: meanWithError(Array.from({ length: draws }, errorOf)),
      };
    }),
  );
}

/** The measured errors as a picture, by ε. */
export const squaredErrorsSvg = (errors: readonly SquaredError[]): string =>
  figureFile(
    { title: 'Squared error of a histogram by ε', x: 'ε', y: 'mean squared error of a bucket' },
    histogramMechanisms.map((name) => ({
      name,
      points: errors
        .filter(({ by }) => by === name)
        .map(({ epsilon, measured }) => ({ x: Number(epsilon), y: measured })),
    })),
    { isLogarithmic: true },
  );
