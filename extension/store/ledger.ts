import type { Site } from '../../src/model/units';
import type { Rows, TableName } from '../../src/store/store';

/** Whose a report is. A registration may make any number of aggregatable reports, so they count for its own site. */
export const siteOfReport = ({ aggregatable, sourceSite }: Rows['reports']): string =>
  aggregatable?.contextSite ?? aggregatable?.destination ?? sourceSite ?? '';

/** For whom a row is kept, in each table that pages can fill. */
const siteOf = {
  log: ({ contextSite }: Rows['log']): Site => contextSite,
  finished: ({ report }: Rows['finished']): string => siteOfReport(report),
  sources: ({ sourceSite }: Rows['sources']): Site => sourceSite,
  undrawn: ({ source }: Rows['undrawn']): Site => source.sourceSite,
  reports: siteOfReport,
  rateLimits: ({ sourceSite }: Rows['rateLimits']): Site => sourceSite,
  spends: ({ contextSite }: Rows['spends']): string => contextSite,
} satisfies { readonly [Name in TableName]?: (row: Rows[Name]) => string };

type CountedTable = keyof typeof siteOf;

/** In bytes: how much a table keeps. Then the sites with most lose their oldest rows, because no algorithm reads them. */
const CAPACITY: { readonly [Name in CountedTable]?: number } = { log: 24e6, finished: 8e6 };

/** In bytes: how much the other tables may hold in all. Their rows are never dropped, so new ones are refused. */
const CAPACITY_OF_RECORDS = 48e6;
/** In bytes: what a report and its rate-limit record take. */
const ROOM_FOR_REPORT = 1200;
const recordTables = ['sources', 'undrawn', 'reports', 'rateLimits', 'spends'] as const;

/** About how many bytes are read at a time, and how many rows at most: a row may have 100 bytes or 100,000. */
const CHUNK = 500_000;
const MOST_ROWS = 100;

export const isCounted = (table: TableName): table is CountedTable => Object.hasOwn(siteOf, table);

/** The stored numbers, and the rows of one table by ascending id. */
export interface LedgerStore {
  get(key: string): Promise<number | undefined>;
  set(key: string, bytes: number): Promise<unknown>;
  delete(key: string): Promise<unknown>;
  /** All numbers whose keys start so. */
  from(prefix: string): Promise<ReadonlyMap<string, number>>;
  rowsAfter(table: TableName, id: number, limit: number): Promise<readonly Rows[TableName][]>;
  remove(table: TableName, id: number): Promise<void>;
}

/** What the keys of all numbers start with. */
export const LEDGER_PREFIX = 'bytes ';

const keyOf = (table: CountedTable, site: string): string => `${LEDGER_PREFIX}${table} ${site}`;
/** No site is empty but that of reports without a source, which share this key with the others. */
const totalOf = (table: CountedTable): string => `${LEDGER_PREFIX}of ${table}`;

/** How many bytes each site has in each table, changed in the transaction that changes the rows. */
export class Ledger {
  private readonly changes = new Map<CountedTable, Map<string, number>>();

  constructor(private readonly store: LedgerStore) {}

  /** Notes that a row comes (`sign` 1) or goes (−1). */
  note<Name extends TableName>(table: Name, row: Rows[Name], sign: 1 | -1): void {
    if (!isCounted(table)) return;
    const sites = this.changes.get(table) ?? new Map<string, number>();
    this.changes.set(table, sites);
    const site = siteFor(table, row);
    sites.set(site, (sites.get(site) ?? 0) + sign * roomOf(row));
  }

  /** Forgets the numbers of an emptied table. */
  async clear(table: TableName): Promise<void> {
    if (!isCounted(table)) return;
    this.changes.delete(table);
    for (const key of (await this.store.from(keyOf(table, ''))).keys()) await this.store.delete(key);
    await this.store.set(totalOf(table), 0);
  }

  /** Stores the numbers, and makes room where a table is too large. Call it last. */
  async close(): Promise<void> {
    for (const [table, sites] of this.changes) {
      const before = await this.store.get(totalOf(table));
      // A table of an earlier version: all its rows count, including those of this transaction.
      const added = before === undefined ? await this.count(table) : sites;
      for (const [site, bytes] of added) await this.add(keyOf(table, site), bytes);
      const total = (before ?? 0) + sum(added.values());
      const capacity = CAPACITY[table] ?? Infinity;
      const freed = total > capacity ? await this.makeRoom(table, capacity) : 0;
      await this.store.set(totalOf(table), total - freed);
    }
  }

  private async add(key: string, bytes: number): Promise<void> {
    const now = ((await this.store.get(key)) ?? 0) + bytes;
    // The name of a site that has nothing any more must not stay.
    await (now === 0 ? this.store.delete(key) : this.store.set(key, now));
  }

  private async count(table: CountedTable): Promise<ReadonlyMap<string, number>> {
    const sites = new Map<string, number>();
    for await (const row of this.rows(table)) {
      const site = siteFor(table, row);
      sites.set(site, (sites.get(site) ?? 0) + roomOf(row));
    }
    return sites;
  }

  /** Deletes the oldest rows of the largest sites. @returns how many bytes they took */
  private async makeRoom(table: CountedTable, capacity: number): Promise<number> {
    const sites = new Map(await this.store.from(keyOf(table, '')));
    // A little more than needed, so that not every new row does this.
    const most = fairLimit([...sites.values()], capacity - capacity / 16);
    // Counted down, because looking through all sites after each row would take the square of their number.
    let tooLarge = [...sites.values()].filter((bytes) => bytes > most).length;
    let freed = 0;
    for await (const row of this.rows(table)) {
      const key = keyOf(table, siteFor(table, row));
      const bytes = sites.get(key) ?? 0;
      if (bytes <= most) continue;
      const size = sizeOf(row);
      sites.set(key, bytes - size);
      freed += size;
      await this.store.remove(table, row.id);
      await this.add(key, -size);
      if (bytes - size <= most) tooLarge -= 1;
      if (tooLarge === 0) break;
    }
    return freed;
  }

  private async *rows(table: CountedTable): AsyncGenerator<Rows[TableName]> {
    for (let last = -Infinity, limit = 10; ;) {
      const rows = await this.store.rowsAfter(table, last, limit);
      yield* rows;
      if (rows.length < limit) return;
      last = rows.at(-1)?.id ?? Infinity;
      const size = sum(rows.map(sizeOf)) / rows.length;
      limit = Math.max(1, Math.min(2 * limit, Math.floor(CHUNK / size), MOST_ROWS));
    }
  }

  /** Whether more may be recorded for a site: it may hold as much as is still free, so that other sites always find room. */
  async hasRoom(site: string): Promise<boolean> {
    let [own, all] = [0, 0];
    for (const table of recordTables) {
      own += (await this.store.get(keyOf(table, site))) ?? 0;
      all += (await this.store.get(totalOf(table))) ?? 0;
    }
    return own < CAPACITY_OF_RECORDS - all;
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

/** About how many bytes a stored value takes. */
export function sizeOf(value: unknown): number {
  // Browsers store Latin text with one byte for each character.
  if (typeof value === 'string') return 4 + value.length * (/^[\0-\xff]*$/.test(value) ? 1 : 2);
  if (typeof value !== 'object' || value === null) return 8;
  const parts: readonly unknown[] =
    Symbol.iterator in value ? [...(value as Iterable<unknown>)] : Object.entries(value).flat();
  return sum(parts.map(sizeOf)) + 8;
}
