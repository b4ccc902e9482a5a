import type { Experiment } from '../../analysis/experiment/experiment';
import { cellsOf, type Cell } from '../../analysis/experiment/grid';
import { runsOf, type Run } from '../../analysis/experiment/runs';
import { taskColumn } from '../../analysis/experiment/task-numbers';
import { setupOfCell } from './cells';
import type { ExperimentSetup, ExperimentTask } from './workers';
import { InputError } from '../io/input';

/** An experiment, and everything that it runs. */
export interface Plan {
  readonly experiment: Experiment;
  readonly cells: readonly Cell[];
  readonly runs: readonly Run[];
  /** The input that all runs share. */
  readonly setupFor: (log: string) => ExperimentSetup;
  /** The values of a cell, for messages. */
  readonly describe: (cell: number) => string;
  /** The message for a run that failed: the cell, and the reason. */
  readonly failure: (task: ExperimentTask, error: unknown) => unknown;
}

/** @throws InputError */
export function planOf(experiment: Experiment, file: string): Plan {
  const { seed, settings, grid, repetitions, measure } = experiment;
  const cells = cellsOf(settings, grid);
  const set = cells.map((cell) => ({
    ...setupOfCell(cell, experiment, file),
    source: cell.source,
  }));
  const drawsCredit = (cell: number): boolean => {
    const { attribution } = set[cell]?.simulation.settings ?? {};
    return attribution !== undefined && ('epsilon' in attribution || 'credit' in attribution);
  };
  const describe = (cell: number): string =>
    grid.map(({ name }, index) => `${name} = ${JSON.stringify(cells[cell]?.values[index])}`).join(', ');
  const placeOf = (cell: number): string => [file, ...(grid.length === 0 ? [] : [describe(cell)])].join(': ');
  const runs = runsOf(cells, repetitions, drawsCredit);
  return {
    ...{ experiment, cells, runs },
    setupFor: (log) => ({
      ...{ log, seed, cells: set },
      usersDone: new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT * runs.length)),
      groups: {
        columns: [...new Set(measure.levels.flat())],
        levels: measure.levels,
        confidence: measure.confidence,
        ...(measure.mostValue === null ? {} : { mostValue: measure.mostValue }),
      },
      armColumn: measure.tasks.includes('lift') ? (taskColumn(measure.levels) ?? null) : null,
    }),
    describe,
    failure: ({ cell }, error) =>
      // Errors lose their class when they pass between threads, except those of the language.
      error instanceof RangeError ? new InputError(`${placeOf(cell)}: ${error.message}`) : error,
  };
}
