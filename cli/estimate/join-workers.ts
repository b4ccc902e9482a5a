import type { Moment } from '../../src/model/units';
import type { JoinOptions } from '../../analysis/estimate/join/join';
import type { Statistics } from '../../analysis/estimate/result/statistics';
import { pooledWorker, type PooledWorker } from '../../node/pooled-worker';
import type { SizedFile } from '../io/log-ranges';
import type { LogPart } from './log-part';

/** What all parts have in common. */
export interface JoinSetup {
  readonly sources: readonly SizedFile[];
  readonly reports: readonly SizedFile[];
  readonly groupBy: readonly string[];
  readonly joining: JoinOptions;
  readonly asOf: string | null;
  /** Shared by all threads, by `PROGRESS`: the KiB that were read, and the groups of a part. */
  readonly progress: Int32Array;
}

/** The places in `progress`. */
export const PROGRESS = { sources: 0, reports: 1, cells: 2, groups: 3 } as const;

export interface JoinedPart {
  readonly statistics: Statistics;
  readonly lastArrival: Moment;
}

/** Null: the log must be joined in order, to say what is wrong with it, or because a row can depend on one of another part. */
export const joinWorker: PooledWorker<JoinSetup, LogPart, JoinedPart | null> = pooledWorker('join-worker');
