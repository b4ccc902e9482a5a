import 'fake-indexeddb/auto';
import { forceCloseDatabase } from 'fake-indexeddb';
import { IdbStore } from '../../../extension/store/idb-store';
import type { Report } from '../../../src/model/records';
import { candidateKey } from '../../../src/store/rows';
import type { Table, Transaction } from '../../../transactions/store';
import { ADTECH, SHOP } from '../helpers/engine';
import { databaseWith, register, source as sourceTo, trigger } from '../helpers/rounds';
import { report, source } from '../helpers/rows';

describe('IdbStore', () => {
  test('keeps rows, index entries and numbers when it is opened again', async () => {
    const first = await IdbStore.open('reopened');
    const id = await first.write((tx) => {
      tx.table('sources').put(source(1, ['https://a.example']));
      return tx.nextId();
    });
    await first.setMeta('settings', { paused: true });
    await first.close();
    const second = await IdbStore.open('reopened');
    await second.write(async (tx) => {
      const found = await tx.table('sources').where('candidate', candidateKey(ADTECH, 'https://a.example'));
      expect(found).toEqual([source(1, ['https://a.example'])]);
      expect(tx.nextId()).toBe(id + 1);
    });
    expect(await second.getMeta('settings')).toEqual({ paused: true });
    expect(await second.getMeta('clock')).toBeNull();
  });

  test('shares its rows with another connection, but not with another name', async () => {
    const [one, same, other] = await Promise.all(
      ['shared', 'shared', 'other'].map((name) => IdbStore.open(name)),
    );
    await one?.write((tx) => tx.table('reports').put(report(1, 0)));
    expect(await same?.read((tx) => tx.table('reports').count())).toBe(1);
    expect(await other?.read((tx) => tx.table('reports').count())).toBe(0);
  });

  test('numbers without repetition over two connections', async () => {
    const [one, two] = [await IdbStore.open('numbers'), await IdbStore.open('numbers')];
    const numbers = await Promise.all(
      Array.from({ length: 10 }, (_, index) => (index % 2 === 0 ? one : two).write((tx) => tx.nextId())),
    );
    expect([...numbers].sort((a, b) => a - b)).toEqual(Array.from({ length: 10 }, (_, index) => index + 1));
  });

  test('waits for no write before the next, and for all before the end', async () => {
    const store = await IdbStore.open('waiting');
    const putting = jest.spyOn(IDBObjectStore.prototype, 'put');
    const asked = (): readonly string[] =>
      putting.mock.results.map(({ value }) => (value as IDBRequest).readyState);
    await store.write((tx) => {
      for (let count = 0; count < 3; count++) tx.table('sources').put(source(tx.nextId(), [SHOP]));
      expect(asked()).toEqual(Array.from({ length: 3 }, () => 'pending'));
    });
    expect(new Set(asked())).toEqual(new Set(['done']));
    putting.mockRestore();
  });

  test('writes to the disk at once, or soon and then with the next that does', async () => {
    const store = await IdbStore.open('soon');
    const opening = jest.spyOn(IDBDatabase.prototype, 'transaction');
    const durabilities = (): readonly unknown[] => {
      const all = opening.mock.calls.map(([, , options]) => options?.durability);
      opening.mockClear();
      return all;
    };
    const put = (tx: Transaction): void => tx.table('reports').put(report(tx.nextId(), 0));
    await store.flush();
    expect(durabilities()).toEqual([]);
    await store.writeSoon(put);
    await store.flush();
    await store.flush();
    expect(durabilities()).toEqual(['relaxed', 'strict']);
    await store.writeSoon(put);
    await store.write(put);
    await store.flush();
    expect(durabilities()).toEqual(['relaxed', 'strict']);
    await store.setMeta('agreement', null);
    expect(durabilities()).toEqual(['strict']);
    opening.mockRestore();
  });

  test('goes on after the browser closed the database, as when the disk failed', async () => {
    const open = jest.spyOn(indexedDB, 'open');
    const store = await IdbStore.open('closed');
    await store.write((tx) => tx.table('reports').put(report(1, 0)));
    const [first] = open.mock.results as readonly { readonly value: IDBOpenDBRequest }[];
    open.mockRestore();
    if (first !== undefined) forceCloseDatabase(first.value.result as never);
    await store.write((tx) => tx.table('reports').put(report(2, 0)));
    expect(await store.read((tx) => tx.table('reports').count())).toBe(2);
  });

  test('lets nobody write in a transaction that reads', async () => {
    const store = await IdbStore.open('reading');
    const writing = store.read((tx) => {
      // @ts-expect-error -- the compiler refuses it first
      const table: Table<'reports'> = tx.table('reports');
      table.put(report(1, 0));
    });
    await expect(writing).rejects.toThrow('readonly');
  });

  test('undoes a transaction of which the browser refuses a change that nobody waits for', async () => {
    const store = await IdbStore.open('refused');
    await store.write((tx) => tx.table('reports').put(report(1, 0)));
    const put = jest.spyOn(IDBObjectStore.prototype, 'put');
    put.mockImplementation(function (this: IDBObjectStore, row: unknown, key?: IDBValidKey) {
      return key === undefined ? this.add(row) : this.add(row, key);
    });
    const writing = store.write((tx) => {
      tx.table('reports').put(report(2, 0));
      tx.table('reports').put(report(1, 5));
    });
    await expect(writing).rejects.toHaveProperty('name', 'ConstraintError');
    put.mockRestore();
    expect(await store.read((tx) => tx.table('reports').latest(9))).toEqual([report(1, 0)]);
    await store.write((tx) => tx.table('reports').put(report(3, 0)));
    expect(await store.read((tx) => tx.table('reports').count())).toBe(2);
  });

  test('does not keep a prototype that a page could have set', async () => {
    const store = await IdbStore.open('prototype');
    const row: Report = { ...report(1, 0), body: JSON.parse('{"__proto__":{"x":1}}') as Report['body'] };
    await store.write((tx) => tx.table('reports').put(row));
    const found = await store.read((tx) => tx.table('reports').get(1));
    expect(JSON.stringify(found?.body)).toBe('{"__proto__":{"x":1}}');
    expect((found?.body as { x?: unknown } | undefined)?.x).toBeUndefined();
  });

  test('registers without objects of `idb`, which take memory in a flood', async () => {
    const store = await databaseWith(1);
    const { Proxy } = globalThis;
    let made = 0;
    globalThis.Proxy = new Proxy(Proxy, {
      construct: (target, given) => ((made += 1), Reflect.construct(target, given) as object),
    });
    await store.inbox.put(new Map([[1, null]]));
    await register(store, sourceTo(1, 'https://new.example'));
    await register(store, trigger(2, 'https://new.example'));
    const registered = made;
    await store.newest('sources', 1);
    globalThis.Proxy = Proxy;
    expect(registered).toBe(0);
    // Elsewhere it is used, so its objects are counted.
    expect(made).toBeGreaterThan(0);
  });
});
