import 'fake-indexeddb/auto';
import { IdbStore } from '../../../extension/store/idb-store';
import { sizeOf } from '../../../extension/store/charges';
import {
  fairLimit,
  StorageQuotas,
  type ByteAccount,
  type QuotaStore,
} from '../../../extension/store/storage-quotas';
import type { LogEntry } from '../../../src/model/decision';
import type { FinishedReport } from '../../../src/model/records';
import { moment, type Origin } from '../../../src/model/units';
import { siteOf } from '../../../src/model/site';
import { ADTECH, NEWS, SHOP } from '../helpers/engine';
import { largeSource, report, source } from '../helpers/rows';

const LARGE = 'x'.repeat(100_000);
const FLOODER = 'https://flooder.example' as Origin;

const entry = (id: number, site: Origin, header: string): LogEntry => ({
  id,
  kind: 'ignored',
  time: moment(id),
  contextOrigin: site,
  contextSite: siteOf(site),
  reportingOrigin: ADTECH,
  via: 'header',
  header,
  warnings: [],
  checks: [],
  debug: [],
  reason: { code: 'source-and-trigger', values: {} },
});

const logged = async (store: IdbStore): Promise<Map<string, number[]>> => {
  const ids = new Map<string, number[]>();
  for (const { id, contextSite } of await store.read((tx) => tx.table('log').latest(Infinity)))
    ids.set(contextSite, [id, ...(ids.get(contextSite) ?? [])]);
  return ids;
};

/** What the database notes beside the rows, as one text. */
const numbers = async (name: string): Promise<string> => {
  const database = await new Promise<IDBDatabase>((resolve) => {
    const opening = indexedDB.open(name);
    opening.onsuccess = () => resolve(opening.result);
  });
  const meta = database.transaction('meta').objectStore('meta');
  const values = await new Promise<unknown[]>((resolve) => {
    const getting = meta.getAll();
    getting.onsuccess = () => resolve(getting.result as unknown[]);
  });
  database.close();
  return JSON.stringify(values);
};

test.each([
  [[10, 1, 2], 20, Infinity],
  [[10, 1, 2], 10, 7],
  [[10, 9, 1], 9, 4],
  [[10, 10], 0, 0],
])('sizes %j share %d: at most %d each', (sizes, capacity, limit) => {
  expect(fairLimit(sizes, capacity)).toBe(limit);
});

test('the log is bounded in bytes, at the expense of the site with most', async () => {
  const store = await IdbStore.open('log');
  const put = (site: Origin, header: string): Promise<void> =>
    store.write((tx) => tx.table('log').put(entry(tx.nextId(), site, header)));
  for (let id = 1; id <= 5; id++) await put(NEWS, 'an honest header');
  for (let id = 6; id <= 405; id++) await put(FLOODER, LARGE);
  await put(SHOP, 'an honest header');
  const ids = await logged(store);
  expect([ids.get(NEWS), ids.get(SHOP)]).toEqual([[1, 2, 3, 4, 5], [406]]);
  const kept = ids.get(FLOODER) ?? [];
  expect(kept.length * sizeOf(entry(1, FLOODER, LARGE))).toBeLessThan(24e6);
  expect(kept.length * sizeOf(entry(1, FLOODER, LARGE))).toBeGreaterThan(21e6);
  // The newest are kept.
  expect(kept).toEqual(Array.from(kept, (_, index) => 406 - kept.length + index));
  await store.close();
});

test('finished reports are bounded in bytes, and those that ended first go first, whatever their numbers', async () => {
  const store = await IdbStore.open('finished');
  const ended = (nth: number): FinishedReport => ({
    id: 100_000 + ((nth * 7919) % 1000),
    report: { ...report(1, 1), id: 100_000 + ((nth * 7919) % 1000), body: LARGE },
    end: nth % 2 === 0 ? 'delivered' : 'randomized',
    time: moment(nth),
  });
  for (let nth = 1; nth <= 120; nth++) await store.write((tx) => tx.table('finished').put(ended(nth)));
  const left = (await store.read((tx) => tx.table('finished').latest(Infinity))).map(({ time }) => time);
  expect(left.length).toBeLessThan(80);
  expect(left.sort((a, b) => a - b)).toEqual(
    Array.from({ length: left.length }, (_, index) => 121 - left.length + index),
  );
  await store.close();
});

/** A log of these rows, whose sites have so many bytes beside, with what is read and removed. */
function logOf(rows: readonly LogEntry[], others: ReadonlyMap<string, number> = new Map()) {
  const total = [...others.values()].reduce((a, b) => a + b, 1);
  const accounts = new Map<string, ByteAccount>();
  for (const [site, bytes] of others) accounts.set(site, new Map([['log', bytes]]));
  const read: number[] = [];
  const removed: number[] = [];
  const store: QuotaStore = {
    total: new Map([['log', total]]),
    account: (site) => Promise.resolve(accounts.get(site) ?? new Map()),
    keep: (site, account) => void accounts.set(site, account),
    accounts: () => Promise.resolve(accounts),
    rowsAfter: (_table, after, limit) => {
      const found = rows.filter(({ id }) => id > Number(after)).slice(0, limit);
      read.push(found.length);
      return Promise.resolve(found);
    },
    finishedInTurn: () => Promise.resolve([]),
    finished: () => Promise.resolve(undefined),
    remove: (_table, id) => void removed.push(Number(id)),
  };
  const quotas = new StorageQuotas(store);
  for (const row of rows) quotas.note('log', row, 1);
  return { quotas, store, read, removed };
}

test('what makes room reads about half a megabyte at a time, or a hundred rows', async () => {
  const rows = Array.from({ length: 600 }, (_, index) =>
    entry(index + 1, FLOODER, index < 300 ? 'short' : LARGE),
  );
  const { quotas, read } = logOf(rows);
  await quotas.close();
  expect(read.slice(0, 5)).toEqual([10, 20, 40, 80, 100]);
  // The first large rows are met unawares.
  expect(read.slice(5)).toEqual(expect.arrayContaining([4]));
  expect(Math.max(...read.slice(6))).toBeLessThanOrEqual(10);
});

test('two hundred thousand sites make room as one does, and no row is removed beyond what is needed', async () => {
  const others = Array.from({ length: 200_000 }, (_, index) => [`https://s${index}.example`, 90] as const);
  const rows = Array.from({ length: 100 }, (_, index) =>
    entry(index + 1, index % 2 === 0 ? FLOODER : NEWS, LARGE),
  );
  const { quotas, store, removed } = logOf(rows, new Map(others));
  await quotas.close();
  const left = (24e6 - 24e6 / 16 - 90 * 200_000) / 2;
  const kept = Math.floor(left / sizeOf(rows[0]));
  expect(removed).toEqual(Array.from({ length: 100 - 2 * kept }, (_, index) => index + 1));
  expect(store.total.get('log')).toBeLessThan(24e6);
});

test('rows that are gone no longer count, and leave no name of a site', async () => {
  const store = await IdbStore.open('gone');
  await store.write((tx) => {
    tx.table('log').put(entry(tx.nextId(), FLOODER, LARGE));
    tx.table('log').put(entry(tx.nextId(), NEWS, LARGE));
    tx.table('sources').put(source(tx.nextId(), [SHOP]));
  });
  expect(await numbers('gone')).toContain(FLOODER);
  await store.write((tx) => tx.table('log').delete(1));
  expect(await numbers('gone')).not.toContain(FLOODER);
  await store.write(async (tx) => {
    await tx.table('log').clear();
    await tx.table('sources').clear();
  });
  expect(await numbers('gone')).not.toContain('://');
  await store.close();
});

const hasRoom = (store: IdbStore, site: string): Promise<boolean> =>
  store.write((tx) => store.hasRoom(tx, site, 'sources'));

test('a site that holds as much as is free may record no more, while others may', async () => {
  const store = await IdbStore.open('records');
  const large = {
    ...largeSource(1, [SHOP], LARGE.repeat(10)),
    sourceSite: siteOf(FLOODER),
    sourceOrigin: FLOODER,
  };
  const add = (): Promise<void> =>
    store.write((tx) => tx.table('sources').put({ ...large, id: tx.nextId() }));
  for (let id = 1; id <= 15; id++) await add();
  expect(await hasRoom(store, FLOODER)).toBe(true);
  for (let id = 16; id <= 25; id++) await add();
  expect([await hasRoom(store, FLOODER), await hasRoom(store, NEWS)]).toEqual([false, true]);
  // Changing a row counts once.
  for (let round = 0; round < 3; round++)
    for (let id = 1; id <= 25; id++)
      await store.write((tx) => tx.table('sources').put({ ...large, id, reportCount: round }));
  expect(await hasRoom(store, NEWS)).toBe(true);
  await store.write((tx) => {
    for (let id = 10; id <= 25; id++) tx.table('sources').delete(id);
  });
  expect(await hasRoom(store, FLOODER)).toBe(true);
  await store.close();
});

test('sites that fill all room that they find, one after the other, leave room for those with little', async () => {
  const store = await IdbStore.open('many');
  let sources = 0;
  for (let site = 1; site <= 20; site++) {
    const origin = `https://s${site}.example` as Origin;
    const large = { ...largeSource(1, [SHOP], LARGE), sourceSite: siteOf(origin), sourceOrigin: origin };
    for (; await hasRoom(store, siteOf(origin)); sources++)
      await store.write((tx) => tx.table('sources').put({ ...large, id: tx.nextId() }));
  }
  expect(sources).toBeGreaterThan(200);
  expect(await hasRoom(store, NEWS)).toBe(true);
  await store.close();
});

test('some sixty sites can fill it all, until their sources are gone', async () => {
  const store = await IdbStore.open('sixty');
  let id = 0;
  let sites = 0;
  for (; await hasRoom(store, NEWS); sites++) {
    const origin = `https://s${sites}.example` as Origin;
    const large = { ...largeSource(1, [SHOP], LARGE), sourceSite: siteOf(origin), sourceOrigin: origin };
    while (await hasRoom(store, siteOf(origin)))
      await store.write((tx) => tx.table('sources').put({ ...large, id: ++id }));
  }
  expect(sites).toBeGreaterThan(40);
  expect(sites).toBeLessThan(100);
  await store.write((tx) => tx.table('sources').delete(id));
  expect(await hasRoom(store, NEWS)).toBe(true);
  await store.close();
});

test('a source counts with all the reports that it may make, whatever it has made', async () => {
  const store = await IdbStore.open('reports');
  const many = { ...source(1, [SHOP]), sourceSite: siteOf(FLOODER), reportCount: 0 };
  const registration = { ...many.registration, maxEventLevelReports: 20 };
  await store.write((tx) => {
    for (let id = 1; id <= 1200; id++) tx.table('sources').put({ ...many, id: tx.nextId(), registration });
  });
  expect(await hasRoom(store, FLOODER)).toBe(false);
  await store.write((tx) => {
    for (let id = 1; id <= 1200; id++)
      tx.table('sources').put({ ...many, id, registration, reportCount: 20, forgotten: true });
  });
  expect(await hasRoom(store, FLOODER)).toBe(false);
  await store.write((tx) => {
    for (let id = 1; id <= 1200; id++) tx.table('sources').delete(id);
  });
  expect(await hasRoom(store, FLOODER)).toBe(true);
  await store.close();
});

test('reports that conversions make take no room of sources', async () => {
  const store = await IdbStore.open('conversions');
  const waiting = { ...report(1, 1), sourceSite: siteOf(FLOODER), body: LARGE.repeat(20) };
  await store.write((tx) => {
    for (let count = 0; count < 60; count++) tx.table('reports').put({ ...waiting, id: tx.nextId() });
  });
  const rooms = await store.write(async (tx) => [
    await store.hasRoom(tx, FLOODER, 'sources'),
    await store.hasRoom(tx, FLOODER, 'conversions'),
  ]);
  expect(rooms).toEqual([true, false]);
  await store.close();
});

test('rows of a version that counted none count as soon as there is another', async () => {
  const store = await IdbStore.open('older');
  for (let id = 1; id <= 300; id++)
    await store.write((tx) =>
      tx.table('log').put(entry(tx.nextId(), FLOODER, `${LARGE}${LARGE.slice(0, id)}`.slice(0, 60_000))),
    );
  await store.close();
  await new Promise<void>((resolve) => {
    const opening = indexedDB.open('older');
    opening.onsuccess = () => {
      const transaction = opening.result.transaction('meta', 'readwrite');
      transaction.objectStore('meta').clear();
      transaction.oncomplete = () => {
        opening.result.close();
        resolve();
      };
    };
  });
  const again = await IdbStore.open('older');
  for (let id = 301; id <= 420; id++)
    await again.write((tx) => tx.table('log').put(entry(id, FLOODER, LARGE)));
  const kept = (await logged(again)).get(FLOODER) ?? [];
  expect(kept.length).toBeLessThan(360);
  expect(kept.at(-1)).toBe(420);
  await again.close();
});
