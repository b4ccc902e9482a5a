import { taskOf, type Cell } from './cells';
import type { Experiment, Figure } from './experiment';
import { networkName } from './network-model';
import { hasStages, type Recipe } from './recipe';
import { meanWithError, type MeanWithError } from '../report/mean-with-error';
import { relativeLoss } from './metrics';
import type { CellResult } from './run-cell';

export interface Row {
  readonly cell: Cell;
  readonly result: CellResult;
  /** In percent, against the baseline of the same model and seed. */
  readonly relativeLoss: number;
}

export function rowsOf(cells: readonly Cell[], results: readonly (CellResult | undefined)[]): readonly Row[] {
  const found = cells.flatMap((cell, index) => {
    const result = results[index];
    return result === undefined ? [] : [{ cell, result }];
  });
  const chosen = bestTrainings(found);
  const keyOf = ({ recipe, seed }: Cell): string => `${taskOf(recipe)} ${seed}`;
  const baselines = new Map(
    found
      .filter(({ cell }) => cell.figure < 0 && trainingOf(cell) === chosen.get(taskOf(cell.recipe)))
      .map(({ cell, result }) => [keyOf(cell), result.error]),
  );
  return found.map(({ cell, result }) => ({
    cell,
    result,
    // Each task has a baseline for each seed.
    relativeLoss: relativeLoss(result.error, baselines.get(keyOf(cell)) ?? NaN),
  }));
}

/** How a baseline was trained. */
const trainingOf = ({ recipe }: Cell): string => JSON.stringify(recipe.training);

/** For each task how the baseline with the least validation error was trained, over all seeds. */
function bestTrainings(found: readonly Omit<Row, 'relativeLoss'>[]): ReadonlyMap<string, string> {
  const sums = new Map<string, Map<string, number>>();
  for (const { cell, result } of found) {
    if (cell.figure >= 0) continue;
    const training = trainingOf(cell);
    const ofTask = sums.get(taskOf(cell.recipe)) ?? new Map<string, number>();
    sums.set(taskOf(cell.recipe), ofTask.set(training, (ofTask.get(training) ?? 0) + result.validationError));
  }
  return new Map(
    [...sums].map(([task, ofTrainings]) => [
      task,
      [...ofTrainings].reduce((best, other) => (other[1] < best[1] ? other : best))[0],
    ]),
  );
}

/** The means of one recipe over all seeds. */
export interface Point {
  readonly recipe: Recipe;
  readonly loss: MeanWithError;
  readonly error: MeanWithError;
  readonly calibration: MeanWithError;
  readonly validationError: number;
  /** Null where labels are not randomized one by one. */
  readonly labelError: MeanWithError | null;
}

export interface Line {
  readonly name: string;
  /** In order of ε. */
  readonly points: readonly Point[];
}

/** The lines of a figure. */
export function linesOf(rows: readonly Row[], figure: Figure, index: number): readonly Line[] {
  const lines = new Map<string, Map<number, Point>>();
  for (const point of pointsOf(rows.filter(({ cell }) => cell.figure === index))) {
    const name = lineOf(point.recipe, figure);
    const line = lines.get(name) ?? new Map<number, Point>();
    lines.set(name, line);
    const epsilon = point.recipe.epsilon ?? Infinity;
    const known = line.get(epsilon);
    if (known === undefined || point.validationError < known.validationError) line.set(epsilon, point);
  }
  return [...lines].map(([name, points]) => ({
    name,
    points: [...points].sort(([a], [b]) => a - b).map(([, point]) => point),
  }));
}

const lineOf = ({ privateTraining, ...recipe }: Recipe, { line }: Figure): string =>
  String(line === 'sampling' || line === 'threshold' ? privateTraining[line] : recipe[line]);

/** The baselines that others are compared with: one for each task. */
export function baselinesOf(rows: readonly Row[]): readonly Point[] {
  const best = new Map<string, Point>();
  for (const point of pointsOf(rows.filter(({ cell }) => cell.figure < 0))) {
    const known = best.get(taskOf(point.recipe));
    if (known === undefined || point.validationError < known.validationError)
      best.set(taskOf(point.recipe), point);
  }
  return [...best.values()];
}

/** One point for each recipe; rows of a recipe follow each other. */
function pointsOf(rows: readonly Row[]): readonly Point[] {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const key = JSON.stringify(row.cell.recipe);
    const group = groups.get(key) ?? [];
    groups.set(key, group);
    group.push(row);
  }
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const mean = (of: (row: Row) => number): MeanWithError => meanWithError(group.map(of));
    return [
      {
        recipe: first.cell.recipe,
        loss: mean((row) => row.relativeLoss),
        error: mean(({ result }) => result.error),
        calibration: mean(({ result }) => result.calibration),
        validationError: mean(({ result }) => result.validationError).mean,
        labelError: first.result.labelError === null ? null : mean(({ result }) => result.labelError ?? NaN),
      },
    ];
  });
}

/** One row for each training: tidy data. */
export function tableRow(
  { figures }: Experiment,
  { cell, result, relativeLoss: loss }: Row,
): Readonly<Record<string, string | number | boolean | null>> {
  const { recipe } = cell;
  return {
    figure: figures[cell.figure]?.title ?? 'baseline',
    method: recipe.method,
    model: recipe.model,
    network: recipe.model === 'network' ? networkName(recipe.network) : null,
    label: recipe.label,
    examples: recipe.examples,
    loss: recipe.training.loss,
    prior: recipe.prior,
    stages: hasStages(recipe) ? recipe.stages.count : null,
    stage_split: hasStages(recipe) ? recipe.stages.split : null,
    label_phase: recipe.method === 'hybrid' ? recipe.labelPhase : null,
    features: recipe.features,
    debiased: recipe.debiased,
    configuration: recipe.configuration,
    unit: recipe.unit,
    allocation: recipe.allocation,
    cap: recipe.cap,
    label_cap: recipe.labelCap,
    epsilon: recipe.epsilon,
    optimiser: recipe.training.optimiser,
    rate: recipe.training.rate,
    batch: recipe.training.batch,
    epochs: recipe.training.steps === undefined ? recipe.training.epochs : null,
    steps: recipe.training.steps ?? null,
    dropout: recipe.training.dropout,
    private_optimiser: recipe.privateTraining.optimiser,
    private_rate: recipe.privateTraining.rate,
    private_batch: recipe.privateTraining.batch,
    private_epochs: recipe.privateTraining.steps === undefined ? recipe.privateTraining.epochs : null,
    private_steps: recipe.privateTraining.steps ?? null,
    private_dropout: recipe.privateTraining.dropout,
    clip: recipe.privateTraining.clip,
    sampling: recipe.privateTraining.sampling,
    threshold: recipe.privateTraining.threshold,
    label_share: recipe.method === 'hybrid' ? recipe.labelShare : null,
    seed: cell.seed,
    relative_loss: loss,
    auc: result.auc,
    log_loss: result.logLoss,
    normalised_entropy: result.normalisedEntropy,
    squared_error: result.squaredError,
    calibration: result.calibration,
    label_error: result.labelError,
    noisy_share: result.noisyShare,
    validation_error: result.validationError,
    spent_epsilon: result.spentEpsilon,
    spent_delta: result.spentDelta,
  };
}
