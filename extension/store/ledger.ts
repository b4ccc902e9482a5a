import type { Site } from '../../src/model/units';
import type { IdOf, Rows, TableName } from '../../src/store/store';

/** Whose a report is. A registration may make any number of aggregatable reports, so they count for its own site. */
export const siteOfReport = ({ aggregatable, sourceSite }: Rows['reports']): string =>
  aggregatable?.contextSite ?? aggregatable?.destination ?? sourceSite ?? '';

/** For whom a row is kept, in each table that pages can fill. Tables that are left out hold no more than sums of these. */
const siteOf = {
  log: ({ contextSite }: Rows['log']): Site => contextSite,
  finished: ({ report }: Rows['finished']): string => siteOfReport(report),
  sources: ({ sourceSite }: Rows['sources']): Site => sourceSite,
  undrawn: ({ source }: Rows['undrawn']): Site => source.sourceSite,
  reports: siteOfReport,
  siteUse: ({ id }: Rows['siteUse']): Site => id,
  partyUse: ({ sourceSite }: Rows['partyUse']): Site => sourceSite,
  pairUse: ({ sourceSite }: Rows['pairUse']): Site => sourceSite,
  debugUse: ({ id }: Rows['debugUse']): Site => id,
  spends: ({ contextSite }: Rows['spends']): string => contextSite,
} satisfies { readonly [Name in TableName]?: (row: Rows[Name]) => string };

type CountedTable = keyof typeof siteOf;

/** In bytes: how much a table keeps. Then the sites with most lose their oldest rows, because no algorithm reads them. */
const CAPACITY: { readonly [Name in CountedTable]?: number } = { log: 24e6, finished: 8e6 };

/**
 * In bytes: how much the other tables may hold in all. Their rows are never dropped, so new ones are refused. The last third is for sites
 * with little: else each of ten sites in a row could take half of what is left, and then no other would find room.
 */
const CAPACITY_OF_RECORDS = 48e6;
const CAPACITY_WITHOUT_RESERVE = 32e6;
/** In bytes: how much a site may have to find room in the reserve. Forty clicks take about as much. */
const LITTLE = 200_000;
/** In bytes: what a report and its rate-limit record take. */
const ROOM_FOR_REPORT = 1200;
const recordTables = [
  'sources',
  'undrawn',
  'reports',
  'siteUse',
  'partyUse',
  'pairUse',
  'debugUse',
  'spends',
] as const;

/** About how many bytes are read at a time, and how many rows at most: a row may have 100 bytes or 100,000. */
const CHUNK = 500_000;
const MOST_ROWS = 100;

export const isCounted = (table: TableName): table is CountedTable => Object.hasOwn(siteOf, table);

/** The stored numbers, and the rows of one table by ascending id. */
export interface LedgerStore {
  get(key: string): Promise<number | undefined>;
  set(key: string, bytes: number): void;
  delete(key: string): void;
  /** All numbers whose keys start so. */
  from(prefix: string): Promise<ReadonlyMap<string, number>>;
  /** Of a table that loses its oldest rows, or after an upgrade of any. */
  rowsAfter(table: TableName, id: IdOf<TableName>, limit: number): Promise<readonly Rows[TableName][]>;
  remove(table: TableName, id: IdOf<TableName>): void;
}

/** What the keys of all numbers start with. */
export const LEDGER_PREFIX = 'bytes ';

const keyOf = (table: CountedTable, site: string): string => `${LEDGER_PREFIX}${table} ${site}`;
/** No site is empty but that of reports without a source, which share this key with the others. */
const totalOf = (table: CountedTable): string => `${LEDGER_PREFIX}of ${table}`;
/** Numbers by their key. */
type Numbers = ReadonlyMap<string, number>;

/** How many bytes each site has in each table, changed in the transaction that changes the rows. */
export class Ledger {
  private readonly changes = new Map<CountedTable, Map<string, number>>();

  constructor(private readonly store: LedgerStore) {}

  /** Notes that a row comes (`sign` 1) or goes (−1). */
  note<Name extends TableName>(table: Name, row: Rows[Name], sign: 1 | -1): void {
    if (!isCounted(table)) return;
    const changed = this.changes.get(table) ?? new Map<string, number>();
    this.changes.set(table, changed);
    addRow(changed, table, row, sign);
  }

  /** Forgets the numbers of an emptied table. */
  async clear(table: TableName): Promise<void> {
    if (!isCounted(table)) return;
    this.changes.delete(table);
    const all = await this.store.from(keyOf(table, ''));
    for (const key of [totalOf(table), ...all.keys()]) this.store.delete(key);
  }

  /** Stores the numbers, and makes room where a table is too large. Call it last. */
  async close(): Promise<void> {
    // Together, because waiting for an answer takes longer than finding it.
    const keys = [...this.changes.values()].flatMap((changed) => [...changed.keys()]);
    await Promise.all(keys.map((key) => this.store.get(key)));
    await Promise.all([...this.changes].map(([table, changed]) => this.settle(table, changed)));
  }

  private async settle(table: CountedTable, changed: Numbers): Promise<void> {
    const before = await this.store.get(totalOf(table));
    // After an upgrade of the schema nothing is counted: all rows count, including those of this transaction.
    const added = before === undefined ? await this.count(table) : changed;
    await this.add(added, 1);
    const total = (before ?? 0) + (added.get(totalOf(table)) ?? 0);
    const capacity = CAPACITY[table] ?? Infinity;
    if (total > capacity) await this.add(await this.makeRoom(table, capacity), -1);
  }

  private async add(numbers: Numbers, sign: 1 | -1): Promise<void> {
    const adding = [...numbers].map(async ([key, number]) => {
      const now = ((await this.store.get(key)) ?? 0) + sign * number;
      // The name of a site that has nothing any more must not stay.
      if (now === 0) this.store.delete(key);
      else this.store.set(key, now);
    });
    await Promise.all(adding);
  }

  private async count(table: CountedTable): Promise<Numbers> {
    const numbers = new Map<string, number>();
    for await (const row of this.rows(table)) addRow(numbers, table, row, 1);
    return numbers;
  }

  /** Deletes the oldest rows of the largest sites. @returns what they counted */
  private async makeRoom(table: CountedTable, capacity: number): Promise<Numbers> {
    const sites = new Map(await this.store.from(keyOf(table, '')));
    // A little more than needed, so that not every new row does this.
    const most = fairLimit([...sites.values()], capacity - capacity / 16);
    // Counted down, because looking through all sites after each row would take the square of their number.
    let tooLarge = [...sites.values()].filter((bytes) => bytes > most).length;
    const freed = new Map<string, number>();
    for await (const row of this.rows(table)) {
      const key = keyOf(table, siteFor(table, row));
      const bytes = sites.get(key) ?? 0;
      if (bytes <= most) continue;
      const left = bytes - roomOf(row);
      sites.set(key, left);
      addRow(freed, table, row, 1);
      this.store.remove(table, row.id);
      if (left <= most) tooLarge -= 1;
      if (tooLarge === 0) break;
    }
    return freed;
  }

  private async *rows(table: CountedTable): AsyncGenerator<Rows[TableName]> {
    for (let last: IdOf<TableName> = -Infinity, limit = 10; ;) {
      const rows = await this.store.rowsAfter(table, last, limit);
      yield* rows;
      if (rows.length < limit) return;
      last = rows.at(-1)?.id ?? last;
      const size = sum(rows.map(sizeOf)) / rows.length;
      limit = Math.max(1, Math.min(2 * limit, Math.floor(CHUNK / size), MOST_ROWS));
    }
  }

  /** Whether more may be recorded for a site: it may hold as much as is still free, or a little as long as there is a reserve. */
  async hasRoom(site: string): Promise<boolean> {
    const sumOf = async (key: (table: CountedTable) => string): Promise<number> =>
      sum((await Promise.all(recordTables.map((table) => this.store.get(key(table))))).map((n) => n ?? 0));
    const [own, all] = await Promise.all([sumOf((table) => keyOf(table, site)), sumOf(totalOf)]);
    return own < LITTLE ? all < CAPACITY_OF_RECORDS : own < CAPACITY_WITHOUT_RESERVE - all;
  }
}

/** The greatest size for each such that they take at most `capacity` together. */
export function fairLimit(sizes: readonly number[], capacity: number): number {
  let [left, others] = [capacity, sizes.length];
  for (const size of [...sizes].sort((a, b) => a - b)) {
    if (size * others > left) return left / others;
    left -= size;
    others -= 1;
  }
  return Infinity;
}

/** Adds to the numbers what a row counts. */
function addRow(numbers: Map<string, number>, table: CountedTable, row: Rows[TableName], sign: 1 | -1): void {
  const add = (key: string, number: number): void =>
    void numbers.set(key, (numbers.get(key) ?? 0) + sign * number);
  const room = roomOf(row);
  add(totalOf(table), room);
  add(keyOf(table, siteFor(table, row)), room);
}

const siteFor = (table: CountedTable, row: Rows[TableName]): string =>
  // The row is of this table, which TypeScript loses.
  (siteOf[table] as (row: Rows[TableName]) => string)(row);

/** A source counts with the reports that it may still make: nothing asks for room when they are made. */
const roomOf = (row: Rows[TableName]): number =>
  sizeOf(row) +
  ('reportCount' in row
    ? Math.max(0, row.registration.maxEventLevelReports - row.reportCount) * ROOM_FOR_REPORT
    : 0);

const sum = (numbers: Iterable<number>): number => [...numbers].reduce((a, b) => a + b, 0);

/** About how many bytes a stored value takes. It makes no lists of its parts: it is asked of each row that a flood writes. */
export function sizeOf(value: unknown): number {
  // Browsers store Latin text with one byte for each character.
  if (typeof value === 'string') return 4 + value.length * (/^[\0-\xff]*$/.test(value) ? 1 : 2);
  if (typeof value !== 'object' || value === null) return 8;
  let size = 8;
  if (Symbol.iterator in value) for (const part of value as Iterable<unknown>) size += sizeOf(part);
  else
    for (const name of Object.keys(value))
      size += sizeOf(name) + sizeOf((value as Readonly<Record<string, unknown>>)[name]);
  return size;
}
