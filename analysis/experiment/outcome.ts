import type { Json } from '../../src/model/json';
import type { Experiment } from './experiment';
import type { Cell } from './grid';
import type { GroupResult, RunResult } from './result';
import type { Run } from './runs';

/** All results of one cell. Lists are by repetition. */
export interface CellOutcome {
  readonly values: readonly Json[];
  readonly truth: RunResult;
  readonly credit: readonly RunResult[];
  readonly noisy: readonly RunResult[];
}

export function outcomesOf(
  cells: readonly Cell[],
  runs: readonly Run[],
  results: readonly RunResult[],
): readonly CellOutcome[] {
  const found = cells.map(({ values }) => ({
    values,
    truth: [] as RunResult[],
    credit: [] as RunResult[],
    noisy: [] as RunResult[],
  }));
  runs.forEach(({ cell, kind }, index) => {
    const result = results[index];
    if (result !== undefined) found[cell]?.[kind].push(result);
  });
  return found.flatMap(({ truth: [truth], ...others }) =>
    truth === undefined ? [] : [{ ...others, truth }],
  );
}

/** The results of one level and quantity by group. */
export const byGroup = (
  { groups }: RunResult,
  level: number,
  quantity: string,
): ReadonlyMap<string, GroupResult> =>
  new Map(
    groups
      .filter((found) => found.level === level && found.quantity === quantity)
      .map((found) => [JSON.stringify(found.group), found]),
  );

/** What the groups sum up: conversions, or noisy values. */
const TOTALS = ['conversions', 'label-sum', 'binned-sum'];

/** The quantity that measures the credit of a group. */
export const creditQuantity = ({ truth: { groups } }: CellOutcome): string =>
  TOTALS.find((total) => groups.some(({ quantity }) => quantity === total)) ?? 'conversions';

/** The columns of a level, or that it is everything. */
export const levelName = ({ measure }: Experiment, level: number): string => {
  const columns = measure.levels[level] ?? [];
  return columns.length === 0 ? 'all' : columns.join(' × ');
};
