import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { root } from '../../node/root';
import { tables, type StoredTables } from '../store/stored-tables';
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

/** Where scripts/compile.mjs stores the month of `collect --demo`. */
const MONTH_FILE = path.join(root, 'dist/node/demo-month.json.gz');

export class MonthDamaged extends Error {
  constructor(file: string, cause: unknown) {
    const found = cause instanceof Error ? cause.message : String(cause);
    super(`${file}: must be the month that \`npm run build\` stores, was damaged (${found}): build again`);
  }
}

/** @throws MonthDamaged also when it is missing */
export function readMonth(file = MONTH_FILE): StoredMonth {
  try {
    const month = JSON.parse(gunzipSync(readFileSync(file)).toString()) as StoredMonth;
    const missing = tables.find((table) => typeof month.tables[table] !== 'string');
    if (missing !== undefined) throw new Error(`the table ${missing} is missing`);
    return month;
  } catch (error) {
    throw new MonthDamaged(file, error);
  }
}
