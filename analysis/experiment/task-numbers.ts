import { meanWithError, type MeanWithError } from '../report/mean-with-error';
import type { Experiment } from './experiment';
import { byGroup, levelName, type CellOutcome } from './outcome';
import type { RunResult } from './result';
import type { FeatureCell, Task, TaskInput } from './tasks/task';
import { tasks } from './tasks/tasks';

interface TaskNumber {
  readonly measure: 'task';
  readonly level: string;
  /** The task, and the name of the number. */
  readonly quantity: string;
  readonly what: string;
  readonly value: MeanWithError;
}

/** How well each task is done with the estimates of each run. */
export function taskNumbers(experiment: Experiment, { truth, noisy }: CellOutcome): readonly TaskNumber[] {
  const { levels, tasks: names } = experiment.measure;
  const level = levels.findIndex((columns) => columns.length === 1);
  const inputs = noisy.map((run) => inputOf(levels, truth, run));
  return names.flatMap((quantity) => {
    const { numbers }: Task = tasks[quantity];
    return Object.entries(numbers).flatMap(([what, numberOf]) => {
      const value = meanWithError(inputs.map(numberOf));
      // Without a conversion, the log does not decide some.
      if (!Number.isFinite(value.mean)) return [];
      return [{ measure: 'task' as const, level: levelName(experiment, level), quantity, what, value }];
    });
  });
}

type Levels = Experiment['measure']['levels'];

function inputOf(levels: Levels, truth: RunResult, run: RunResult): TaskInput {
  const columns = columnsOf(levels);
  const cells = truth.sources.map(({ group, count, conversions }) => ({
    values: group,
    sources: count,
    truth: conversions,
  }));
  const estimates = columns.map((column) => estimatesOf(levels, run, column));
  const first = columns.findIndex((_, column) => estimates[column] !== null);
  return {
    groups: groupsOf(cells, first, estimates[first] ?? new Map()),
    cells,
    sums: estimates.includes(null) ? [] : estimates.flatMap((ofColumn) => ofColumn ?? []),
  };
}

/** All columns of the levels, in the order of a source's group. */
export const columnsOf = (levels: Levels): readonly string[] => [...new Set(levels.flat())];

/** The estimated conversions by the value of a column; null if it has no level. */
function estimatesOf(levels: Levels, run: RunResult, column: string): ReadonlyMap<string, number> | null {
  const level = levels.findIndex((columns) => columns.length === 1 && columns[0] === column);
  if (level < 0) return null;
  return new Map(
    [...byGroup(run, level, 'conversions').values()].map(({ group, estimate }) => [group[0] ?? '', estimate]),
  );
}

/** The groups with sources, by one column. One without an estimate has the estimate 0. */
function groupsOf(
  cells: readonly FeatureCell[],
  column: number,
  estimates: ReadonlyMap<string, number>,
): TaskInput['groups'] {
  const groups = new Map<string, TaskInput['groups'][number]>();
  for (const { values, sources, truth } of cells) {
    const value = values[column] ?? '';
    const known = groups.get(value) ?? { sources: 0, truth: 0, estimate: estimates.get(value) ?? 0 };
    groups.set(value, { ...known, sources: known.sources + sources, truth: known.truth + truth });
  }
  return [...groups.values()];
}
