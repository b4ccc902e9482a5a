import 'fake-indexeddb/auto';
import { scatteredId } from '../../../extension/store/scattered-ids';
import {
  conditions,
  newEngine,
  SHOP,
  sourceRegistration,
  START,
  triggerRegistration,
} from '../helpers/engine';
import { IdbStore } from '../../../extension/store/idb-store';
import { after, milliseconds } from '../../../src/model/units';

const keyOf = (byte: number): Uint8Array => new Uint8Array(16).fill(byte);
const idsOf = (key: Uint8Array, count: number, from = 1): readonly number[] =>
  Array.from({ length: count }, (_, index) => scatteredId(key, from + index));

describe('the ids of reports', () => {
  test('are not repeated, with six digits for the first 900,000 and then more', () => {
    const around = [...idsOf(keyOf(1), 2000), ...idsOf(keyOf(1), 2000, 899_001)];
    expect(new Set(around).size).toBe(around.length);
    for (const id of around.slice(0, 3000)) {
      expect(id).toBeGreaterThanOrEqual(100_000);
      expect(id).toBeLessThan(1_000_000);
    }
    for (const id of around.slice(3000)) {
      expect(id).toBeGreaterThanOrEqual(1_000_000);
      expect(id).toBeLessThan(10_000_000);
    }
  });

  test('do not follow the order in which reports are made, and differ with the key', () => {
    const ids = idsOf(keyOf(1), 2000);
    const rising = ids.filter((id, index) => id > (ids[index - 1] ?? Infinity)).length;
    // Of 2,000 numbers in random order, 1,000 are greater than the one before, give or take 13: eight times that is beyond 1e-14.
    expect(Math.abs(rising - 1000)).toBeLessThan(104);
    const both = new Set([...ids, ...idsOf(keyOf(2), 2000)]);
    // By chance 4.4 of both are alike; more than 30 are less likely than 1e-14.
    expect(both.size).toBeGreaterThan(4000 - 30);
  });
});

const nothing = new Array<readonly number[]>(7).fill([]);

/** Registers a click, with so many fake reports or none; two conversions; and what registers nothing. */
async function numbersWith(name: string, fake: readonly number[] | null): Promise<unknown> {
  const store = await IdbStore.open(name);
  const { engine } = newEngine({ store });
  const noise =
    fake === null ? ({ kind: 'off' } as const) : { kind: 'forced' as const, state: [fake, ...nothing] };
  const at = (count: number) => ({ time: after(START, milliseconds(count)) });
  await engine.register(sourceRegistration({}, 'navigation', at(0)), conditions(noise));
  await engine.register(triggerRegistration(undefined, { ...at(1), contextOrigin: SHOP }), conditions());
  await engine.register(sourceRegistration({ destination: '' }, 'navigation', at(2)), conditions());
  await engine.register(sourceRegistration({}, 'event', at(3)), conditions());
  await engine.register(triggerRegistration(undefined, { ...at(4), contextOrigin: SHOP }), conditions());
  return store.read(async (tx) => ({
    sources: (await tx.table('sources').latest(9)).map(({ id }) => id),
    log: (await tx.table('log').latest(9)).map(({ id, kind }) => `${kind} ${id}`),
    reports: (await tx.table('reports').count()) + (await tx.table('finished').count()),
  }));
}

test('a source has the number of its log entry, and numbers do not say how many reports there are', async () => {
  const numbers = {
    sources: [4, 1],
    log: ['trigger 5', 'source 4', 'refused 3', 'trigger 2', 'source 1'],
  };
  expect(await numbersWith('without noise', null)).toEqual({ ...numbers, reports: 2 });
  expect(await numbersWith('fakes', [0, 1, 2])).toEqual({ ...numbers, reports: 4 });
  expect(await numbersWith('none', [])).toEqual({ ...numbers, reports: 1 });
});
