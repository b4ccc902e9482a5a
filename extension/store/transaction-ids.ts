import type { InternalId } from '../../src/model/records';
import type { GivenIds, Numbered } from '../../src/store/draft';
import type { IdOf, TableName } from '../../src/store/rows';
import { scatteredId } from './scattered-ids';

/** The ids that one transaction gives out, and so which rows cannot have been there before. */
export class TransactionIds {
  private readonly newReports = new Set<InternalId>();

  /**
   * @param before how many were given out before
   * @param key of `scatteredId`
   */
  constructor(
    private readonly before: GivenIds,
    private readonly key: Uint8Array,
    public given = before,
  ) {}

  /** Whether any was given out. */
  get isChanged(): boolean {
    return this.given !== this.before;
  }

  /** The id that a table gives out as its nth. */
  readonly idOf = (of: Numbered, nth: number): InternalId => {
    if (of !== 'reports') return nth;
    const id = scatteredId(this.key, nth);
    this.newReports.add(id);
    return id;
  };

  /** Whether the database has no row with this id, because the transaction gave it out. */
  readonly isNew = (table: TableName, id: IdOf<TableName>): boolean => {
    if (typeof id !== 'number') return false;
    if (isOfReports(table)) return this.newReports.has(id);
    return id > this.before[numberedAs(table)];
  };

  /** The next number of the log. */
  next(): InternalId {
    const log = this.given.log + 1;
    this.given = { ...this.given, log };
    return log;
  }

  /** No row may have an id that is given out later. */
  noteRow(table: TableName, id: IdOf<TableName>): void {
    if (typeof id !== 'number' || isOfReports(table)) return;
    const of = numberedAs(table);
    if (id > this.given[of]) this.given = { ...this.given, [of]: id };
  }
}

const isOfReports = (table: TableName): boolean => table === 'reports' || table === 'finished';

/** Sources, and what is kept of them, have the number of their log entry. */
const numberedAs = (table: TableName): 'spends' | 'log' => (table === 'spends' ? 'spends' : 'log');

/** Those of a transaction that only reads: it gives out none, and knows of none that nobody had. */
export const noNewIds = (): TransactionIds =>
  new TransactionIds({ log: Infinity, reports: Infinity, spends: Infinity }, new Uint8Array());
