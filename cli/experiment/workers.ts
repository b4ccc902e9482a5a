import type { SourceFields } from '../../analysis/experiment/grid';
import type { Levels } from '../../analysis/experiment/group-sums';
import type { RunResult } from '../../analysis/experiment/result';
import type { Run } from '../../analysis/experiment/runs';
import { pooledWorker, type PooledWorker } from '../../node/pooled-worker';
import type { CellSetup } from './cells';

export interface ExperimentSetup {
  /** The log, sorted by user and time. */
  readonly log: string;
  readonly seed: string;
  readonly cells: readonly SetCell[];
  readonly groups: Levels;
  /** The column with the arms of a lift test that is measured. */
  readonly armColumn: string | null;
  /** Of each run of the plan, how many users it has simulated. Threads count in it, so that progress shows the time that is left. */
  readonly usersDone: Int32Array;
}

export interface SetCell extends CellSetup {
  readonly source: SourceFields;
}

export interface ExperimentTask extends Run {
  /** How many users of the log take part; null: all. */
  readonly users: number | null;
  /** Its place among the runs of the plan; null: it is a try. */
  readonly run: number | null;
}

export const experimentWorker: PooledWorker<ExperimentSetup, ExperimentTask, RunResult> =
  pooledWorker('experiment-worker');
