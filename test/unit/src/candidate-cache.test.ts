import 'fake-indexeddb/auto';
import fc from 'fast-check';
import { CandidateCache } from '../../../extension/store/candidate-cache';
import { IdbStore } from '../../../extension/store/idb-store';
import type { Source } from '../../../src/model/records';
import { bySourceRank, type Need } from '../../../src/store/draft';
import { candidateKey } from '../../../src/store/rows';
import { ADTECH } from '../helpers/engine';
import { source } from '../helpers/rows';

const destinations = ['https://a.example', 'https://b.example'] as const;
const keys = destinations.map((destination) => candidateKey(ADTECH, destination));
const needs = keys.map((key): Need => ({ of: 'candidates', key }));

interface Step {
  readonly kind: 'put' | 'delete' | 'clear' | 'ask' | 'fail' | 'decide';
  readonly id: number;
  readonly to: readonly string[];
  /** Whether the next step begins before this one is complete. */
  readonly overlaps: boolean;
}

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom<Step['kind'][]>('put', 'put', 'delete', 'clear', 'ask', 'ask', 'fail', 'decide'),
  id: fc.integer({ min: 1, max: 6 }),
  to: fc.subarray([...destinations], { minLength: 1 }),
  overlaps: fc.boolean(),
});

let opened = 0;

/** What a decision sees, and what the database has: by candidate key. */
async function seen(store: IdbStore): Promise<readonly (readonly [unknown, unknown])[]> {
  return store.write(async (tx) => {
    const decided = await tx.decide(needs, (draft) => keys.map((key) => draft.candidates(key)));
    const stored = await Promise.all(keys.map((key) => tx.table('sources').where('candidate', key)));
    return decided.map((sources, index) => [sources, [...(stored[index] ?? [])].sort(bySourceRank)] as const);
  });
}

const run = (store: IdbStore, { kind, id, to }: Step): Promise<unknown> =>
  store.write(async (tx) => {
    const sources = tx.table('sources');
    if (kind === 'put' || kind === 'fail') sources.put(source(id, [...to]));
    else if (kind === 'delete') sources.delete(id);
    else if (kind === 'clear') await sources.clear();
    else
      await tx.decide(needs, (draft) => {
        const [first] = draft.candidates(keys[0] ?? '');
        if (kind === 'decide' && first !== undefined) draft.put('sources', { ...first, reportCount: id });
      });
    if (kind === 'fail') throw new Error('as asked');
  });

describe('the candidates that a store remembers', () => {
  test('are those of the database, whatever was written, undone, or begun before another ended', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
        const store = await IdbStore.open(`candidates-${++opened}`);
        const running: Promise<unknown>[] = [];
        for (const one of steps) {
          running.push(run(store, one).catch(() => undefined));
          if (!one.overlaps) await Promise.all(running);
        }
        await Promise.all(running);
        for (const [decided, stored] of await seen(store)) expect(decided).toEqual(stored);
        for (const [decided, stored] of await seen(store)) expect(decided).toEqual(stored);
        await store.close();
      }),
      { numRuns: 60, seed: 1 },
    );
  });

  test('are not read again', async () => {
    const store = await IdbStore.open('candidates-read-once');
    await store.write((tx) => tx.table('sources').put(source(1, ['https://a.example'])));
    await seen(store);
    const reading = jest.spyOn(IDBIndex.prototype, 'getAll');
    await store.write((tx) => tx.decide(needs, (draft) => keys.map((key) => draft.candidates(key))));
    expect(reading).not.toHaveBeenCalled();
    reading.mockRestore();
    await store.close();
  });

  test('are those of the last conversions, and no more than a bound', () => {
    const cache = new CandidateCache();
    const one = source(1, ['https://a.example']);
    const list = (length: number): readonly Source[] => Array.from({ length }, () => one);
    const [few, many, tooMany] = [list(10), list(4000), list(6000)];
    cache.keep(
      new Map([
        ['first', many],
        ['second', few],
        ['third', many],
      ]),
    );
    expect([...cache.lists.keys()]).toEqual(['second', 'third']);
    cache.keep(new Map([...cache.lists, ['fourth', tooMany]]));
    expect([...cache.lists.keys()]).toEqual(['second', 'third']);
    cache.keep(new Map([['alone', tooMany]]));
    expect(cache.lists.size).toBe(0);
    cache.keep(new Map(Array.from({ length: 10_000 }, (_, index) => [`${index}`, []] as const)));
    expect(cache.lists.size).toBe(5000);
  });
});
