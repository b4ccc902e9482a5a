import type { SourceFields } from '../analysis/experiment/grid';
import type { Levels } from '../analysis/experiment/group-sums';
import type { RunResult } from '../analysis/experiment/result';
import type { Run } from '../analysis/experiment/runs';
import type { Cell } from '../analysis/learn/cells';
import type { CellResult, LearnSetup } from '../analysis/learn/run-cell';
import type { TallyEntries } from '../analysis/simulation/tally';
import type { Batch } from '../analysis/w3c/aggregate';
import { pooledWorker, type PooledWorker } from '../node/pooled-worker';
import type { Json } from '../src/model/json';
import type { CellSetup } from './experiment-cells';
import type { Shard } from './sharding';
import type { Answer, PartRead, PartTask, PoolSetup, SimulatedPart } from './simulate-parts';

/* The commands' worker threads: what they are given and answer. */

export const simulateWorker: PooledWorker<PoolSetup, PartTask, Answer<SimulatedPart>> = pooledWorker(
  'simulate-worker',
);

export interface W3cSetup {
  /** A profile as JSON: its fractions would not survive the way to a thread. */
  readonly settings: Json;
  /** Null: the system's randomness. */
  readonly seed: string | null;
  readonly shard: Shard;
}

export interface W3cPart {
  readonly kind: 'done';
  readonly read: PartRead;
  readonly batches: readonly Batch[];
  readonly tally: TallyEntries;
}

export const simulateW3cWorker: PooledWorker<W3cSetup, PartTask, Answer<W3cPart>> = pooledWorker(
  'simulate-w3c-worker',
);

export interface ExperimentSetup {
  /** The log, sorted by user and time. */
  readonly log: string;
  readonly seed: string;
  readonly cells: readonly SetCell[];
  readonly groups: Levels;
}

export interface SetCell extends CellSetup {
  readonly source: SourceFields;
}

export interface ExperimentTask extends Run {
  /** How many users of the log take part; null: all. */
  readonly users: number | null;
}

export const experimentWorker: PooledWorker<ExperimentSetup, ExperimentTask, RunResult> =
  pooledWorker('experiment-worker');

export const learnWorker: PooledWorker<LearnSetup, Cell, CellResult> = pooledWorker('learn-worker');
