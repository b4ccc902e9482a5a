import type { Origin, Site } from '../../src/model/units';
import { siteOf } from '../../src/model/site';
import type { InternalId } from '../../src/model/records';
import type { Need } from '../../src/store/draft';
import type { IdOf, Rows, TableName } from '../../src/store/rows';
import { chargeOf, sizeOf } from './charges';

/** Whose a report is. A registration may make any number of aggregatable reports, so they count for its own site. */
export const siteOfReport = ({ aggregatable, sourceSite }: Rows['reports']): string =>
  aggregatable?.contextSite ?? aggregatable?.destination ?? sourceSite ?? '';

/**
 * For whom a row is kept, in each table that pages can fill. Tables that are left out hold no more than sums of these, or are counted with their
 * source (./charges.ts).
 */
const holderOf = {
  log: ({ contextSite }: Rows['log']): Site => contextSite,
  finished: ({ report }: Rows['finished']): string => siteOfReport(report),
  sources: ({ sourceSite }: Rows['sources']): Site => sourceSite,
  reports: siteOfReport,
  siteUse: ({ id }: Rows['siteUse']): Site => id,
  partyUse: ({ sourceSite }: Rows['partyUse']): Site => sourceSite,
  debugUse: ({ contextSite }: Rows['debugUse']): Site => contextSite,
  spends: ({ contextSite }: Rows['spends']): string => contextSite,
} satisfies { readonly [Name in TableName]?: (row: Rows[Name]) => string };

type CountedTable = keyof typeof holderOf;

/** In bytes: how much a table keeps. Then the sites with most lose their oldest rows, because no algorithm reads them. */
const CAPACITY: { readonly [Name in CountedTable]?: number } = {
  log: 24e6,
  finished: 8e6,
  spends: 8e6,
};

/**
 * In bytes: how much the other tables may hold in all. Their rows are never dropped, so new ones are refused. The last third is for sites
 * with little: else each of ten sites in a row could take half of what is left, and then no other would find room.
 */
const CAPACITY_OF_RECORDS = 48e6;
const RESERVE = 16e6;
/** In bytes: how much a site may have to find room in the reserve. Forty clicks take about as much. */
const LITTLE = 200_000;
/**
 * What is filled by sources, as they are registered, and by what their conversions make: a full table of these must not refuse a source, for
 * that would tell of conversions.
 */
export const tablesOf = {
  sources: ['sources', 'siteUse', 'partyUse'],
  conversions: ['reports', 'debugUse'],
} as const satisfies Readonly<Record<string, readonly CountedTable[]>>;

/** What asks for room. */
export type RoomFor = keyof typeof tablesOf;

/** About how many bytes are read at a time, and how many rows at most: a row may have 100 bytes or 100,000. */
const CHUNK = 500_000;
const MOST_ROWS = 100;

/**
 * The site whose account a decision that looks at this may change; null: none, or that of another need. Of a trigger these are its page, and the
 * pages of the sources that it looks at.
 */
export function siteOfNeed(need: Need): string | null {
  if (need.of === 'candidates') return need.key.slice(need.key.indexOf(' ') + 1);
  return need.of === 'originUse' && 'id' in need ? siteOf(need.id as Origin) : null;
}

export const isCounted = (table: TableName): table is CountedTable => Object.hasOwn(holderOf, table);

/** How many bytes rows take in each table. */
export type ByteAccount = ReadonlyMap<CountedTable, number>;

/** The stored accounts, and the rows of one table by ascending id. */
export interface QuotaStore {
  /** Of all sites together. It lacks a table whose rows were never counted. */
  total: ByteAccount;
  /** Of a site; the empty site is that of reports without a source. */
  account(site: string): Promise<ByteAccount>;
  keep(site: string, account: ByteAccount): void;
  /** By site. */
  accounts(): Promise<ReadonlyMap<string, ByteAccount>>;
  rowsAfter(table: TableName, id: IdOf<TableName>, limit: number): Promise<readonly Rows[TableName][]>;
  /** The ids of the finished reports, by when they ended. */
  finishedInTurn(): Promise<readonly InternalId[]>;
  finished(id: InternalId): Promise<Rows['finished'] | undefined>;
  remove(table: TableName, id: IdOf<TableName>): void;
}

/** By site, by how much the bytes in each table change. */
type Deltas = Map<string, Map<CountedTable, number>>;

/** How many bytes each site has in each table, changed in the transaction that changes the rows. */
export class StorageQuotas {
  private readonly deltas: Deltas = new Map();

  constructor(private readonly store: QuotaStore) {}

  /** Notes that a row comes (`sign` 1) or goes (−1). */
  note<Name extends TableName>(table: Name, row: Rows[Name], sign: 1 | -1): void {
    if (isCounted(table)) addRow(this.deltas, table, row, sign);
  }

  /** Forgets what an emptied table held. */
  async clear(table: TableName): Promise<void> {
    if (!isCounted(table)) return;
    for (const changed of this.deltas.values()) changed.delete(table);
    for (const [site, account] of await this.store.accounts())
      if (account.has(table)) this.store.keep(site, without(account, table));
    this.store.total = without(this.store.total, table);
  }

  /** Stores the accounts, and makes room where a table is too large. Call it last. */
  async close(): Promise<void> {
    const tables = new Set([...this.deltas.values()].flatMap((changed) => [...changed.keys()]));
    // After an upgrade of the schema nothing is counted: all rows count, including those of this transaction.
    const uncounted = [...tables].filter((table) => !this.store.total.has(table));
    await Promise.all(uncounted.map((table) => this.count(table)));
    await this.settle(this.deltas);
    for (const table of tables) {
      const capacity = CAPACITY[table] ?? Infinity;
      if (bytesIn(this.store.total, table) > capacity)
        await this.settle(await this.makeRoom(table, capacity));
    }
  }

  private async settle(deltas: Deltas): Promise<void> {
    const changing = [...deltas].filter(([, changed]) => [...changed.values()].some((bytes) => bytes !== 0));
    if (changing.length === 0) return;
    // Together, because waiting for an answer takes longer than finding it.
    await Promise.all(changing.map(([site]) => this.store.account(site)));
    const total = new Map(this.store.total);
    for (const [site, changed] of changing) {
      const account = new Map(await this.store.account(site));
      for (const [table, bytes] of changed) {
        total.set(table, bytesIn(total, table) + bytes);
        const now = bytesIn(account, table) + bytes;
        if (now === 0) account.delete(table);
        else account.set(table, now);
      }
      this.store.keep(site, account);
    }
    this.store.total = total;
  }

  private async count(table: CountedTable): Promise<void> {
    for (const changed of this.deltas.values()) changed.delete(table);
    for await (const row of this.rows(table)) addRow(this.deltas, table, row, 1);
  }

  /** Deletes the oldest rows of the largest sites. @returns what they counted */
  private async makeRoom(table: CountedTable, capacity: number): Promise<Deltas> {
    const sites = new Map<string, number>();
    for (const [site, account] of await this.store.accounts()) sites.set(site, bytesIn(account, table));
    // A little more than needed, so that not every new row does this.
    const most = fairLimit([...sites.values()], capacity - capacity / 16);
    // Counted down, because looking through all sites after each row would take the square of their number.
    let tooLarge = [...sites.values()].filter((bytes) => bytes > most).length;
    const freed: Deltas = new Map();
    for await (const row of this.oldestFirst(table)) {
      const site = siteFor(table, row);
      const bytes = sites.get(site) ?? 0;
      if (bytes <= most) continue;
      const left = bytes - chargeOf(table, row);
      sites.set(site, left);
      addRow(freed, table, row, -1);
      this.store.remove(table, row.id);
      if (left <= most) tooLarge -= 1;
      if (tooLarge === 0) break;
    }
    return freed;
  }

  /** Ids say what is oldest, except those of reports, which are in no order. */
  private async *oldestFirst(table: CountedTable): AsyncGenerator<Rows[TableName]> {
    if (table !== 'finished') {
      yield* this.rows(table);
      return;
    }
    for (const id of await this.store.finishedInTurn()) {
      const row = await this.store.finished(id);
      if (row !== undefined) yield row;
    }
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
  async hasRoom(site: string, of: RoomFor): Promise<boolean> {
    const recordsIn = (account: ByteAccount = new Map()): number =>
      sum(tablesOf[of].map((table) => bytesIn(account, table)));
    const account = await this.store.account(site);
    const deltas = [...this.deltas.values()];
    const own = recordsIn(account) + recordsIn(this.deltas.get(site));
    const all = recordsIn(this.store.total) + sum(deltas.map(recordsIn));
    return own < LITTLE ? all < CAPACITY_OF_RECORDS : own < CAPACITY_OF_RECORDS - RESERVE - all;
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

/** Adds what a row counts. One that counts nothing must not say that its table is counted: else all its rows would be read each time. */
function addRow(deltas: Deltas, table: CountedTable, row: Rows[TableName], sign: 1 | -1): void {
  const charge = chargeOf(table, row);
  if (charge === 0) return;
  const site = siteFor(table, row);
  const changed = deltas.get(site) ?? new Map<CountedTable, number>();
  deltas.set(site, changed);
  changed.set(table, bytesIn(changed, table) + sign * charge);
}

const bytesIn = (account: ByteAccount, table: CountedTable): number => account.get(table) ?? 0;

const without = (account: ByteAccount, table: CountedTable): ByteAccount =>
  new Map([...account].filter(([other]) => other !== table));

const siteFor = (table: CountedTable, row: Rows[TableName]): string =>
  // The row is of this table, which TypeScript loses.
  (holderOf[table] as (row: Rows[TableName]) => string)(row);

const sum = (numbers: Iterable<number>): number => [...numbers].reduce((a, b) => a + b, 0);
