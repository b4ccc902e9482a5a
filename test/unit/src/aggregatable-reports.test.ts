import fc from 'fast-check';
import { CONTRIBUTION_BUDGET } from '../../../src/model/aggregatable';
import type { JsonObject } from '../../../src/model/json';
import { chromiumLimits } from '../../../src/model/limits';
import type { Report } from '../../../src/model/records';
import { after, days, minutes, type Origin } from '../../../src/model/units';
import { seededRandomSource } from '../../../analysis/random/sources';
import { StoredEngine } from '../../../transactions/stored-engine';
import { MemoryStore } from '../../../analysis/store/memory-store';
import { conditions, sourceRegistration, START, triggerRegistration } from '../helpers/engine';

const on = (noise: 'on' | 'off'): ReturnType<typeof conditions> =>
  conditions({ kind: noise }, { aggregatableReports: true });

function newEngine(seed: string): {
  readonly engine: StoredEngine;
  readonly reports: () => Promise<Report[]>;
} {
  const store = new MemoryStore();
  return {
    engine: new StoredEngine({
      store,
      limits: chromiumLimits,
      random: (stream) => seededRandomSource(seed, stream),
    }),
    reports: async () =>
      (await store.read((tx) => tx.table('reports').latest(Infinity))).filter(
        ({ kind }) => kind === 'aggregatable',
      ),
  };
}

const anyTrigger: fc.Arbitrary<JsonObject> = fc.record({
  aggregatable_values: fc.dictionary(
    fc.constantFrom('a', 'b', 'c'),
    fc.oneof(fc.integer({ min: 1, max: 200 }), fc.integer({ min: 1, max: CONTRIBUTION_BUDGET })),
  ),
  aggregatable_trigger_data: fc.constantFrom([], [{ key_piece: '0x10', source_keys: ['a'] }]),
  named_budgets: fc.constantFrom([], [], [], [{ name: 'season' }]),
  aggregatable_deduplication_keys: fc.constantFrom([], [], [], [{ deduplication_key: '1' }]),
});

describe('aggregatable reports of a source', () => {
  test('keep to its budgets and their number, whatever the triggers', async () => {
    let [fullBudgets, fullNumbers] = [0, 0];
    const triggers = fc.array(fc.tuple(anyTrigger, fc.constantFrom(false, false, false, true)), {
      minLength: 20,
      maxLength: 60,
    });
    await fc.assert(
      fc.asyncProperty(triggers, async (all) => {
        const { engine, reports } = newEngine('budget');
        const keys = { a: '0x1', b: '0x2', c: '0x4' };
        const source = { aggregation_keys: keys, named_budgets: { season: 500 } };
        await engine.register(sourceRegistration(source), on('off'));
        for (const [trigger, hasContext] of all) {
          const fields = hasContext ? { ...trigger, trigger_context_id: 'x' } : trigger;
          await engine.register(triggerRegistration(fields), on('off'));
        }
        const made = (await reports()).filter(({ aggregatable }) => aggregatable?.sourceId !== null);
        const spent = made.flatMap(({ aggregatable }) => aggregatable?.contributions ?? []);
        const sum = spent.reduce((total, { value }) => total + value, 0);
        expect(sum).toBeLessThanOrEqual(CONTRIBUTION_BUDGET);
        const counted = made.filter(({ body }) => !('trigger_context_id' in (body as JsonObject)));
        expect(counted.length).toBeLessThanOrEqual(20);
        if (sum > CONTRIBUTION_BUDGET / 2) fullBudgets += 1;
        if (counted.length > 5) fullNumbers += 1;
      }),
      { seed: 18, numRuns: 40 },
    );
    // So that the bounds were near.
    expect(Math.min(fullBudgets, fullNumbers)).toBeGreaterThan(5);
  });
});

describe('null reports', () => {
  const alone = async (fields: JsonObject, count: number): Promise<Report[]> => {
    const { engine, reports } = newEngine('null reports');
    for (let index = 0; index < count; index++) {
      // Of a destination each, because nothing else depends on it.
      const contextOrigin = `https://shop-${index}.example` as Origin;
      const registration = triggerRegistration(
        { aggregatable_values: { a: 1 }, ...fields },
        { contextOrigin },
      );
      await engine.register(registration, on('on'));
    }
    return reports();
  };

  /** Five standard deviations: a correct rate fails with probability below 6e-7, and the seed is fixed. */
  const expectRate = (found: number, draws: number, rate: number): void => {
    const tolerance = 5 * Math.sqrt(draws * rate * (1 - rate));
    expect(Math.abs(found - draws * rate)).toBeLessThan(tolerance);
  };

  test('are made of one trigger in 20 without a source', async () => {
    const made = await alone({}, 3000);
    expectRate(made.length, 3000, 1 / 20);
    expect(made.every(({ aggregatable }) => aggregatable?.contributions.length === 0)).toBe(true);
  });

  test('with source registration time are made for one in 125 days of a month', async () => {
    const made = await alone({ aggregatable_source_registration_time: 'include' }, 600);
    expectRate(made.length, 600 * 31, 1 / 125);
    const times = made.map(
      ({ body }) => /"source_registration_time":"(\d+)"/.exec(JSON.stringify(body).replaceAll('\\', ''))?.[1],
    );
    const first = (START - (START % days(1)) - days(30)) / 1000;
    const daysLater = times.map((time) => (Number(time) - first) / (days(1) / 1000));
    expect(daysLater.every((day) => Number.isInteger(day) && day >= 0 && day <= 30)).toBe(true);
    expect(new Set(daysLater).size).toBeGreaterThan(20);
  });

  test('are due like others: at a uniformly random time within ten minutes', async () => {
    const made = await alone({}, 3000);
    const delays = made.map(({ reportTime }) => (reportTime - START) / minutes(10));
    expect(delays.every((delay) => delay >= 0 && delay < 1)).toBe(true);
    const mean = delays.reduce((sum, delay) => sum + delay, 0) / delays.length;
    expect(Math.abs(mean - 0.5)).toBeLessThan(5 * Math.sqrt(1 / 12 / delays.length));
  });

  test('are sent at once if the trigger has a context id, and always', async () => {
    const made = await alone({ trigger_context_id: 'x' }, 20);
    expect(made.map(({ reportTime }) => reportTime)).toEqual(
      Array.from({ length: 20 }, () => after(START, minutes(0))),
    );
  });
});

test('a source that was recorded while aggregatable reports were off makes none', async () => {
  const { engine, reports } = newEngine('off');
  await engine.register(sourceRegistration({ aggregation_keys: { a: '0x1' } }), conditions());
  const entry = await engine.register(triggerRegistration({ aggregatable_values: { a: 1 } }), on('off'));
  expect(entry).toMatchObject({
    aggregatable: { outcomes: [{ reason: 'trigger-aggregate-no-contributions' }] },
  });
  expect(await reports()).toEqual([]);
});
