import type { TableName } from '../../src/store/rows';

/** A row of an older version of the schema: check its fields before use. */
export type OldRow = Readonly<Record<string, unknown>>;

/** Converts the rows of a table to a version of the schema. If it throws, the database does not open. */
export interface Conversion {
  readonly version: number;
  readonly table: TableName;
  readonly convert: (row: OldRow) => OldRow;
}

/** The version of the schema. Raise it with every change of rows, keys or tables (CONTRIBUTING.md, "Changing stored data"). */
export const SCHEMA_VERSION = 1;

/** In order of version: each converts the result of those before it. */
export const conversions: readonly Conversion[] = [];

/** A row of version `from` as a row of the newest version. */
export const converted = (row: OldRow, table: TableName, from: number, all = conversions): OldRow =>
  all
    .filter((conversion) => conversion.table === table && conversion.version > from)
    .reduce((before, { convert }) => convert(before), row);
