import { Option } from 'commander';
import type { ClickChoice } from '../../src/attribution/click-scores';
import type { ScoreKind } from '../../src/model/mechanisms';
import { exponentialMechanism, permuteAndFlip } from '../../src/attribution/private-choice';
import { epsilon as epsilonOf } from '../../src/model/units';
import type { Loss } from '../../src/privacy/bin-loss';
import { discreteLaplace } from '../../analysis/noise/discrete-laplace';
import { outputsFor } from '../../src/privacy/finite-distribution';
import { epsilonParameter, priorParameter, unexpected, valuesParameter } from '../../src/privacy/parameters';
import type { RandomSource } from '../../src/privacy/random-source';
import { randomizedResponse } from '../../src/privacy/randomized-response';
import { rrOnBins } from '../../src/privacy/rr-on-bins';
import { rrWithPrior } from '../../src/privacy/rr-with-prior';
import { unbiasedRandomizer } from '../../src/privacy/unbiased-randomizer';
import type { DefineCommand } from '../io/define';
import { refuseOption, splitList } from '../io/input';
import { randomFor } from '../io/random';
import { gapText, solverProgress } from '../io/solver-progress';
import { say } from '../io/terminal';
import {
  histogramDraw,
  histogramErrors,
  histogramErrorsOptions,
  histogramOptions,
  type HistogramErrorsOptions,
  type HistogramOptions,
} from './histogram';
import {
  matchingDraw,
  matchingLossesOptions,
  matchingLossLines,
  matchingOptions,
  type MatchingLossesOptions,
  type MatchingOptions,
} from './matching';
import { integerParameter, trueValueParameter } from '../../analysis/noise/parameters';

type Output = number | bigint | string;
type Draw = (random: RandomSource) => Output;

/** The options of all mechanisms. The command line ensures that each gets those that it requires. */
interface SampleOptions
  extends ClickChoice, Omit<MatchingOptions, keyof ClickChoice | 'by'>, Omit<HistogramOptions, 'by'> {
  readonly by: MatchingOptions['by'] & HistogramOptions['by'];
  readonly delta: string;
  readonly n: string;
  readonly seed?: string;
  readonly states: string;
  readonly epsilon: string;
  readonly true: string;
  readonly prior: readonly string[];
  readonly values: readonly string[];
  readonly loss: Loss;
  readonly scale: string;
}

/** `cointoss sample MECHANISM`: draws from one mechanism, so that anybody can audit the noise. */
export const define: DefineCommand = (sample, { print }) => {
  function mechanism(
    name: string,
    description: string,
    options: readonly Option[],
    build: (given: SampleOptions) => Draw,
  ): void {
    const command = sample.command(name).description(description);
    for (const option of options) command.addOption(option);
    command
      .requiredOption('--n <count>', 'number of draws')
      .option('--seed <seed>', 'make the draws repeatable')
      .action((given: SampleOptions) =>
        print(JSON.stringify({ counts: refusing(() => draw(build(given), given)) })),
      );
  }

  mechanism('rr', 'k-ary randomized response; counts states', [STATES, EPSILON, TRUE], responseDraw);
  mechanism(
    'rr-with-prior',
    'randomized response over the likeliest labels; counts labels, numbered from 0',
    [PRIOR, EPSILON, TRUE],
    priorDraw,
  );
  mechanism(
    'rr-on-bins',
    'randomized response over bins; counts outputs',
    [VALUES, PRIOR, LOSS, EPSILON, TRUE],
    binsDraw,
  );
  mechanism(
    'unbiased',
    'the unbiased randomizer of least variance; counts outputs',
    [VALUES, PRIOR, EPSILON, TRUE],
    unbiasedDraw,
  );
  mechanism(
    'exponential',
    'the exponential mechanism over clicks; counts clicks, numbered from 0',
    CHOICE,
    exponentialMechanism,
  );
  mechanism(
    'permute-and-flip',
    'permute-and-flip over clicks; counts clicks, numbered from 0',
    CHOICE,
    permuteAndFlip,
  );
  mechanism('discrete-laplace', 'discrete Laplace noise; counts whole numbers', [SCALE], ({ scale }) =>
    discreteLaplace(scale),
  );
  mechanism(
    'matching',
    'a matching of clicks and conversions; counts matchings, or weights of the best one',
    matchingOptions,
    matchingDraw,
  );
  mechanism('histogram', 'a noisy histogram; counts histograms', histogramOptions, histogramDraw);
  const errors = sample
    .command('histogram-errors')
    .description("the squared error of noisy histograms' estimates, in theory and measured");
  for (const option of histogramErrorsOptions) errors.addOption(option);
  errors.action((given: HistogramErrorsOptions) => {
    for (const line of refusing(() => histogramErrors(given))) print(line);
  });
  const losses = sample
    .command('matching-losses')
    .description(
      'how often matchings miss the right click, by each mechanism, and the least that is possible',
    );
  for (const option of matchingLossesOptions) losses.addOption(option);
  losses.action((given: MatchingLossesOptions) => {
    for (const line of refusing(() => matchingLossLines(given))) print(line);
  });
};

const required = (flags: string, description: string): Option =>
  new Option(flags, description).makeOptionMandatory();

const STATES = required('--states <k>', 'the number of states');
const EPSILON = required('--epsilon <epsilon>', 'greater than 0');
const TRUE = required('--true <truth>', 'the true state, label or value');
const PRIOR = required('--prior <probabilities>', 'the prior: how likely each is beforehand').argParser(
  splitList,
);
const VALUES = required('--values <values>', 'the values that the prior gives probabilities for').argParser(
  splitList,
);
const LOSS = required('--loss <loss>', 'the loss to keep small').choices([
  'squared',
  'absolute',
  'poisson',
] satisfies Loss[]);
const SCALE = required('--scale <scale>', 'its scale: sensitivity / epsilon');
const CHOICE = [
  required('--clicks <times>', 'the times of the clicks').argParser(splitList),
  required('--conversion <time>', 'the time of the conversion, in the same unit'),
  required('--tau <duration>', 'how far a click may move between neighbouring data sets'),
  EPSILON,
  required('--score <score>', 'the score of a click').choices([
    'linear',
    'exponential',
    'reciprocal',
  ] satisfies ScoreKind[]),
  new Option('--gap <duration>', 'the least time from click to conversion; for the reciprocal score'),
];

function refusing<T>(answer: () => T): T {
  try {
    return answer();
  } catch (error) {
    return refuseOption('sample', error);
  }
}

/** How often each output was drawn, in ascending order. */
function draw(next: Draw, options: SampleOptions): Record<string, number> {
  const n = integerParameter('n', options.n, 1n, BigInt(Number.MAX_SAFE_INTEGER));
  const random = randomFor(options.seed)(0);
  const counts = new Map<Output, number>();
  for (let drawn = 0n; drawn < n; drawn++) {
    const output = next(random);
    counts.set(output, (counts.get(output) ?? 0) + 1);
  }
  const ascending = [...counts].sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(ascending.map(([output, count]) => [String(output), count]));
}

function responseDraw(options: SampleOptions): Draw {
  const states = integerParameter('states', options.states, 1n);
  const epsilon = epsilonParameter(options.epsilon).toNumber();
  if (!(epsilon > 0 && epsilon <= MAX_RESPONSE_EPSILON))
    throw unexpected('epsilon', options.epsilon, 'positive-up-to', { max: MAX_RESPONSE_EPSILON });
  const truth = integerParameter('true', options.true, 0n, states - 1n);
  const respond = randomizedResponse(states, epsilonOf(epsilon));
  return (random) => {
    const response = respond(random);
    return response.kind === 'truthful' ? truth : response.state;
  };
}

/** With a larger value, no draw in the life of a machine would differ from the truth. */
const MAX_RESPONSE_EPSILON = 1e5;

function priorDraw(options: SampleOptions): Draw {
  const mechanism = rrWithPrior(options.prior, options.epsilon);
  const truth = integerParameter('true', options.true, 0n, BigInt(options.prior.length) - 1n);
  return outputsFor(mechanism, Number(truth));
}

/** The index of the true value in the list. */
function trueInput(options: SampleOptions): number {
  return trueValueParameter(options.true, valuesParameter(options.values, priorParameter(options.prior)));
}

function binsDraw(options: SampleOptions): Draw {
  const input = trueInput(options);
  return outputsFor(rrOnBins(options.values, options.prior, options.loss, options.epsilon), input);
}

function unbiasedDraw(options: SampleOptions): Draw {
  const input = trueInput(options);
  const mechanism = unbiasedRandomizer(
    options.values,
    options.prior,
    options.epsilon,
    solverProgress('sample: unbiased randomizer'),
  );
  const variance = mechanism.variance.toNumber();
  if (!Number.isFinite(variance)) throw unexpected('epsilon', options.epsilon, 'finite-variance');
  say(`sample: unbiased: ${gapText(variance, mechanism.gap.toNumber())}`);
  const outputs = mechanism.outputs.map((output) => output.toNumber());
  return outputsFor({ outputs, weights: mechanism.weights }, input);
}
