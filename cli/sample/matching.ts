import { Option } from 'commander';
import { clippedWeights } from '../../analysis/matching/clipped-weights';
import type { EdgeWeights, Matching, MatchingParameters, Neighbours } from '../../analysis/matching/graph';
import { exponentialMatching } from '../../analysis/matching/exponential';
import { greedyMatching } from '../../analysis/matching/greedy';
import {
  gaussianMatching,
  jointMatching,
  laplaceMatching,
  matchingValue,
} from '../../analysis/matching/noisy-weights';
import { gaussianLoss } from '../../analysis/noise/gaussian-loss';
import { integerParameter } from '../../analysis/noise/parameters';
import { matchingMechanisms, type MatchingMechanism } from '../../analysis/simulation/matching-settings';
import type { RandomSource } from '../../src/privacy/random-source';
import { InputError, splitList } from '../io/input';
import { replaceFile } from '../io/output';
import { randomFor } from '../io/random';
import { matchingLosses, matchingLossesSvg, type LossParameters } from './matching-losses';

export interface MatchingOptions {
  readonly by: MatchingMechanism | 'exponential' | 'value';
  readonly weights: EdgeWeights;
  readonly sensitivity?: string;
  readonly clip?: string;
  readonly epsilon: string;
  readonly delta?: string;
  readonly chances?: EdgeWeights;
  readonly neighbours?: Neighbours;
  readonly owners?: readonly string[];
}

/** Semicolons separate rows. A hyphen stands for a pair that cannot match. */
const matrix = (text: string): EdgeWeights =>
  text.split(';').map((row) => row.split(',').map((cell) => (cell.trim() === '-' ? null : cell.trim())));

export const matchingOptions: readonly Option[] = [
  new Option('--by <mechanism>', 'how to draw; value draws only the weight of the best matching')
    .choices([...matchingMechanisms, 'exponential', 'value'])
    .makeOptionMandatory(),
  new Option('--weights <rows>', 'a row for each click, with a weight for each conversion: 3,1.5,-;2,0,1')
    .argParser(matrix)
    .makeOptionMandatory(),
  new Option(
    '--sensitivity <weight>',
    "the greatest difference of a click's weights between neighbouring data sets",
  ),
  new Option(
    '--clip <weight>',
    'instead of --sensitivity: bring expected weights between 0 and this, and protect the chances, too',
  ),
  new Option('--epsilon <epsilon>', 'greater than 0').makeOptionMandatory(),
  new Option('--delta <delta>', 'between 0 and 1; for gaussian'),
  new Option('--chances <rows>', 'the probability that each pair counts, if it is not 1').argParser(matrix),
  new Option(
    '--neighbours <what>',
    'what neighbouring data sets differ in: the weights of one click, or one weight; for laplace, gaussian and joint',
  ).choices(['click', 'edge'] satisfies Neighbours[]),
  new Option('--owners <names>', 'for joint: whose each click is, separated by commas').argParser(splitList),
];

/** Draws matchings, written as pairs of click and conversion: `0-1 2-0`; or the weight of the best. */
export function matchingDraw(options: MatchingOptions): (random: RandomSource) => string {
  checkOptions(options);
  const { by, epsilon, delta } = options;
  const parameters = parametersOf(options);
  if (by === 'value') {
    const value = matchingValue(parameters);
    return (random) => String(value(random).toNumber());
  }
  const draw = {
    laplace: () => laplaceMatching(parameters),
    gaussian: () => gaussianMatching({ ...parameters, epsilon: gaussianLoss(epsilon, delta ?? '') }),
    joint: () => jointMatching(parameters, options.owners),
    exponential: () => exponentialMatching(parameters),
    greedy: () => greedyMatching(parameters),
  }[by]();
  return (random) => written(draw(random));
}

const BY_NEIGHBOURS: readonly string[] = ['laplace', 'gaussian', 'joint'];

function checkOptions(options: MatchingOptions): void {
  const { by, delta, sensitivity, clip, neighbours, owners, weights } = options;
  if ((by === 'gaussian') !== (delta !== undefined))
    throw new InputError('sample: --delta: must be given with --by gaussian, and only with it');
  if ((sensitivity === undefined) === (clip === undefined))
    throw new InputError('sample: --sensitivity: must be given, or --clip instead of it');
  if (neighbours !== undefined && !BY_NEIGHBOURS.includes(by))
    throw new InputError('sample: --neighbours: must come with --by laplace, gaussian or joint');
  if (owners !== undefined && (by !== 'joint' || owners.length !== weights.length))
    throw new InputError(
      `sample: --owners: must come with --by joint, and name an owner for each of ${weights.length} clicks`,
    );
}

function parametersOf(options: MatchingOptions): MatchingParameters {
  const { weights, sensitivity = '', clip, epsilon, chances, neighbours } = options;
  const given = { weights, ...(chances === undefined ? {} : { chances }) };
  return {
    ...(clip === undefined ? { ...given, sensitivity } : clippedWeights(given, clip)),
    epsilon,
    ...(neighbours === undefined ? {} : { neighbours }),
  };
}

const written = (matching: Matching): string =>
  matching.map(({ click, conversion }) => `${click}-${conversion}`).join(' ');

export interface MatchingLossesOptions extends LossParameters {
  readonly epsilon: readonly string[];
  readonly n: string;
  readonly seed?: string;
  readonly svg?: string;
}

export const matchingLossesOptions: readonly Option[] = [
  new Option(
    '--candidates <count>',
    'how many clicks the conversion may be credited to',
  ).makeOptionMandatory(),
  new Option('--epsilon <epsilons>', 'one or more, separated by commas')
    .argParser(splitList)
    .makeOptionMandatory(),
  new Option('--delta <delta>', 'between 0 and 1; for gaussian and the bound').default('1e-6'),
  new Option('--n <count>', 'how many matchings to draw by each mechanism').makeOptionMandatory(),
  new Option('--seed <seed>', 'make the draws repeatable'),
  new Option('--svg <file>', 'write a picture of the losses'),
];

/** The loss of each mechanism beside the least that is possible: one line of JSON for each mechanism and ε. */
export function matchingLossLines({
  epsilon,
  n,
  seed,
  svg,
  ...parameters
}: MatchingLossesOptions): readonly string[] {
  const draws = Number(integerParameter('n', n, 2n, 1_000_000_000n));
  const losses = matchingLosses(parameters, epsilon, draws, randomFor(seed)(0));
  if (svg !== undefined) replaceFile(svg, matchingLossesSvg(losses));
  return losses.map(({ loss, ...others }) =>
    JSON.stringify({ ...others, loss: loss.mean, standard_error: loss.error }),
  );
}
