import type { Account } from '../../../src/model/uses';
import type { Rows } from '../../../src/store/rows';
import type { Snapshot } from './snapshot/snapshot';
import type { ChangesMessage } from '../../messages';

export type ShownTable = 'sources' | 'reports' | 'finished' | 'log' | 'spends';

/** Where the pages read rows: the extension's own database, or an opened file. */
export interface Reader {
  /** Ascending. */
  ids(table: ShownTable): Promise<readonly number[]>;
  /** The rows with ids from `first` to `last`, ascending. */
  range<Name extends ShownTable>(table: Name, first: number, last: number): Promise<readonly Rows[Name][]>;
  /** The `most` rows with the highest ids, descending: the newest, except of reports, whose ids are in no order. */
  newest<Name extends ShownTable>(table: Name, most: number): Promise<readonly Rows[Name][]>;
  get<Name extends ShownTable>(table: Name, id: number): Promise<Rows[Name] | null>;
  /** What units and quotas have spent, as decisions count it; null: unknown, because a file does not hold it. */
  accounts(): Promise<readonly Account[] | null>;
  /** Calls back after changes. Returns a function that stops it. */
  onChange(listener: (changes: ChangesMessage) => void): () => void;
}

export function snapshotReader({ tables }: Snapshot): Reader {
  const sorted = new Map(
    (['sources', 'reports', 'finished', 'log', 'spends'] as const).map((name) => [
      name,
      [...tables[name]].sort((a, b) => a.id - b.id),
    ]),
  );
  const rows = <Name extends ShownTable>(table: Name): readonly Rows[Name][] =>
    (sorted.get(table) ?? []) as unknown as readonly Rows[Name][];
  return {
    ids: (table) => Promise.resolve(rows(table).map(({ id }) => id)),
    range: (table, first, last) => {
      const all = rows(table);
      return Promise.resolve(all.slice(placeOf(all, first), placeOf(all, last + 1)));
    },
    newest: (table, most) => Promise.resolve(rows(table).slice(-most).reverse()),
    get: (table, id) => {
      const row = rows(table)[placeOf(rows(table), id)];
      return Promise.resolve(row?.id === id ? row : null);
    },
    accounts: () => Promise.resolve(null),
    onChange: () => () => undefined,
  };
}

/** Of the first of these ascending rows with this id, or one above it. A file can have many rows, each of which a view asks for by its id. */
function placeOf(rows: readonly { readonly id: number }[], id: number): number {
  let [from, to] = [0, rows.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((rows[middle]?.id ?? id) < id) from = middle + 1;
    else to = middle;
  }
  return from;
}
