import type { InternalId, Source } from '../../src/model/records';
import { noIds, type Draft, type GivenIds, type Numbered } from '../../src/store/draft';
import type { IdOf, IndexName, Rows, TableName } from '../../src/store/rows';
import { Candidates } from './candidates';
import { MemoryTable } from './memory-table';

/** A row as it was. */
interface Change {
  readonly name: TableName;
  readonly id: IdOf<TableName>;
  readonly before: Rows[TableName] | undefined;
}

/** All tables in memory. As a draft it changes them at once, and `atomically` takes that back if need be. */
export class MemoryTables implements Draft {
  private readonly tables = new Map<TableName, MemoryTable<TableName>>();
  private readonly candidatesByKey = new Candidates();
  private given: Record<Numbered, number> = { ...noIds };
  private journal: Change[] = [];

  /** Whether a table has changed since the last commit. */
  hasChanged(table: TableName): boolean {
    return this.journal.some(({ name }) => name === table);
  }

  /** The table, made when it is first asked for. */
  table<Name extends TableName>(name: Name): MemoryTable<Name> {
    // The map holds under each name the table of that name; TypeScript cannot say so.
    let table = this.tables.get(name) as unknown as MemoryTable<Name> | undefined;
    if (table === undefined) {
      table = new MemoryTable(name);
      this.tables.set(name, table as unknown as MemoryTable<TableName>);
    }
    return table;
  }

  get<Name extends TableName>(name: Name, id: IdOf<Name>): Rows[Name] | undefined {
    return this.table(name).get(id);
  }

  candidates(key: string, now?: number): readonly Source[] {
    return this.candidatesByKey.at(key, now);
  }

  put<Name extends TableName>(name: Name, row: Rows[Name]): void {
    this.journal.push({ name, id: row.id, before: this.set(name, row.id, row) });
  }

  delete<Name extends TableName>(name: Name, id: IdOf<Name>): void {
    this.journal.push({ name, id, before: this.set(name, id, undefined) });
  }

  /** All is in memory. */
  require(): void {}

  nextId(of: Numbered): InternalId {
    return ++this.given[of];
  }

  /** Does all that `work` does, or nothing if it throws. */
  atomically<T>(work: () => T): T {
    const undo = this.savepoint();
    try {
      return work();
    } catch (error) {
      undo();
      throw error;
    }
  }

  /** @returns takes back what was changed since. */
  savepoint(): () => void {
    const { journal } = this;
    const given: GivenIds = { ...this.given };
    const { length } = journal;
    return () => {
      for (const { name, id, before } of journal.splice(length).reverse()) this.set(name, id, before);
      this.given = { ...given };
    };
  }

  /** Forgets how to take anything back. */
  commit(): void {
    this.journal = [];
  }

  /** The rows whose time in an index is at most `last`, by ascending time. */
  upTo<Name extends TableName>(name: Name, index: IndexName<Name>, last: number): Rows[Name][] {
    return this.table(name).upTo(index, last);
  }

  /** @returns the row as it was. */
  private set<Name extends TableName>(
    name: Name,
    id: IdOf<Name>,
    row: Rows[Name] | undefined,
  ): Rows[Name] | undefined {
    const before = this.table(name).set(id, row);
    // Rows of this table are sources, which TypeScript cannot see.
    if (name === 'sources')
      this.candidatesByKey.change(before as Source | undefined, row as Source | undefined);
    return before;
  }
}
