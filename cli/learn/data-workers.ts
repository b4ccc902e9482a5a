import type { ListedCells, TimesRead } from '../../analysis/learn/data-row';
import type { Examples } from '../../analysis/learn/examples';
import { pooledWorker, type PooledWorker } from '../../node/pooled-worker';
import type { Json } from '../../src/model/json';
import type { ByteRange } from '../io/log-ranges';

/** The length of a part of a log, to the end of its last row. */
export const PART_BYTES = 1 << 20;

export interface DataTask {
  readonly range: ByteRange;
  readonly delimiter: string;
  readonly columns: readonly string[];
}

/** The examples of a part of a log. */
export interface DataPart {
  /** As many as their count says; their categories and units are numbered in the order in which the part has them. */
  readonly examples: Examples;
  /** By column, the hashes of the numbered values, in the order of their numbers. */
  readonly names: ReadonlyMap<string, BigUint64Array>;
  /** Of each row's hashed categories, in the order of the map. */
  readonly fingerprints: Uint32Array;
  readonly listed: ListedCells;
  readonly times: TimesRead;
}

/**
 * Why a part must be read with what precedes it: it can begin within a row, or has a mistake, whose place only a reader of the whole knows.
 */
export type Unread = 'not-plain' | 'mistaken';

/** Its setup is the map. */
export const dataWorker: PooledWorker<Json, DataTask, DataPart | Unread> = pooledWorker('data-worker');
