import { meanWithError, type MeanWithError } from '../report/mean-with-error';
import { holdoutOf, type Experiment } from './experiment';
import { byGroup, levelName, type CellOutcome } from './outcome';
import type { RunResult } from './result';
import type { FeatureCell, Task, TaskGroup, TaskInput, TaskOptions } from './tasks/task';
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
  const { levels, tasks: names, confidence, mostValue } = experiment.measure;
  const options: TaskOptions = { confidence, holdout: holdoutOf(experiment), mostValue };
  const level = levels.findIndex(isOfOneColumn);
  const inputs = noisy.map((run) => ({
    ...inputOf(experiment.measure, truth, run),
    ...options,
  }));
  return names.flatMap((quantity) => {
    const { numbers }: Task = tasks[quantity];
    return Object.entries(numbers).flatMap(([what, numberOf]) => {
      const value = meanWithError(inputs.map(numberOf));
      return [{ measure: 'task' as const, level: levelName(experiment, level), quantity, what, value }];
    });
  });
}

type Measures = Experiment['measure'];

function inputOf(
  { levels, mostValue }: Measures,
  truth: RunResult,
  run: RunResult,
): Omit<TaskInput, keyof TaskOptions> {
  const quantity = mostValue === null ? 'conversions' : 'value';
  const columns = columnsOf(levels);
  const cells = truth.sources.map(({ group, count, conversions }) => ({
    values: group,
    sources: count,
    truth: conversions,
  }));
  const estimates = columns.map((column) => estimatesOf(levels, run, column, quantity));
  const first = columns.indexOf(taskColumn(levels) ?? '');
  return {
    groups: groupsOf(cells, first, estimates[first] ?? new Map()),
    cells,
    sums: estimates.includes(null)
      ? []
      : estimates.map((of, column) => sumsOf(cells, column, of ?? new Map())),
  };
}

const isOfOneColumn = (columns: readonly string[]): boolean => columns.length === 1;

/** The column by which tasks have their groups: that of the first level with one column. */
export const taskColumn = (levels: Measures['levels']): string | undefined => levels.find(isOfOneColumn)?.[0];

/** All columns of the levels, in the order of a source's group. */
export const columnsOf = (levels: Measures['levels']): readonly string[] => [...new Set(levels.flat())];

/** Estimates of the conversions or of their worth, by the value of a column. */
type Estimates = ReadonlyMap<string, Pick<TaskGroup, 'estimate' | 'variance'>>;

/** Null if the column has no level. */
function estimatesOf(
  levels: Measures['levels'],
  run: RunResult,
  column: string,
  quantity: 'conversions' | 'value',
): Estimates | null {
  const level = levels.findIndex((columns) => columns.length === 1 && columns[0] === column);
  if (level < 0) return null;
  return new Map(
    [...byGroup(run, level, quantity).values()].map(({ group, estimate, variance }) => [
      group[0] ?? '',
      { estimate, variance },
    ]),
  );
}

/** By the value of a column. What nothing is known of has the rate of the others, or of all if nothing is known of any. */
function sumsOf(
  cells: readonly FeatureCell[],
  column: number,
  estimates: Estimates,
): ReadonlyMap<string, number> {
  const groups = groupsOf(cells, column, estimates);
  const known = groups.filter(({ variance }) => variance !== null);
  const counted = known.length === 0 ? groups : known;
  const total = (of: (group: TaskGroup) => number): number =>
    counted.reduce((sum, group) => sum + of(group), 0);
  const rate = total(({ estimate }) => estimate) / total(({ sources }) => sources);
  return new Map(
    groups.map(({ name, sources, estimate, variance }) => [
      name,
      variance === null ? sources * rate : estimate,
    ]),
  );
}

/** The groups with sources, by one column. Of one without an estimate nothing is known. */
function groupsOf(cells: readonly FeatureCell[], column: number, estimates: Estimates): TaskInput['groups'] {
  const groups = new Map<string, TaskGroup>();
  for (const { values, sources, truth } of cells) {
    const value = values[column] ?? '';
    const { estimate, variance } = estimates.get(value) ?? { estimate: 0, variance: null };
    const known = groups.get(value) ?? { name: value, sources: 0, truth: 0, estimate, variance };
    groups.set(value, { ...known, sources: known.sources + sources, truth: known.truth + truth });
  }
  return [...groups.values()];
}
