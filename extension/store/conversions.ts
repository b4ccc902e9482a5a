import type { OldRow } from './old-row';
import { keepRecordedWords } from './recorded-words';
import type { TableName } from '../../src/store/store';
import { days } from '../../src/model/units';

/** Converts the rows of a table to version `since` of the schema. If it throws, the database does not open. */
export interface Conversion {
  readonly since: number;
  readonly table: TableName;
  readonly convert: (row: OldRow) => OldRow;
}

/** In order of version: each converts the result of those before it. */
export const conversions: readonly Conversion[] = [
  { since: 3, table: 'log', convert: keepRecordedWords },
  // All reporting sites shared the budget.
  { since: 4, table: 'spends', convert: (spend) => ({ ...spend, reportingSite: null }) },
  // Spends were kept for the longest period, and the expiry of its sources.
  {
    since: 5,
    table: 'spends',
    convert: (spend) => ({ ...spend, end: Number(spend['time']) + days(365 + 30), contextSite: '' }),
  },
  { since: 6, table: 'sources', convert: withoutAggregatable },
  {
    since: 6,
    table: 'undrawn',
    convert: (output) => ({ ...output, source: withoutAggregatable(output['source'] as OldRow) }),
  },
];

/** The fields for aggregatable reports were kept as received; no source made such reports. */
function withoutAggregatable(source: OldRow): OldRow {
  const registration = source['registration'] as OldRow | undefined;
  const aggregatable = {
    keys: new Map(),
    // A file's rows may lack any field.
    window: registration?.['expiry'],
    namedBudgets: new Map(),
    debugReporting: {},
  };
  return { ...source, registration: { ...registration, aggregatable }, aggregatable: null };
}

/** The conversions that rows of the table need after version `from`. */
export const conversionsSince = (from: number, table: TableName, all = conversions): readonly Conversion[] =>
  all.filter((conversion) => conversion.table === table && conversion.since > from);

export const converted = (row: OldRow, due: readonly Conversion[]): OldRow =>
  due.reduce((before, { convert }) => convert(before), row);
