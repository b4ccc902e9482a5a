import type { JsonObject } from '../../../src/model/json';
import { milliseconds, minutes, after, type Moment, type Origin } from '../../../src/model/units';
import { MemoryStore } from '../../../analysis/store/memory-store';
import { findMatchingSources } from '../../../src/attribution/find-source';
import type { Trigger } from '../../../src/model/trigger';
import type { Draft, View } from '../../../src/store/draft';
import type { Store, Transaction } from '../../../transactions/store';
import {
  conditions,
  newEngine,
  outcomeOf,
  sourceRegistration,
  START,
  triggerRegistration,
} from '../helpers/engine';

/** Counts the rows that a store gives out. */
class CountingStore implements Store {
  rows = 0;
  private readonly inner = new MemoryStore();

  write<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return this.inner.write((tx) =>
      work({
        ...tx,
        table: (name) => this.counting(tx.table(name)),
        decide: (needs, decide) => tx.decide(needs, (draft) => decide(this.countingDraft(draft))),
      }),
    );
  }

  read = this.write.bind(this) as Store['read'];

  /** A row counts once, a list of candidates for each. */
  private countingDraft(draft: Draft): Draft {
    return new Proxy(draft, {
      get: (target, name) => {
        const value = Reflect.get(target, name) as unknown;
        if (typeof value !== 'function') return value;
        return (...given: unknown[]): unknown => {
          const result = Reflect.apply(value, target, given) as unknown;
          if (name === 'get' && result !== undefined) this.rows += 1;
          if (name === 'candidates') this.rows += (result as readonly unknown[]).length;
          return result;
        };
      },
    });
  }

  private counting<T extends object>(table: T): T {
    const counted = Object.entries(table).map(([name, method]) => [
      name,
      async (...given: unknown[]): Promise<unknown> => {
        const result = await (method as (...given: unknown[]) => Promise<unknown>)(...given);
        this.rows += Array.isArray(result) ? result.length : 0;
        return result;
      },
    ]);
    return Object.fromEntries(counted) as T;
  }
}

/** Sources of one ad tech on many origins of one site, a minute apart. */
async function rowsReadFor(stored: number, fields: (index: number) => JsonObject): Promise<number> {
  const store = new CountingStore();
  const { engine } = newEngine({ store });
  const source = async (index: number): Promise<void> => {
    const time: Moment = after(START, milliseconds(index * minutes(1)));
    const contextOrigin = `https://www${index % 7}.news.example` as Origin;
    const registration = sourceRegistration(fields(index), 'navigation', { time, contextOrigin });
    expect(outcomeOf(await engine.register(registration, conditions()))).toBe('stored');
  };
  for (let index = 0; index < stored; index++) await source(index);
  store.rows = 0;
  await source(stored);
  return store.rows;
}

test.each<[string, (index: number) => JsonObject]>([
  ['a plain source', () => ({})],
  [
    'a source with a destination of its own',
    (index) => ({ destination: `https://shop${index % 5}.example` }),
  ],
  [
    'a source with attribution scopes',
    (index) => ({ attribution_scopes: { limit: 9, values: [`${index % 9}`], max_event_states: 1 } }),
  ],
])('%s reads as many rows on a site with 400 sources as with 40', async (_name, fields) => {
  const few = await rowsReadFor(40, fields);
  const many = await rowsReadFor(400, fields);
  // A later day begins with fewer recent records.
  expect(many).toBeLessThanOrEqual(few + 10);
});

test('a trigger reads its own limits only', async () => {
  const store = new CountingStore();
  const { engine } = newEngine({ store });
  for (let index = 0; index < 60; index++) {
    const reportingOrigin = `https://ad${index % 9}.example` as Origin;
    const time = after(START, milliseconds(index * minutes(1)));
    await engine.register(sourceRegistration({}, 'navigation', { reportingOrigin, time }), conditions());
    await engine.register(triggerRegistration(undefined, { reportingOrigin, time }), conditions());
  }
  store.rows = 0;
  const reportingOrigin = 'https://ad1.example' as Origin;
  const time = after(START, milliseconds(61 * minutes(1)));
  const entry = await engine.register(
    triggerRegistration(undefined, { reportingOrigin, time }),
    conditions(),
  );
  expect(outcomeOf(entry)).toBe('attributed');
  expect(store.rows).toBeLessThan(20);
});

test('a trigger reads each of its scopes once, however many sources have scopes', () => {
  let reads = 0;
  const scopes = Array.from({ length: 2000 }, (_, index) => `scope ${index}`);
  const counted = new Proxy(scopes, {
    get: (target, key) => {
      reads += 1;
      return Reflect.get(target, key) as unknown;
    },
  });
  const values = Array.from({ length: 20 }, (_, index) => `other ${index}`);
  const stored = Array.from({ length: 50 }, () => ({ expiryTime: Infinity, attributionScopes: { values } }));
  const view = { candidates: () => stored } as unknown as View;
  const trigger = { time: START, registration: { attributionScopes: counted } } as unknown as Trigger;
  expect(findMatchingSources(view, trigger).eligible).toEqual([]);
  // To list an array reads its length before each item.
  expect(reads).toBeLessThan(3 * scopes.length);
});

test('the log lists the first 100 candidates of a conversion, and says how many more there were', async () => {
  const { engine } = newEngine();
  for (let index = 0; index < 130; index++) await engine.register(sourceRegistration(), conditions());
  const nobody = { event_trigger_data: [{}], filters: { nobody: ['has this'] } };
  const entry = await engine.register(triggerRegistration(nobody), conditions());
  if (entry.kind !== 'trigger') throw new Error('not a trigger');
  expect(entry.considered).toHaveLength(100);
  expect(entry.unlisted).toBe(30);
});

test('a chosen candidate is listed wherever it stands', async () => {
  const { engine } = newEngine();
  for (let index = 0; index < 130; index++) {
    const time = after(START, milliseconds(index));
    await engine.register(sourceRegistration({}, 'navigation', { time }), conditions());
  }
  const model = conditions(undefined, { attribution: { kind: 'first-touch' } });
  const trigger = triggerRegistration(undefined, { time: after(START, minutes(1)) });
  const entry = await engine.register(trigger, model);
  if (entry.kind !== 'trigger') throw new Error('not a trigger');
  // No check names more either; after the last comes "…".
  const named = entry.checks.map(({ values }) => JSON.stringify(values).split(', ').length);
  expect(Math.max(...named)).toBe(101);
  expect(entry.considered).toHaveLength(101);
  expect(entry.considered?.at(-1)).toMatchObject({ verdict: 'chosen', time: START });
});
