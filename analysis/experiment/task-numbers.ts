import { meanWithError, type MeanWithError } from '../report/mean-with-error';
import { holdoutOf, type Experiment } from './experiment';
import { byGroup, levelName, type CellOutcome } from './outcome';
import type { RunResult } from './result';
import type { Task, TaskGroup, TaskOptions } from './tasks/task';
import { tasks } from './tasks/tasks';

interface TaskNumber {
  readonly measure: 'task';
  readonly level: string;
  /** The task, and the name of the number. */
  readonly quantity: string;
  readonly what: string;
  readonly value: MeanWithError;
}

/** How well each task is done with the estimates of each run, by the one column of groups. */
export function taskNumbers(experiment: Experiment, { truth, noisy }: CellOutcome): readonly TaskNumber[] {
  const { levels, tasks: names, confidence } = experiment.measure;
  const options: TaskOptions = { confidence, holdout: holdoutOf(experiment) };
  const level = levels.findIndex((columns) => columns.length === 1);
  const runs = noisy.map((run) => groupsOf(truth, run, level));
  return names.flatMap((quantity) => {
    const { numbers }: Task = tasks[quantity];
    return Object.entries(numbers).flatMap(([what, numberOf]) => {
      const value = meanWithError(runs.map((groups) => numberOf(groups, options)));
      // Without a conversion, the log does not decide some.
      if (!Number.isFinite(value.mean)) return [];
      return [{ measure: 'task' as const, level: levelName(experiment, level), quantity, what, value }];
    });
  });
}

/** The groups with sources. One without an estimate has the estimate 0. */
function groupsOf(truth: RunResult, run: RunResult, level: number): readonly TaskGroup[] {
  const [truths, estimates] = [truth, run].map((result) => byGroup(result, level, 'conversions'));
  return truth.sources.map(({ group, count }) => {
    const key = JSON.stringify(group);
    const { estimate = 0, variance = 0 } = estimates?.get(key) ?? {};
    return {
      name: group.join(' '),
      sources: count,
      truth: truths?.get(key)?.observed ?? 0,
      estimate,
      variance,
    };
  });
}
