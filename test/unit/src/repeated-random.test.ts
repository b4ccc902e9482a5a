import { MemoryStore } from '../../../analysis/store/memory-store';
import { StoredEngine } from '../../../transactions/stored-engine';
import { chromiumLimits } from '../../../src/model/limits';
import { after, seconds, type Origin } from '../../../src/model/units';
import { randomizedTriggerRate } from '../../../src/privacy/randomized-response';
import type { RandomSource } from '../../../src/privacy/random-source';
import { seededRandomSource, seededRandomStreams } from '../../../analysis/random/sources';
import { repeatedRandom } from '../../../transactions/repeated-random';
import { epsilon } from '../../../src/model/units';
import { NotLoaded, type Draft } from '../../../src/store/draft';
import type { TableName } from '../../../src/store/rows';
import type { ReadTransaction, Store, Transaction } from '../../../transactions/store';
import { conditions, sourceRegistration, START } from '../helpers/engine';

const words = (source: RandomSource, count: number): bigint[] =>
  Array.from({ length: count }, () => source.uint64());

test('each attempt draws the same words, and goes on where no earlier one has been', () => {
  const draw = repeatedRandom(seededRandomStreams('again'));
  const first = words(draw()(7), 3);
  const second = words(draw()(7), 5);
  expect(second.slice(0, 3)).toEqual(first);
  expect(words(draw()(7), 5)).toEqual(second);
  expect(words(draw()(8), 3)).not.toEqual(first);
  expect(second).toEqual(words(seededRandomStreams('again')(7), 5));
});

/** A store in memory that has to load a destination's counts, which only fake reports of a source look at, and then decides again. */
class LoadingStore implements Store {
  again = 0;
  private readonly inner = new MemoryStore();

  read<T>(work: (transaction: ReadTransaction) => T | Promise<T>): Promise<T> {
    return this.inner.read(work);
  }

  write<T>(work: (transaction: Transaction) => T | Promise<T>): Promise<T> {
    return this.inner.write((tx) =>
      work({
        ...tx,
        decide: async (needs, decide) => {
          try {
            return await tx.decide(needs, (draft) => decide(this.withoutCounts(draft)));
          } catch (error) {
            if (!(error instanceof NotLoaded)) throw error;
            this.again += 1;
            return tx.decide(needs, decide);
          }
        },
      }),
    );
  }

  private withoutCounts(draft: Draft): Draft {
    return new Proxy(draft, {
      get: (target, name) => {
        if (name !== 'get') {
          const value = Reflect.get(target, name) as unknown;
          return typeof value === 'function' ? (value.bind(target) as unknown) : value;
        }
        return (table: TableName, id: never) => {
          if (table === 'destinationUse') throw new NotLoaded([{ of: table, id }]);
          return target.get(table, id);
        };
      },
    });
  }
}

/*
 * With fresh words, a source whose output was replaced would get another chance: of event sources with ε = 1 and one report, which have 3
 * states and are replaced with probability 3 / (2 + e) = 0.636, only 0.404 would have been. Fewer have reports. A mistaken failure has
 * probability 2·e^(−2·3000·0.06²) < 1e-9.
 */
test('a source is noised as often if its fake reports need what was not loaded', async () => {
  const store = new LoadingStore();
  // As in production, no two draws are the same.
  const source = seededRandomSource('never the same', 1);
  const engine = new StoredEngine({ store, limits: chromiumLimits, random: () => source });
  const count = 3000;
  let replaced = 0;
  for (let index = 0; index < count; index++) {
    const time = after(START, seconds(index));
    const contextOrigin = `https://www${index % 7}.news.example` as Origin;
    const header = { event_level_epsilon: 1, destination: 'https://shop.example' };
    const entry = await engine.register(
      sourceRegistration(header, 'event', { time, contextOrigin }),
      // By the specification, fake reports are counted when they are made.
      conditions({ kind: 'on' }, { limits: 'specification' }),
    );
    if (entry.kind !== 'source' || entry.decision.kind !== 'stored') throw new Error('it was not stored');
    if (entry.decision.noise.kind === 'replaced') replaced += 1;
  }
  expect(store.again).toBeGreaterThan(count / 4);
  const rate = randomizedTriggerRate(3n, epsilon(1));
  expect(Math.abs(replaced / count - rate)).toBeLessThan(0.06);
});
