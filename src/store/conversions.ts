import type { OldRow } from './old-row';
import { keepRecordedWords } from './recorded-words';
import type { TableName } from './store';

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
export const conversions: readonly Conversion[] = [{ since: 3, table: 'log', convert: keepRecordedWords }];

/** What a row of the table went through since that version of the schema. */
export const conversionsSince = (from: number, table: TableName, all = conversions): readonly Conversion[] =>
  all.filter((conversion) => conversion.table === table && conversion.since > from);

export const converted = (row: OldRow, due: readonly Conversion[]): OldRow =>
  due.reduce((before, { convert }) => convert(before), row);
