import type { OutcomeCounts } from '../../analysis/simulation/outcome-counter';
import type { Batch } from '../../analysis/w3c/aggregate';
import { pooledWorker, type PooledWorker } from '../../node/pooled-worker';
import type { Json } from '../../src/model/json';
import type { Shard } from './sharding';
import type { Answer, PartRead, PartTask, PoolSetup, SimulatedPart } from './parts';

/* The worker threads, with their inputs and answers. */

export const simulateWorker: PooledWorker<PoolSetup, PartTask, Answer<SimulatedPart>> = pooledWorker(
  'simulate-worker',
);

export interface W3cSetup {
  /** A profile as JSON: fractions cannot be passed to a thread. */
  readonly settings: Json;
  /** Null: the system's randomness. */
  readonly seed: string | null;
  readonly shard: Shard;
}

export interface W3cPart {
  readonly kind: 'done';
  readonly read: PartRead;
  readonly batches: readonly Batch[];
  readonly tally: OutcomeCounts;
}

export const simulateW3cWorker: PooledWorker<W3cSetup, PartTask, Answer<W3cPart>> = pooledWorker(
  'simulate-w3c-worker',
);
