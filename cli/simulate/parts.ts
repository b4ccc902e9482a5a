import type { CreditCounts } from '../../analysis/credits/credit-counts';
import type { OutcomeCounts } from '../../analysis/simulation/outcome-counter';
import type { Simulation } from '../../analysis/simulation/user';
import type { PublicKey } from '../../formats/reports/sealed-payload';
import type { Compression } from '../io/compression';
import type { ByteRange } from '../io/log-ranges';
import type { Shard } from './sharding';
import type { UserLines } from './lines';

/** Whole users that are simulated together: the place from which a thread reads them, or their lines. */
export type Part =
  | { readonly kind: 'ranges'; readonly ranges: readonly ByteRange[] }
  | { readonly kind: 'users'; readonly users: readonly UserLines<PlacedText>[] };

/** An event as one line of JSON, and its file and line. */
interface PlacedText {
  readonly place: string;
  readonly text: string;
}

/** The task of a thread for a part. */
export interface PartTask {
  readonly part: Part;
  /** Whether an earlier run has simulated it. Then it is only read. */
  readonly isDone: boolean;
}

/** What a thread read from a part. */
export interface PartRead {
  /** SHA-256 of its bytes, or of its lines. */
  readonly digest: string;
  /** Hashes of the users' names, in the order of the log. Empty if the thread did not read the part from files. */
  readonly names: BigUint64Array;
  /** 0 if the thread did not read the part from files. */
  readonly rows: number;
  readonly lines: number;
  /** The times of its events, in milliseconds. */
  readonly first: number;
  readonly last: number;
}

/** A mistake in the log. */
export interface BadLine {
  readonly kind: 'bad-line';
  readonly message: string;
}

/** The answer of a thread for a part that an earlier run simulated. */
export interface OnlyRead {
  readonly kind: 'read';
  readonly read: PartRead;
}

export interface PoolSetup extends Omit<Simulation, 'limits' | 'caches' | 'sealing'> {
  /** Aggregatable reports are sealed for one of these; null: they are not encrypted. */
  readonly aggregationKeys: readonly PublicKey[] | null;
  readonly shard: Shard;
  /** Null: the system's randomness. */
  readonly seed: string | null;
  readonly withUsers: boolean;
  /** The ε that every source registers; null: each keeps the one in its header. */
  readonly sourceEpsilon: number | null;
  /** The column of the source log by which credits are compared; null: they are not. */
  readonly channel: string | null;
  readonly compression: Compression;
  /** Null: no source log is written. */
  readonly sourcesCompression: Compression | null;
}

export interface SimulatedPart {
  readonly kind: 'done';
  readonly read: PartRead;
  readonly bytes: Uint8Array;
  readonly sources: Uint8Array;
  readonly tally: OutcomeCounts;
  /** Null: credits are not compared. */
  readonly credits: CreditCounts | null;
}

/** The answer of a thread: its result for a part, only what it read if an earlier run simulated it, or the mistake. */
export type Answer<Simulated> = Simulated | OnlyRead | BadLine;
