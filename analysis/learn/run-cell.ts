import type { Cell } from './cells';
import { demoLog } from './demo-log';
import { splitByTime, withoutSensitive, type Examples, type Split } from './examples';
import type { Experiment } from './experiment';
import { trainBy } from './methods';
import { conversionMetrics, type ConversionMetrics } from './metrics';
import { predict } from './new-model';

/** What came of one training. */
export interface CellResult extends ConversionMetrics {
  readonly validationAuc: number;
  /** What the ledger says a unit lost. */
  readonly spentEpsilon: number;
  readonly spentDelta: number;
}

const SHARES = { training: 0.7, validation: 0.1 };

/** @throws RangeError when a part has no conversions, or nothing else. */
export function demoSplit({ seed, users }: Experiment): Split {
  return splitByTime(demoLog(seed, users).examples, SHARES);
}

export function runCell({ recipe, seed }: Cell, split: Split, experiment: Experiment): CellResult {
  const { model, ledger } = trainBy(recipe, split.training, `${experiment.seed} ${seed}`);
  const measured = (examples: Examples): ConversionMetrics =>
    conversionMetrics(
      predict(model, recipe.features === 'known' ? withoutSensitive(examples) : examples),
      examples.labels,
    );
  const { epsilon, delta } = ledger.total;
  return {
    ...measured(split.test),
    validationAuc: measured(split.validation).auc,
    spentEpsilon: epsilon,
    spentDelta: delta,
  };
}
