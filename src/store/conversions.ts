import type { InternalId } from '../model/records';
import type { TableName } from './store';

/** A row as an older version of the schema wrote it: what it holds must be looked at before it is used. */
export type OldRow = { readonly id: InternalId } & Readonly<Record<string, unknown>>;

/**
 * Brings the rows of a table from the shape before a version of the schema to the shape since. What it throws keeps the whole
 * database from being opened.
 */
export interface Conversion {
  readonly since: number;
  readonly table: TableName;
  readonly convert: (row: OldRow) => OldRow;
}

/** In the order of their versions; each gets what those before it made. */
export const conversions: readonly Conversion[] = [];
