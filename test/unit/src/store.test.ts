import 'fake-indexeddb/auto';
import { IdbStore } from '../../../extension/store/idb-store';
import type { Report, Source } from '../../../src/model/records';
import { moment } from '../../../src/model/units';
import { MemoryStore } from '../../../analysis/store/memory-store';
import type { Draft } from '../../../src/store/draft';
import { candidateKey, tableNames } from '../../../src/store/rows';
import type { Store, Transaction } from '../../../transactions/store';
import { ADTECH, conditions, newEngine, NEWS, sourceRegistration } from '../helpers/engine';
import { report, source } from '../helpers/rows';

const ids = (rows: readonly { readonly id: number }[]): number[] => rows.map(({ id }) => id);

const putAll = (store: Store, reports: readonly Report[]): Promise<void> =>
  store.write((tx) => {
    for (const row of reports) tx.table('reports').put(row);
  });

let databases = 0;

describe.each<[string, () => Promise<Store>]>([
  ['MemoryStore', () => Promise.resolve(new MemoryStore())],
  ['IdbStore', () => IdbStore.open(`contract ${++databases}`)],
])('%s', (_name, open) => {
  let store: Store;
  beforeEach(async () => {
    store = await open();
  });

  test('begins empty', async () => {
    await store.read(async (tx) => {
      for (const name of tableNames()) {
        expect(await tx.table(name).count()).toBe(0);
        expect(await tx.table(name).latest(5)).toEqual([]);
      }
      expect(await tx.table('reports').get(1)).toBeUndefined();
      expect(await tx.table('reports').first('nextAttempt')).toBeUndefined();
      expect(await tx.table('sources').where('candidate', 'a b')).toEqual([]);
      expect(await tx.table('sources').countWhere('candidate', 'a b')).toBe(0);
    });
  });

  test('gives back what was put, 64-bit integers and maps included', async () => {
    const row = source(1, ['https://a.example']);
    await store.write((tx) => tx.table('sources').put(row));
    const found = await store.read((tx) => tx.table('sources').get(1));
    expect(found).toEqual(row);
    expect(found?.states).toBe(10n ** 27n);
    expect(found?.flexible?.finalBuckets.get(3)).toBe(1);
  });

  test('finds a row under each of its keys, and not under keys that it has no more', async () => {
    const key = (site: string): string => candidateKey(ADTECH, site);
    const at = (tx: Transaction, site: string): Promise<number[]> =>
      tx
        .table('sources')
        .where('candidate', key(`https://${site}.example`))
        .then(ids);
    await store.write(async (tx) => {
      tx.table('sources').put(source(2, ['https://a.example', 'https://b.example']));
      tx.table('sources').put(source(1, ['https://b.example', 'https://c.example']));
      expect(await at(tx, 'a')).toEqual([2]);
      expect(await at(tx, 'b')).toEqual([1, 2]);
      tx.table('sources').put(source(2, ['https://c.example']));
      expect(await at(tx, 'a')).toEqual([]);
      expect(await at(tx, 'b')).toEqual([1]);
      expect(await at(tx, 'c')).toEqual([1, 2]);
      expect(await tx.table('sources').countWhere('candidate', key('https://c.example'))).toBe(2);
      tx.table('sources').delete(1);
      expect(await at(tx, 'b')).toEqual([]);
      expect(await at(tx, 'c')).toEqual([2]);
      expect(await tx.table('sources').countWhere('candidate', key('https://b.example'))).toBe(0);
    });
  });

  test('leaves rows without a key out of the index', async () => {
    const held = report(2, 10, 7);
    if (held.event === null) throw new Error('it is about a source');
    await putAll(store, [report(1, 10), { ...held, event: { ...held.event, held: true } }]);
    await store.read(async (tx) => {
      expect(ids(await tx.table('reports').upTo('nextAttempt', Infinity))).toEqual([1]);
    });
  });

  test('gives rows up to a key, the key included, in its order and then that of their ids', async () => {
    await putAll(store, [report(1, 30), report(2, 20), report(4, 10), report(3, 10), report(5, 100)]);
    await store.read(async (tx) => {
      expect(ids(await tx.table('reports').upTo('nextAttempt', 9))).toEqual([]);
      expect(ids(await tx.table('reports').upTo('nextAttempt', 20))).toEqual([3, 4, 2]);
      expect(ids(await tx.table('reports').upTo('nextAttempt', Infinity))).toEqual([3, 4, 2, 1, 5]);
      expect((await tx.table('reports').first('nextAttempt'))?.id).toBe(3);
    });
  });

  test('decides in a draft, which sees its own changes, and applies all of it', async () => {
    await store.write((tx) => tx.table('sources').put(source(1, ['https://a.example'])));
    const key = candidateKey(ADTECH, 'https://a.example');
    const decided = await store.write((tx) =>
      tx.decide([], (draft) => {
        const id = draft.nextId('log');
        draft.put('sources', source(id + 10, ['https://a.example']));
        draft.delete('sources', 1);
        expect(draft.get('sources', 1)).toBeUndefined();
        expect(draft.candidates(key).map((one) => one.id)).toEqual([id + 10]);
        draft.put('originUse', { id: NEWS, sources: (draft.get('originUse', NEWS)?.sources ?? 0) + 7 });
        return id;
      }),
    );
    await store.read(async (tx) => {
      expect(ids(await tx.table('sources').where('candidate', key))).toEqual([decided + 10]);
      expect(await tx.table('originUse').get(NEWS)).toEqual({ id: NEWS, sources: 7 });
    });
    expect(await store.write((tx) => tx.nextId())).toBe(decided + 1);
  });

  test('gives the sources of a conversion best first: by priority, then the newest', async () => {
    const ranked = (id: number, priority: bigint, time: number): Source => {
      const one = source(id, ['https://a.example']);
      return { ...one, time: moment(time), registration: { ...one.registration, priority } };
    };
    const all = [ranked(1, 0n, 5), ranked(2, 9n, 1), ranked(3, 0n, 7), ranked(4, 9n, 1), ranked(5, -1n, 9)];
    await store.write((tx) => {
      for (const one of all) tx.table('sources').put(one);
      tx.table('sources').put(ranked(5, 10n, 9));
      tx.table('sources').delete(3);
    });
    const candidates = await store.write((tx) =>
      tx.decide([], (draft) => draft.candidates(candidateKey(ADTECH, 'https://a.example'))),
    );
    expect(ids(candidates)).toEqual([5, 4, 2, 1]);
  });

  test('leaves out the sources of a conversion that have expired, whatever has changed', async () => {
    const expiring = (id: number, expiryTime: number): Source => ({
      ...source(id, ['https://a.example']),
      expiryTime: moment(expiryTime),
    });
    const key = candidateKey(ADTECH, 'https://a.example');
    const unexpired = (draft: Draft, now: number): readonly number[] =>
      ids(draft.candidates(key, moment(now))).toSorted((a, b) => a - b);
    await store.write((tx) => {
      for (const one of [expiring(3, 30), expiring(2, 20), expiring(1, 10)]) tx.table('sources').put(one);
    });
    await store.write((tx) =>
      tx.decide([], (draft) => {
        expect(unexpired(draft, 9)).toEqual([1, 2, 3]);
        expect(unexpired(draft, 10)).toEqual([2, 3]);
        draft.put('sources', expiring(3, 10));
        draft.put('sources', expiring(4, 40));
        expect(unexpired(draft, 10)).toEqual([2, 4]);
      }),
    );
    expect(await store.write((tx) => tx.decide([], (draft) => unexpired(draft, 20)))).toEqual([4]);
  });

  test('of a decision that fails, nothing happens', async () => {
    const failing = store.write((tx) =>
      tx.decide([], (draft) => {
        draft.nextId('log');
        draft.put('reports', report(draft.nextId('reports'), 1));
        throw new Error('killed');
      }),
    );
    await expect(failing).rejects.toThrow('killed');
    expect(await store.read((tx) => tx.table('reports').count())).toBe(0);
    expect(await store.write((tx) => tx.nextId())).toBe(1);
  });

  test('gives the latest rows, greatest id first', async () => {
    await putAll(store, [report(1, 3), report(10, 1), report(9, 2)]);
    await store.read(async (tx) => {
      expect(ids(await tx.table('reports').latest(2))).toEqual([10, 9]);
      expect(ids(await tx.table('reports').latest(10))).toEqual([10, 9, 1]);
      expect(await tx.table('reports').latest(0)).toEqual([]);
      expect(ids(await tx.table('reports').latest(1, 10))).toEqual([9]);
      expect(ids(await tx.table('reports').latest(10, 9))).toEqual([1]);
      expect(await tx.table('reports').latest(10, 1)).toEqual([]);
      expect(await tx.table('reports').count()).toBe(3);
    });
  });

  test('forgets what is deleted or cleared, in one table only', async () => {
    await putAll(store, [report(1, 3), report(2, 1)]);
    await store.write(async (tx) => {
      tx.table('sources').put(source(3, ['https://a.example']));
      tx.table('reports').delete(1);
      tx.table('reports').delete(99);
      expect(await tx.table('reports').get(1)).toBeUndefined();
      await tx.table('reports').clear();
    });
    await store.read(async (tx) => {
      expect(await tx.table('reports').count()).toBe(0);
      expect(await tx.table('reports').upTo('nextAttempt', Infinity)).toEqual([]);
      expect(await tx.table('sources').count()).toBe(1);
    });
  });

  test('leaves nothing of a transaction that throws: no row, no index entry, no number', async () => {
    await putAll(store, [report(1, 10, 5)]);
    const first = await store.write((tx) => tx.nextId());
    const failing = store.write(async (tx) => {
      tx.nextId();
      tx.table('reports').put({ ...report(1, 99, 6), url: 'changed' });
      tx.table('reports').put(report(2, 5, 5));
      tx.table('sources').put(source(3, ['https://a.example']));
      tx.table('reports').delete(1);
      tx.table('reports').put(report(1, 98));
      await tx.table('reports').clear();
      throw new Error('killed');
    });
    await expect(failing).rejects.toThrow('killed');
    await store.write(async (tx) => {
      expect(await tx.table('reports').latest(10)).toEqual([report(1, 10, 5)]);
      expect(ids(await tx.table('reports').upTo('nextAttempt', Infinity))).toEqual([1]);
      expect(await tx.table('sources').count()).toBe(0);
      expect(tx.nextId()).toBe(first + 1);
    });
  });

  test('says which tables a transaction has changed so far, and no other transaction', async () => {
    await putAll(store, [report(1, 10, 5)]);
    await store.write(async (tx) => {
      await tx.table('reports').get(1);
      expect(tx.hasChanged('reports')).toBe(false);
      tx.table('reports').put(report(2, 10, 5));
      tx.table('sources').delete(7);
      await tx.table('spends').clear();
      expect((['reports', 'sources', 'log'] as const).map((name) => tx.hasChanged(name))).toEqual([
        true,
        true,
        false,
      ]);
    });
  });

  test('runs writes one after the other, whatever they wait for', async () => {
    await store.write((tx) => tx.table('reports').put(report(1, 0)));
    await Promise.all(
      Array.from({ length: 20 }, () =>
        store.write(async (tx) => {
          const row = await tx.table('reports').get(1);
          await tx.table('sources').count();
          if (row !== undefined) tx.table('reports').put(report(1, row.nextAttempt + 1));
        }),
      ),
    );
    expect((await store.read((tx) => tx.table('reports').get(1)))?.nextAttempt).toBe(20);
  });

  test('goes on after a write that threw among others', async () => {
    const results = await Promise.allSettled([
      store.write((tx) => tx.table('reports').put(report(1, 0))),
      store.write((tx) => {
        tx.table('reports').put(report(2, 0));
        throw new Error('killed');
      }),
      store.write((tx) => tx.table('reports').put(report(3, 0))),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(ids(await store.read((tx) => tx.table('reports').latest(9)))).toEqual([3, 1]);
  });

  test('numbers from 1 without a gap or a repetition', async () => {
    const numbers = await Promise.all(
      Array.from({ length: 10 }, () => store.write((tx) => [tx.nextId(), tx.nextId()])),
    );
    expect(numbers.flat()).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
  });

  test('returns what the work returns', async () => {
    await expect(store.write(() => Promise.resolve('written'))).resolves.toBe('written');
    await expect(store.read(() => Promise.resolve('read'))).resolves.toBe('read');
  });

  test('carries the engine', async () => {
    const { engine } = newEngine({ store });
    const entry = await engine.register(sourceRegistration(), conditions());
    expect(entry).toMatchObject({ kind: 'source', decision: { kind: 'stored' } });
    expect((await store.read((tx) => tx.table('sources').latest(1)))[0]).toMatchObject({ states: 2925n });
  });
});
