import type { Source } from '../../src/model/records';
import { bySourceRank, type View } from '../../src/store/draft';
import {
  candidateKeysOf,
  rowsUpTo,
  tableNames,
  type IdOf,
  type Rows,
  type TableName,
} from '../../src/store/rows';
import type { ReadTransaction } from '../../transactions/store';

/** All that a store has. */
export type AllRows = { readonly [Name in TableName]: readonly Rows[Name][] };

export async function allRows(tx: ReadTransaction): Promise<AllRows> {
  const entries = tableNames().map(async (name) => [name, await tx.table(name).latest(Infinity)] as const);
  // Under each name are rows of that table.
  return Object.fromEntries(await Promise.all(entries)) as unknown as AllRows;
}

export function viewOf(rows: AllRows): View {
  const byId = new Map(
    tableNames().map((name) => [name, new Map<IdOf<TableName>, Rows[TableName]>()] as const),
  );
  for (const name of tableNames()) for (const row of rows[name]) byId.get(name)?.set(row.id, row);
  const candidates = new Map<string, Source[]>();
  for (const source of rows.sources)
    for (const key of candidateKeysOf(source)) {
      const sources = candidates.get(key);
      if (sources === undefined) candidates.set(key, [source]);
      else sources.push(source);
    }
  return {
    get: <Name extends TableName>(name: Name, id: IdOf<Name>) =>
      byId.get(name)?.get(id) as Rows[Name] | undefined,
    candidates: (key) => [...(candidates.get(key) ?? [])].sort(bySourceRank),
    upTo: (name, index, last) => rowsUpTo(name, index, rows[name], last),
  };
}
