import type { Cell } from '../../analysis/learn/cells';
import type { CellResult, LearnSetup } from '../../analysis/learn/run-cell';
import { pooledWorker, type PooledWorker } from '../../node/pooled-worker';

interface WorkerSetup extends LearnSetup {
  /** Of the engine `torch`; null for the built-in one. */
  readonly python: string | null;
}

export const learnWorker: PooledWorker<WorkerSetup, Cell, CellResult> = pooledWorker('learn-worker');
