import 'fake-indexeddb/auto';
import fc from 'fast-check';
import { IdbStore } from '../../../extension/store/idb-store';
import { COUNTERS, type Counters, type SiteBytes } from '../../../extension/store/idb-schema';
import {
  isCounted,
  StorageQuotas,
  type ByteAccount,
  type QuotaStore,
} from '../../../extension/store/storage-quotas';
import { moment, type Origin } from '../../../src/model/units';
import { siteOf } from '../../../src/model/site';
import { tableNames, type Rows } from '../../../src/store/rows';
import type { ReadTransaction } from '../../../transactions/store';
import { largeSource, report, source } from '../helpers/rows';

const SITES = ['https://a.example', 'https://b.example', 'https://c.example'] as const;

/** What a transaction does; a number picks a row or a site. */
const change = fc.record({
  kind: fc.constantFrom('add', 'decide', 'put-last', 'delete-last', 'replace', 'delete', 'clear', 'fail'),
  pick: fc.nat(20),
});

const step = fc.record({
  connection: fc.nat(1),
  table: fc.constantFrom('sources', 'reports'),
  changes: fc.array(change, { maxLength: 5 }),
  /** Whether the next one does not wait for this one. */
  isOverlapped: fc.boolean(),
});

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** A row of a site; a report is the longer the higher the number. */
function rowOf(table: 'sources' | 'reports', id: number, pick: number): Rows['sources'] | Rows['reports'] {
  const origin = SITES[pick % SITES.length] as Origin;
  return table === 'reports'
    ? { ...report(id, pick, 1), sourceSite: siteOf(origin), body: 'x'.repeat(10 * pick) }
    : { ...source(id, [origin]), sourceOrigin: origin, sourceSite: siteOf(origin), time: moment(pick) };
}

class Failure extends Error {}

async function play(store: IdbStore, { table: name, changes }: Step): Promise<void> {
  const work = store.write(async (tx) => {
    const table = tx.table(name);
    const put = (id: number, pick: number): void => table.put(rowOf(name, id, pick));
    let last: number | null = null;
    for (const made of changes) {
      const { kind, pick } = made;
      if (kind === 'fail') throw new Failure();
      if (kind === 'clear') await table.clear();
      else if (kind === 'replace' || kind === 'delete') {
        const all = await table.latest(Infinity);
        const id = all[pick % Math.max(1, all.length)]?.id;
        if (id !== undefined && kind === 'delete') table.delete(id);
        else if (id !== undefined) put(id, pick);
      } else if (kind === 'add') put((last = tx.nextId()), pick);
      else if (kind === 'decide')
        last = await tx.decide([], (draft) => {
          const id = draft.nextId('log');
          draft.put(name, rowOf(name, id, pick));
          return id;
        });
      else if (last !== null && kind === 'put-last') put(last, pick);
      else if (last !== null) table.delete(last);
    }
  });
  await work.catch((error: unknown) => {
    if (!(error instanceof Failure)) throw error;
  });
}

/** Bytes by site, and of all sites, without tables that have none. */
interface Accounts {
  readonly total: ByteAccount;
  readonly sites: ReadonlyMap<string, ByteAccount>;
}

const withoutEmpty = (account: ByteAccount): ByteAccount =>
  new Map([...account].filter(([, bytes]) => bytes !== 0));

/** What the database says. */
async function stored(name: string): Promise<Accounts> {
  const database = await new Promise<IDBDatabase>((resolve) => {
    const opening = indexedDB.open(name);
    opening.onsuccess = () => resolve(opening.result);
  });
  const meta = database.transaction('meta').objectStore('meta');
  const answer = <T>(request: IDBRequest<T>): Promise<T> =>
    new Promise((resolve) => (request.onsuccess = () => resolve(request.result)));
  const [keys, values] = await Promise.all([answer(meta.getAllKeys()), answer(meta.getAll())]);
  database.close();
  const counters = values[keys.indexOf(COUNTERS)] as Counters | undefined;
  const sites = (values.filter((_value, index) => keys[index] !== COUNTERS) as SiteBytes[]).map(
    ({ site, bytes }) => [site, bytes] as const,
  );
  return { total: withoutEmpty(counters?.bytes ?? new Map()), sites: new Map(sites) };
}

/** The same, counted anew from the rows. */
async function counted(store: IdbStore): Promise<Accounts> {
  const sites = new Map<string, ByteAccount>();
  const anew: QuotaStore = {
    total: new Map(),
    account: (site) => Promise.resolve(sites.get(site) ?? new Map()),
    keep: (site, account) => void sites.set(site, account),
    accounts: () => Promise.reject(new Error('nothing needs room')),
    rowsAfter: () => Promise.resolve([]),
    finishedInTurn: () => Promise.resolve([]),
    finished: () => Promise.resolve(undefined),
    remove: () => undefined,
  };
  const quotas = new StorageQuotas(anew);
  anew.total = new Map(tableNames().flatMap((name) => (isCounted(name) ? [[name, 0]] : [])));
  for (const name of tableNames()) {
    const rows = await store.read((tx: ReadTransaction) => tx.table(name).latest(Infinity));
    for (const row of rows) quotas.note<typeof name>(name, row, 1);
  }
  await quotas.close();
  return { total: withoutEmpty(anew.total), sites };
}

/** Fails unless the bytes in the database are those of its rows. */
const checkNumbers = async (name: string, store: IdbStore): Promise<void> =>
  expect(await stored(name)).toEqual(await counted(store));

let databases = 0;

test('whatever two connections write, fail to write and write at once, the numbers are those of the rows', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      const name = `numbers ${databases++}`;
      const [one, two] = [await IdbStore.open(name), await IdbStore.open(name)];
      let before: Promise<void> = Promise.resolve();
      for (const made of steps) {
        const played = play(made.connection === 0 ? one : two, made);
        before = Promise.all([before, played]).then(() => undefined);
        if (!made.isOverlapped) await before;
      }
      await before;
      await checkNumbers(name, one);
      await Promise.all([one.close(), two.close()]);
    }),
    { numRuns: 150, seed: 1 },
  );
});

test('a transaction that fails at its very end has taught nothing', async () => {
  const store = await IdbStore.open('end');
  const add = (pick: number): Promise<void> =>
    store.write((tx) => tx.table('sources').put(rowOf('sources', tx.nextId(), pick) as Rows['sources']));
  await add(0);
  const put = jest.spyOn(IDBObjectStore.prototype, 'put');
  put.mockImplementation(function (this: IDBObjectStore, row: unknown, key?: IDBValidKey) {
    if (key === COUNTERS) return this.add(row, key);
    if (key !== undefined) this.delete(key);
    return this.add(row, key);
  });
  // The counters are the last to be written, and are there already.
  await expect(add(1)).rejects.toHaveProperty('name', 'ConstraintError');
  put.mockRestore();
  for (let round = 0; round < 3; round++) await add(0);
  await checkNumbers('end', store);
  await store.close();
});

test('what one site may hold counts what another connection wrote', async () => {
  const [one, two] = [await IdbStore.open('room'), await IdbStore.open('room')];
  const LARGE = 'x'.repeat(13e6);
  const put = (store: IdbStore): Promise<void> =>
    store.write((tx) => tx.table('sources').put(largeSource(tx.nextId(), [SITES[0]], LARGE)));
  const { sourceSite } = source(1, [SITES[0]]);
  const hasRoom = (): Promise<boolean> => one.write((tx) => one.hasRoom(tx, sourceSite, 'sources'));
  await put(one);
  expect(await hasRoom()).toBe(true);
  await put(two);
  expect(await hasRoom()).toBe(false);
  await Promise.all([one.close(), two.close()]);
});
