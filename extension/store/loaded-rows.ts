import type { Source } from '../../src/model/records';
import type { Moment } from '../../src/model/units';
import {
  byRank,
  NotLoaded,
  takesConversions,
  type Changes,
  type Need,
  type View,
} from '../../src/store/draft';
import { candidateKeysOf, type IdOf, type Rows, type TableName } from '../../src/store/store';

type Id = IdOf<TableName>;
type Row = Rows[TableName];

/** Where rows are loaded from. */
export interface RowReader {
  readonly row: (table: TableName, id: Id) => Promise<Row | undefined>;
  readonly candidates: (key: string) => Promise<readonly Source[]>;
  /** Whether there can be no row with this id, because nobody had it before. */
  readonly isNew: (id: Id) => boolean;
}

/** Sources by candidate key, each list in the order of `byRank`. */
export type CandidateLists = ReadonlyMap<string, readonly Source[]>;

/** The rows that a transaction has read for decisions, as it has changed them since. */
export class LoadedRows implements View {
  private readonly tables = new Map<TableName, Map<Id, Row | undefined>>();
  private readonly byCandidate: Map<string, readonly Source[]>;
  /** The lists whose sources are among the rows, too. */
  private readonly loadedKeys = new Set<string>();

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
      else this.note(need.of, need.id, await this.reader.row(need.of, need.id));
    });
    await Promise.all(loading);
  }

  private async loadCandidates(key: string): Promise<void> {
    const sources = this.byCandidate.get(key) ?? [...(await this.reader.candidates(key))].sort(byRank);
    for (const source of sources) this.note('sources', source.id, source);
    this.byCandidate.delete(key);
    this.byCandidate.set(key, sources);
    this.loadedKeys.add(key);
  }

  readonly lacks = (need: Need): boolean =>
    need.of === 'candidates' ? !this.loadedKeys.has(need.key) : !this.has(need.of, need.id);

  has(table: TableName, id: Id): boolean {
    return this.tables.get(table)?.has(id) === true || this.reader.isNew(id) || this.isPending(table, id);
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
      if (more !== undefined) this.byCandidate.set(key, [...others, ...more].sort(byRank));
      else if (others.length < sources.length) this.byCandidate.set(key, others);
    }
  }
}
