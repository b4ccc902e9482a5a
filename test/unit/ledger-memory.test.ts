import 'fake-indexeddb/auto';
import fc from 'fast-check';
import { IdbStore } from '../../extension/store/idb-store';
import { isCounted, Ledger, LEDGER_PREFIX, type LedgerStore } from '../../extension/store/ledger';
import { LedgerMemory } from '../../extension/store/ledger-memory';
import { moment, type Origin } from '../../src/model/units';
import { siteOf } from '../../src/model/site';
import { tableNames, type ReadTransaction, type Rows } from '../../src/store/store';
import { report, source } from './helpers/rows';

const SITES = ['https://a.example', 'https://b.example', 'https://c.example'] as const;

/** What a transaction does; a number picks a row or a site. */
const change = fc.record({
  kind: fc.constantFrom('add', 'add', 'put-last', 'delete-last', 'replace', 'delete', 'clear', 'fail'),
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
      else if (last !== null && kind === 'put-last') put(last, pick);
      else if (last !== null) table.delete(last);
    }
  });
  await work.catch((error: unknown) => {
    if (!(error instanceof Failure)) throw error;
  });
}

/** The ledger's numbers in the database. */
async function stored(name: string): Promise<ReadonlyMap<string, unknown>> {
  const database = await new Promise<IDBDatabase>((resolve) => {
    const opening = indexedDB.open(name);
    opening.onsuccess = () => resolve(opening.result);
  });
  const meta = database.transaction('meta').objectStore('meta');
  const answer = <T>(request: IDBRequest<T>): Promise<T> =>
    new Promise((resolve) => (request.onsuccess = () => resolve(request.result)));
  const [keys, values] = await Promise.all([answer(meta.getAllKeys()), answer(meta.getAll())]);
  database.close();
  const all = keys.map((key, index) => [key, values[index] as unknown] as const);
  return new Map(
    all.flatMap(([key, number]) =>
      typeof key === 'string' && key.startsWith(LEDGER_PREFIX) ? [[key, number]] : [],
    ),
  );
}

/** The same, counted anew from the rows. */
async function counted(store: IdbStore): Promise<ReadonlyMap<string, unknown>> {
  const numbers = new Map<string, number>();
  for (const name of tableNames().filter(isCounted)) {
    const rows = await store.read<readonly Rows[typeof name][]>((tx: ReadTransaction) =>
      tx.table(name).latest(Infinity),
    );
    const [first] = rows;
    if (first === undefined) continue;
    const anew: LedgerStore = {
      get: (key) => Promise.resolve(numbers.get(key)),
      set: (key, bytes) => void numbers.set(key, bytes),
      delete: (key) => void numbers.delete(key),
      from: () => Promise.resolve(new Map<string, number>()),
      rowsAfter: (_table, after, limit) =>
        Promise.resolve(
          [...rows]
            .reverse()
            .filter(({ id }) => id > after)
            .slice(0, limit),
        ),
      remove: () => undefined,
    };
    const ledger = new Ledger(anew);
    ledger.note(name, first, 1);
    await ledger.close();
  }
  return numbers;
}

/** Fails unless the numbers in the database are those of its rows. */
async function checkNumbers(name: string, store: IdbStore): Promise<void> {
  const [found, wanted] = [await stored(name), await counted(store)];
  // An emptied table has a total of 0, or none.
  const isEmpty = (key: string): boolean => key.startsWith(`${LEDGER_PREFIX}of `) && !wanted.has(key);
  expect(new Map([...found].filter(([key, number]) => !(isEmpty(key) && number === 0)))).toEqual(wanted);
}

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
    if (key === 'lastId') return this.add(row, key);
    if (key !== undefined) this.delete(key);
    return this.add(row, key);
  });
  // The last id is the last to be written, and is there already.
  await expect(add(1)).rejects.toHaveProperty('name', 'ConstraintError');
  put.mockRestore();
  for (let round = 0; round < 3; round++) await add(0);
  await checkNumbers('end', store);
  await store.close();
});

test('what one site may hold counts what another connection wrote', async () => {
  const [one, two] = [await IdbStore.open('room'), await IdbStore.open('room')];
  const filterData = new Map([['key', ['x'.repeat(13e6)]]]);
  const put = (store: IdbStore): Promise<void> =>
    store.write((tx) => tx.table('sources').put({ ...source(tx.nextId(), [SITES[0]]), filterData }));
  const { sourceSite } = source(1, [SITES[0]]);
  const hasRoom = (): Promise<boolean> => one.write((tx) => one.hasRoom(tx, sourceSite));
  await put(one);
  expect(await hasRoom()).toBe(true);
  await put(two);
  expect(await hasRoom()).toBe(false);
  await Promise.all([one.close(), two.close()]);
});

describe('LedgerMemory', () => {
  const of = (number: number): ReadonlyMap<string, number> => new Map([['bytes of log', number]]);

  test('knows a number as long as the last id is the same', () => {
    const memory = new LedgerMemory();
    memory.keep(of(5), { before: 0, after: 3 });
    expect([2, 3, 4, NaN].map((id) => memory.get('bytes of log', id)?.number)).toEqual([
      undefined,
      5,
      undefined,
      undefined,
    ]);
    expect(memory.get('bytes of sources', 3)).toBeUndefined();
  });

  test('forgets what it knew before a transaction that it did not see, and ignores one that comes late', () => {
    const memory = new LedgerMemory();
    memory.keep(new Map([['old', 1]]), { before: 0, after: 3 });
    memory.keep(of(5), { before: 4, after: 6 });
    memory.keep(of(4), { before: 3, after: 4 });
    memory.keep(of(3), { before: NaN, after: NaN });
    expect(memory.get('old', 6)).toBeUndefined();
    expect(memory.get('bytes of log', 6)).toEqual({ number: 5 });
  });
});
