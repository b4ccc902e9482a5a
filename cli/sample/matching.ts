import { Option } from 'commander';
import type { EdgeWeights, Matching, MatchingParameters } from '../../analysis/matching/graph';
import { exponentialMatching } from '../../analysis/matching/exponential';
import { greedyMatching } from '../../analysis/matching/greedy';
import {
  gaussianLoss,
  gaussianMatching,
  jointMatching,
  laplaceMatching,
} from '../../analysis/matching/noisy-weights';
import { matchingMechanisms, type MatchingMechanism } from '../../analysis/simulation/matching';
import type { RandomSource } from '../../src/privacy/random-source';
import { InputError } from '../io/input';

export interface MatchingOptions {
  readonly by: MatchingMechanism | 'exponential';
  readonly weights: EdgeWeights;
  readonly sensitivity: string;
  readonly epsilon: string;
  readonly delta?: string;
  readonly chances?: EdgeWeights;
}

/** Semicolons separate rows. A hyphen stands for a pair that cannot match. */
const matrix = (text: string): EdgeWeights =>
  text.split(';').map((row) => row.split(',').map((cell) => (cell.trim() === '-' ? null : cell.trim())));

export const matchingOptions: readonly Option[] = [
  new Option('--by <mechanism>', 'how to draw')
    .choices([...matchingMechanisms, 'exponential'])
    .makeOptionMandatory(),
  new Option('--weights <rows>', 'a row for each click, with a weight for each conversion: 3,1.5,-;2,0,1')
    .argParser(matrix)
    .makeOptionMandatory(),
  new Option(
    '--sensitivity <weight>',
    "the greatest difference of a click's weights between neighbouring data sets",
  ).makeOptionMandatory(),
  new Option('--epsilon <epsilon>', 'greater than 0').makeOptionMandatory(),
  new Option('--delta <delta>', 'between 0 and 1; for gaussian'),
  new Option('--chances <rows>', 'the probability that each pair counts, if it is not 1').argParser(matrix),
];

/** Draws matchings, written as pairs of click and conversion: `0-1 2-0`. */
export function matchingDraw({
  by,
  weights,
  sensitivity,
  epsilon,
  delta,
  chances,
}: MatchingOptions): (random: RandomSource) => string {
  if ((by === 'gaussian') !== (delta !== undefined))
    throw new InputError('sample: --delta: must be given with --by gaussian, and only with it');
  const parameters = (loss: MatchingParameters['epsilon']): MatchingParameters => ({
    weights,
    sensitivity,
    epsilon: loss,
    ...(chances === undefined ? {} : { chances }),
  });
  const draw = {
    laplace: () => laplaceMatching(parameters(epsilon)),
    gaussian: () => gaussianMatching(parameters(gaussianLoss(epsilon, delta ?? ''))),
    joint: () => jointMatching(parameters(epsilon)),
    exponential: () => exponentialMatching(parameters(epsilon)),
    greedy: () => greedyMatching(parameters(epsilon)),
  }[by]();
  return (random) => written(draw(random));
}

const written = (matching: Matching): string =>
  matching.map(({ click, conversion }) => `${click}-${conversion}`).join(' ');
