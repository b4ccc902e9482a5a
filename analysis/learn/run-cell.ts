import type { Cell } from './cells';
import { demoLog } from './demo-log';
import type { Engine } from './engine';
import {
  labelledExamples,
  splitByTime,
  type ShareOfParts,
  withoutSensitive,
  type Examples,
  type Split,
} from './examples';
import type { Experiment } from './experiment';
import { withClippedNumbers } from './feature-sums';
import { trainBy } from './methods';
import { unitOf } from './recipe';
import { metricsOf, type Metrics } from './metrics';
import { predict } from './new-model';
import type { OnSolverRound } from './value-noise';
import { withReportedLabels, type ReportedLabels } from './reported-labels';

/** What came of one training. */
export interface CellResult extends Metrics {
  readonly validationError: number;
  /** The root mean square of the noise of labels; null where they are not randomized one by one. */
  readonly labelError: number | null;
  /** The share of the parameters that a step of noisy gradients gives noise; null without. */
  readonly noisyShare: number | null;
  /** What the accountant says a unit lost. */
  readonly spentEpsilon: number;
  readonly spentDelta: number;
}

export const DEMO_SHARES: ShareOfParts = { training: 0.7, validation: 0.1, random: null };

/** @throws RangeError when a part has no conversions, or nothing else. */
export function demoSplit({ seed, users, log }: Experiment): Split {
  return splitByTime(demoLog(seed, users, log).examples, DEMO_SHARES);
}

/** What all trainings of an experiment have in common. */
export interface LearnSetup {
  readonly experiment: Experiment;
  readonly split: Split;
  /** Labels of the training part from reports, by the name of their configuration. */
  readonly reported: ReadonlyMap<string, ReportedLabels>;
}

export function runCell(
  { recipe, seed }: Cell,
  split: Split,
  experiment: Experiment,
  reported: LearnSetup['reported'] = new Map(),
  engine?: Engine,
  onSolverRound?: OnSolverRound,
): CellResult {
  const labelled = (examples: Examples): Examples =>
    labelledExamples(examples, recipe.label, recipe.examples);
  const fromReports = recipe.configuration === null ? undefined : reported.get(recipe.configuration);
  const { model, accountant, labelError, noisyShare } = trainBy(
    recipe,
    fromReports === undefined
      ? labelled(split.training)
      : withReportedLabels(split.training, fromReports, recipe.label, recipe.debiased),
    `${experiment.seed} ${seed}`,
    engine,
    onSolverRound,
  );
  const measured = (part: Examples): Metrics => {
    const examples = labelled(part);
    const visible = recipe.features === 'known' ? withoutSensitive(examples) : examples;
    const outputs = predict(model, recipe.method === 'feature-sums' ? withClippedNumbers(visible) : visible);
    return metricsOf(recipe.training.loss, outputs, examples.labels, unitOf(recipe));
  };
  const { epsilon, delta } = accountant.total;
  return {
    ...measured(split.test),
    validationError: measured(split.validation).error,
    labelError,
    noisyShare,
    spentEpsilon: epsilon,
    spentDelta: delta,
  };
}
