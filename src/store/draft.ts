import type { InternalId, Source } from '../model/records';
import type { Moment } from '../model/units';
import { candidateKeysOf, rowsUpTo, type IdOf, type IndexName, type Rows, type TableName } from './rows';

/** What a decision reads: rows by their ids, the sources of a conversion, and rows whose time has come. */
export interface View {
  /** @throws NotLoaded */
  get<Name extends TableName>(name: Name, id: IdOf<Name>): Rows[Name] | undefined;
  /**
   * The sources with this candidate key, best first: by priority, then the newest.
   * @param now without those that have expired by then, and without forgotten ones. Left out: all.
   * @throws NotLoaded
   */
  candidates(key: string, now?: Moment): readonly Source[];
  /** The rows whose key is at most `last`, by ascending key. @throws NotLoaded */
  upTo<Name extends TableName>(name: Name, index: IndexName<Name>, last: number): readonly Rows[Name][];
  /** Whether one of these would throw. Left out: they never do. */
  readonly lacks?: (need: Need) => boolean;
}

/** The rows of a table whose key in an index is at most `upTo`. */
export type RangeNeed = {
  readonly [Name in TableName]: {
    readonly of: Name;
    readonly index: IndexName<Name>;
    readonly upTo: number;
  };
}[TableName];

/** A row, the sources with a candidate key, or a range of rows. */
export type Need =
  | { readonly of: TableName; readonly id: IdOf<TableName> }
  | { readonly of: 'candidates'; readonly key: string }
  | RangeNeed;

/** A decision looked at something that is not in memory. Load it, and let it be decided again. */
export class NotLoaded extends Error {
  constructor(readonly needs: readonly Need[]) {
    // Not which: it is thrown often, and nobody reads it.
    super(`${needs.length} documents are not loaded`);
  }
}

/** A row as it will be; null if it will be gone. */
export type Changes = ReadonlyMap<TableName, ReadonlyMap<IdOf<TableName>, Rows[TableName] | null>>;

/** What a decision reads and changes. What is read later sees a change at once. */
export interface Draft extends View {
  /** Makes sure that all of this is loaded, so that it is loaded together. @throws NotLoaded */
  require(needs: () => readonly Need[]): void;
  /** Adds the row, or replaces the one with its id. */
  put<Name extends TableName>(name: Name, row: Rows[Name]): void;
  /** Removes the row, if it is there. */
  delete<Name extends TableName>(name: Name, id: IdOf<Name>): void;
  /** An id that no row of the table has had. */
  nextId(of: Numbered): InternalId;
}

/**
 * The tables that number their rows. A source has the number of its log entry. Others have their own numbers, so that gaps in the log do not say how
 * many reports there are.
 */
export type Numbered = 'log' | 'reports' | 'spends';

/** How many ids each table has given out. */
export type GivenIds = Readonly<Record<Numbered, number>>;

export const noIds: GivenIds = { log: 0, reports: 0, spends: 0 };

/** A draft that keeps its changes until a store applies them. */
export class BufferedDraft implements Draft {
  readonly changes = new Map<TableName, Map<IdOf<TableName>, Rows[TableName] | null>>();

  /** @param idOf the id that a table gives out as its nth. Left out: n. */
  constructor(
    private readonly before: View,
    public given: GivenIds = noIds,
    private readonly idOf: (of: Numbered, nth: number) => InternalId = (_of, nth) => nth,
  ) {}

  get<Name extends TableName>(name: Name, id: IdOf<Name>): Rows[Name] | undefined {
    // Under each name are rows of that table; TypeScript cannot say so.
    const changed = this.changes.get(name)?.get(id) as Rows[Name] | null | undefined;
    return changed === undefined ? this.before.get(name, id) : (changed ?? undefined);
  }

  candidates(key: string, now?: Moment): readonly Source[] {
    const before = this.before.candidates(key, now);
    const changed = this.changes.get('sources') as ReadonlyMap<InternalId, Source | null> | undefined;
    if (changed === undefined) return before;
    const kept = before.filter(({ id }) => !changed.has(id));
    const added = [...changed.values()].filter(
      (source) =>
        source !== null &&
        (now === undefined || takesConversions(source, now)) &&
        candidateKeysOf(source).includes(key),
    ) as Source[];
    return added.length === 0 ? kept : [...kept, ...added].sort(bySourceRank);
  }

  upTo<Name extends TableName>(name: Name, index: IndexName<Name>, last: number): readonly Rows[Name][] {
    const before = this.before.upTo(name, index, last);
    // Under each name are rows of that table; TypeScript cannot say so.
    const changed = this.changes.get(name) as ReadonlyMap<IdOf<Name>, Rows[Name] | null> | undefined;
    if (changed === undefined) return before;
    const kept = before.filter(({ id }) => !changed.has(id));
    return rowsUpTo(name, index, [...kept, ...[...changed.values()].filter((row) => row !== null)], last);
  }

  require(needs: () => readonly Need[]): void {
    const { lacks } = this.before;
    if (lacks === undefined) return;
    const missing = needs().filter(lacks);
    if (missing.length > 0) throw new NotLoaded(missing);
  }

  put<Name extends TableName>(name: Name, row: Rows[Name]): void {
    this.changesOf(name).set(row.id, row);
  }

  delete<Name extends TableName>(name: Name, id: IdOf<Name>): void {
    this.changesOf(name).set(id, null);
  }

  nextId(of: Numbered): InternalId {
    const nth = this.given[of] + 1;
    this.given = { ...this.given, [of]: nth };
    return this.idOf(of, nth);
  }

  private changesOf(name: TableName): Map<IdOf<TableName>, Rows[TableName] | null> {
    let changed = this.changes.get(name);
    if (changed === undefined) {
      changed = new Map<IdOf<TableName>, Rows[TableName] | null>();
      this.changes.set(name, changed);
    }
    return changed;
  }
}

/** Whether a conversion can be attributed to the source. */
export const takesConversions = ({ expiryTime, forgotten }: Source, now: number): boolean =>
  expiryTime > now && forgotten === undefined;

/** ARA, "is higher-priority than": best first; of the same millisecond, the one that was stored last. */
export function bySourceRank(a: Source, b: Source): number {
  const [left, right] = [a.registration.priority, b.registration.priority];
  return left === right ? b.time - a.time || b.id - a.id : left > right ? -1 : 1;
}
