import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { root } from '../../node/root';
import type { StoredTables } from '../store/stored-tables';
import type { TrueCount } from '../store/true-counts';

/** What a store gets of a made-up month, in order of arrival. */
export interface Month {
  /** Rows of the source log, as JSON. */
  readonly sources: readonly string[];
  readonly reports: readonly MonthReport[];
  /** What an operator would post, as JSON. */
  readonly posted: { readonly summary: string; readonly reach: string };
}

/** An event-level report. */
export interface MonthReport {
  readonly url: string;
  /** In milliseconds since 1970. */
  readonly received: number;
  /** JSON. */
  readonly body: string;
}

/** How much a store was filled with. */
export interface DemoCounts {
  readonly sources: number;
  readonly reports: number;
}

/** A store that was filled with a month, and what happened in it. */
export interface StoredMonth {
  readonly tables: StoredTables;
  readonly posted: Month['posted'];
  readonly counts: DemoCounts;
  readonly truth: readonly TrueCount[];
}

/** The month of `collect --demo`, which scripts/compile.mjs stored. @throws Error when it is missing or damaged */
export const readMonth = (): StoredMonth =>
  JSON.parse(
    gunzipSync(readFileSync(path.join(root, 'dist/node/demo-month.json.gz'))).toString(),
  ) as StoredMonth;
