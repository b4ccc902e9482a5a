import { Option } from 'commander';
import {
  histogramMechanisms,
  noisyHistogram,
  type HistogramMechanism,
} from '../../analysis/histograms/mechanisms';
import { squaredErrors, squaredErrorsSvg } from '../../analysis/histograms/squared-errors';
import { integerParameter } from '../../analysis/noise/parameters';
import type { RandomSource } from '../../src/privacy/random-source';
import { replaceFile } from '../io/output';
import { randomFor } from '../io/random';

const splitNumbers = (text: string): readonly string[] => (text.trim() === '' ? [] : text.split(','));

const countsOption = new Option('--counts <counts>', 'the true number of people in each bucket')
  .argParser(splitNumbers)
  .makeOptionMandatory();
const deltaOption = new Option(
  '--delta <delta>',
  'between 0 and 1; for shuffled-rr and discrete-gaussian',
).default('1e-6');

export interface HistogramOptions {
  readonly by: HistogramMechanism;
  readonly counts: readonly string[];
  readonly epsilon: string;
  readonly delta: string;
}

export const histogramOptions: readonly Option[] = [
  new Option('--by <mechanism>', 'who adds which noise').choices(histogramMechanisms).makeOptionMandatory(),
  countsOption,
  new Option('--epsilon <epsilon>', 'greater than 0 and at most 100').makeOptionMandatory(),
  deltaOption,
];

/** Draws histograms as the analyst gets them, written as numbers with spaces: `3 0 1`. */
export function histogramDraw({ by, ...parameters }: HistogramOptions): (random: RandomSource) => string {
  const { draw } = noisyHistogram(by, parameters);
  return (random) => draw(random).join(' ');
}

export interface HistogramErrorsOptions {
  readonly counts: readonly string[];
  readonly epsilon: readonly string[];
  readonly delta: string;
  readonly n: string;
  readonly seed?: string;
  readonly svg?: string;
}

export const histogramErrorsOptions: readonly Option[] = [
  countsOption,
  new Option('--epsilon <epsilons>', 'one or more, separated by commas')
    .argParser(splitNumbers)
    .makeOptionMandatory(),
  deltaOption,
  new Option('--n <count>', 'how many histograms to draw by each mechanism').makeOptionMandatory(),
  new Option('--seed <seed>', 'make the draws repeatable'),
  new Option('--svg <file>', 'write a picture of the errors'),
];

/** The squared error of each mechanism, in theory and measured: one line of JSON for each mechanism and ε. */
export function histogramErrors({
  epsilon,
  n,
  seed,
  svg,
  ...histogram
}: HistogramErrorsOptions): readonly string[] {
  const draws = Number(integerParameter('n', n, 2n, 1_000_000_000n));
  const errors = squaredErrors(histogram, epsilon, draws, randomFor(seed)(0));
  if (svg !== undefined) replaceFile(svg, squaredErrorsSvg(errors));
  return errors.map(({ measured, ...theory }) =>
    JSON.stringify({ ...theory, measured: measured.mean, standard_error: measured.error }),
  );
}
