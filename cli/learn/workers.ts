import type { Cell } from '../../analysis/learn/cells';
import type { CellResult, LearnSetup } from '../../analysis/learn/run-cell';
import { pooledWorker, type PooledWorker } from '../../node/pooled-worker';

export const learnWorker: PooledWorker<LearnSetup, Cell, CellResult> = pooledWorker('learn-worker');
