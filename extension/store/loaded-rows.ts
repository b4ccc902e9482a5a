import type { Source } from '../../src/model/records';
import type { Moment } from '../../src/model/units';
import {
  bySourceRank,
  NotLoaded,
  takesConversions,
  type Changes,
  type Need,
  type RangeNeed,
  type View,
} from '../../src/store/draft';
import {
  candidateKeysOf,
  rowsUpTo,
  type IdOf,
  type IndexName,
  type Rows,
  type TableName,
} from '../../src/store/rows';

type Id = IdOf<TableName>;
type Row = Rows[TableName];

/** Where rows are loaded from. */
export interface RowReader {
  readonly row: (table: TableName, id: Id) => Promise<Row | undefined>;
  readonly candidates: (key: string) => Promise<readonly Source[]>;
  readonly upTo: (range: RangeNeed) => Promise<readonly Row[]>;
  /** Whether there can be no row with this id, because nobody had it before. */
  readonly isNew: (table: TableName, id: Id) => boolean;
}

/** Sources by candidate key, each list in the order of `bySourceRank`. */
export type CandidateLists = ReadonlyMap<string, readonly Source[]>;

/** The rows that a transaction has read for decisions, as it has changed them since. */
export class LoadedRows implements View {
  private readonly tables = new Map<TableName, Map<Id, Row | undefined>>();
  private readonly byCandidate: Map<string, readonly Source[]>;
  /** The lists whose sources are among the rows, too. */
  private readonly loadedKeys = new Set<string>();
  /** By table and index: up to which key all rows are among the rows. */
  private readonly ranges = new Map<string, number>();

  /** @param known lists that are the same in the database */
  constructor(
    private readonly reader: RowReader,
    known: CandidateLists = new Map(),
  ) {
    this.byCandidate = new Map(known);
  }

  /** Those that were needed last come last. */
  get candidateLists(): CandidateLists {
    return this.byCandidate;
  }

  /** Loads what is not loaded, all of it at once. */
  async load(needs: readonly Need[]): Promise<void> {
    const missing = new Map(needs.filter(this.lacks).map((need) => [JSON.stringify(need), need]));
    const loading = [...missing.values()].map(async (need) => {
      if (need.of === 'candidates') await this.loadCandidates(need.key);
      else if ('index' in need) await this.loadRange(need);
      else this.note(need.of, need.id, await this.reader.row(need.of, need.id));
    });
    await Promise.all(loading);
  }

  private async loadCandidates(key: string): Promise<void> {
    const sources = this.byCandidate.get(key) ?? [...(await this.reader.candidates(key))].sort(bySourceRank);
    for (const source of sources) this.note('sources', source.id, source);
    this.byCandidate.delete(key);
    this.byCandidate.set(key, sources);
    this.loadedKeys.add(key);
  }

  private async loadRange(range: RangeNeed): Promise<void> {
    for (const row of await this.reader.upTo(range)) this.note(range.of, row.id, row);
    const key = rangeKey(range.of, range.index);
    this.ranges.set(key, Math.max(range.upTo, this.loadedUpTo(key)));
  }

  private loadedUpTo(key: string): number {
    return this.ranges.get(key) ?? -Infinity;
  }

  readonly lacks = (need: Need): boolean => {
    if (need.of === 'candidates') return !this.loadedKeys.has(need.key);
    if (!('index' in need)) return !this.has(need.of, need.id);
    return this.loadedUpTo(rangeKey(need.of, need.index)) < need.upTo;
  };

  has(table: TableName, id: Id): boolean {
    return (
      this.tables.get(table)?.has(id) === true || this.reader.isNew(table, id) || this.isPending(table, id)
    );
  }

  /** A report that waits is not among the finished ones. */
  private isPending(table: TableName, id: Id): boolean {
    return table === 'finished' && this.tables.get('reports')?.get(id) !== undefined;
  }

  get<Name extends TableName>(table: Name, id: IdOf<Name>): Rows[Name] | undefined {
    if (!this.has(table, id)) throw new NotLoaded([{ of: table, id }]);
    // Under each name are rows of that table; TypeScript cannot say so.
    return this.tables.get(table)?.get(id) as Rows[Name] | undefined;
  }

  candidates(key: string, now?: Moment): readonly Source[] {
    const found = this.loadedKeys.has(key) ? this.byCandidate.get(key) : undefined;
    if (found === undefined) throw new NotLoaded([{ of: 'candidates', key }]);
    return now === undefined ? found : found.filter((source) => takesConversions(source, now));
  }

  upTo<Name extends TableName>(of: Name, index: IndexName<Name>, upTo: number): readonly Rows[Name][] {
    // Each index is one of that table; TypeScript cannot say so.
    const range = { of, index, upTo } as unknown as RangeNeed;
    if (this.lacks(range)) throw new NotLoaded([range]);
    const rows = [...(this.tables.get(of)?.values() ?? [])].filter((row) => row !== undefined);
    return rowsUpTo(of, index, rows as Rows[Name][], upTo);
  }

  /** Notes what is written. */
  apply(changes: Changes): void {
    for (const [table, rows] of changes) {
      for (const [id, row] of rows) this.note(table, id, row ?? undefined);
      if (table === 'sources') this.renew(rows as ReadonlyMap<Id, Source | null>);
    }
  }

  /** @param row null: it has gone */
  write(table: TableName, id: Id, row: Row | null): void {
    this.apply(new Map([[table, new Map([[id, row]])]]));
  }

  clear(table: TableName): void {
    this.tables.delete(table);
    if (table !== 'sources') return;
    this.byCandidate.clear();
    this.loadedKeys.clear();
  }

  private note(table: TableName, id: Id, row: Row | undefined): void {
    const rows = this.tables.get(table) ?? new Map<Id, Row | undefined>();
    this.tables.set(table, rows);
    rows.set(id, row);
  }

  /** Each list once, because a decision may change all its sources. */
  private renew(changed: ReadonlyMap<Id, Source | null>): void {
    const added = new Map<string, Source[]>();
    for (const source of changed.values())
      for (const key of source === null ? [] : candidateKeysOf(source)) {
        const sources = added.get(key);
        if (sources === undefined) added.set(key, [source as Source]);
        else sources.push(source as Source);
      }
    for (const [key, sources] of this.byCandidate) {
      const others = sources.filter(({ id }) => !changed.has(id));
      const more = added.get(key);
      if (more !== undefined) this.byCandidate.set(key, [...others, ...more].sort(bySourceRank));
      else if (others.length < sources.length) this.byCandidate.set(key, others);
    }
  }
}

const rangeKey = (table: TableName, index: string): string => `${table} ${index}`;
