import { taskOf, type Cell } from './cells';
import type { Experiment, Figure } from './experiment';
import type { Recipe } from './methods';
import { meanWithError, relativeLoss, type MeanWithError } from './metrics';
import type { CellResult } from './run-cell';

export interface Row {
  readonly cell: Cell;
  readonly result: CellResult;
  /** In percent, against the baseline of the same model and seed. */
  readonly relativeLoss: number;
}

export function rowsOf(cells: readonly Cell[], results: readonly CellResult[]): readonly Row[] {
  const baselines = new Map<string, number>();
  const keyOf = ({ recipe, seed }: Cell): string => `${taskOf(recipe)} ${seed}`;
  cells.forEach((cell, index) => {
    const result = results[index];
    if (cell.figure < 0 && result !== undefined) baselines.set(keyOf(cell), result.error);
  });
  return cells.flatMap((cell, index) => {
    const result = results[index];
    const baseline = baselines.get(keyOf(cell));
    if (result === undefined || baseline === undefined) return [];
    return [{ cell, result, relativeLoss: relativeLoss(result.error, baseline) }];
  });
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
    const name = String(point.recipe[figure.line]);
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

/** One point for each recipe; rows of a recipe follow each other. */
export function pointsOf(rows: readonly Row[]): readonly Point[] {
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
    label: recipe.label,
    examples: recipe.examples,
    loss: recipe.training.loss,
    prior: recipe.prior,
    features: recipe.features,
    debiased: recipe.debiased,
    configuration: recipe.configuration,
    unit: recipe.unit,
    allocation: recipe.allocation,
    cap: recipe.cap,
    epsilon: recipe.epsilon,
    seed: cell.seed,
    relative_loss: loss,
    auc: result.auc,
    log_loss: result.logLoss,
    normalised_entropy: result.normalisedEntropy,
    squared_error: result.squaredError,
    calibration: result.calibration,
    label_error: result.labelError,
    validation_error: result.validationError,
    spent_epsilon: result.spentEpsilon,
    spent_delta: result.spentDelta,
  };
}
