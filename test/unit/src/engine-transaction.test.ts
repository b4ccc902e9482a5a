import type { Conditions, RegistrationEntry } from '../../../src/engine';
import { StoredEngine } from '../../../transactions/stored-engine';
import type { Registration } from '../../../src/model/incoming-registration';
import { chromiumLimits } from '../../../src/model/limits';
import { after, days, minutes, type Origin } from '../../../src/model/units';
import { type RandomSource } from '../../../src/privacy/random-source';
import { MemoryStore } from '../../../analysis/store/memory-store';
import {
  conditions,
  contents,
  newEngine,
  outcomeOf,
  sourceRegistration,
  START,
  triggerRegistration,
} from '../helpers/engine';
import { MortalStore } from '../helpers/mortal-store';
import { seededRandomSource } from '../../../analysis/random/sources';

const later = after(START, minutes(5));
const trigger = (fields: Parameters<typeof triggerRegistration>[0]): Registration =>
  triggerRegistration(fields, { time: later });
const debug = { debug_key: '1', debug_reporting: true };
const scopes = (limit: number, value: string) => ({
  attribution_scopes: { limit, values: [value], max_event_states: 1 },
});
const specs = {
  trigger_specs: [{ trigger_data: [0, 1], summary_operator: 'value_sum', summary_buckets: [5, 10] }],
};
const fake: Conditions = conditions({ kind: 'forced', state: [[0, 2], [], [], [], [], [], [], [1]] });

/** The earlier records, the registration and its outcome (so that each case takes the path it names). */
const cases: [string, Registration[], Registration, Conditions, string][] = [
  ['a source', [], sourceRegistration(debug), conditions(), 'stored'],
  ['a noised source', [], sourceRegistration(debug), fake, 'stored'],
  [
    'a rejected source',
    [],
    sourceRegistration({ max_event_level_reports: 5 }),
    conditions(),
    'source-channel-capacity-limit',
  ],
  [
    'a source that removes others by its scopes',
    [sourceRegistration(scopes(2, 'a')), sourceRegistration(scopes(2, 'b'))],
    sourceRegistration(scopes(3, 'c')),
    conditions(),
    'stored',
  ],
  [
    'a source that takes the place of another destination',
    [
      sourceRegistration({ destination: 'https://old.example' }),
      triggerRegistration(undefined, { contextOrigin: 'https://old.example' as Origin, time: later }),
    ],
    sourceRegistration({ ...debug, destination_limit_priority: '1' }),
    conditions(),
    'stored',
  ],
  [
    'a trigger',
    [sourceRegistration(debug)],
    trigger({ event_trigger_data: [{}], ...debug }),
    conditions(),
    'attributed',
  ],
  [
    'a trigger that deletes other sources',
    [sourceRegistration(), sourceRegistration(), sourceRegistration({ priority: '1' })],
    trigger({ event_trigger_data: [{ deduplication_key: '5' }] }),
    conditions(),
    'attributed',
  ],
  [
    'a trigger that replaces a report',
    [sourceRegistration({ max_event_level_reports: 1 }), trigger({ event_trigger_data: [{}] })],
    trigger({ event_trigger_data: [{ priority: '1' }] }),
    conditions(),
    'attributed',
  ],
  [
    'a trigger too many, which ends its source',
    [sourceRegistration({ max_event_level_reports: 0, ...debug })],
    trigger({ event_trigger_data: [{}], ...debug }),
    conditions(),
    'trigger-event-excessive-reports',
  ],
  [
    'a trigger without a source',
    [],
    trigger({ event_trigger_data: [{}], ...debug }),
    conditions(),
    'trigger-no-matching-source',
  ],
  [
    'a trigger that changes the reports of sums',
    [sourceRegistration({ ...specs, ...debug }), trigger({ event_trigger_data: [{ value: 6 }], ...debug })],
    trigger({ event_trigger_data: [{ value: 6, priority: '1' }], ...debug }),
    conditions(),
    'attributed',
  ],
  [
    'a header that does not parse',
    [],
    { ...sourceRegistration({ destination: 1 }), reportHeaderErrors: true },
    conditions(),
    'refused',
  ],
];

const limits = { ...chromiumLimits, maxDestinationsPerReportingSite: 1 };

test.each(cases)(
  '%s is registered as a whole or not at all',
  async (_name, before, registration, how, outcome) => {
    const store = new MortalStore(new MemoryStore());
    const { engine } = newEngine({ store, limits });
    for (const earlier of before) await engine.register(earlier, conditions());
    const untouched = await contents(store);

    let deaths = 0;
    for (;;) {
      store.operations = 0;
      store.diesAt = deaths + 1;
      const result = await engine.register(registration, how).catch((error: unknown) => error);
      store.diesAt = Infinity;
      if (!(result instanceof Error)) break;
      expect(result.message).toBe('killed');
      expect(await contents(store)).toEqual(untouched);
      deaths += 1;
    }
    // An id and the log entry are the least.
    expect(deaths).toBeGreaterThanOrEqual(2);

    // After a kill it does the same in the end, with the same ids and the same randomness.
    const alive = newEngine({ limits });
    for (const earlier of before) await alive.engine.register(earlier, conditions());
    const entry = await alive.engine.register(registration, how);
    expect(outcomeOf(entry)).toBe(outcome);
    expect(await contents(store)).toEqual(await contents(alive.store));
  },
);

test('a registration within a transaction belongs to it', async () => {
  const { engine, store } = newEngine();
  const failing = store.write(async (tx) => {
    await engine.prepare(sourceRegistration(), conditions()).registerIn(tx);
    throw new Error('killed');
  });
  await expect(failing).rejects.toThrow('killed');
  expect(Object.values(await contents(store)).flat()).toEqual([]);
});

test('expired sources whose deletion failed are deleted with the next registration', async () => {
  const { engine, store } = newEngine();
  await engine.register(sourceRegistration(), conditions());
  const time = after(START, days(40));
  const next = (): Registration => sourceRegistration({}, 'navigation', { time });
  const failing = store.write(async (tx) => {
    await engine.prepare(next(), conditions()).registerIn(tx);
    throw new Error('the disk is full');
  });
  await expect(failing).rejects.toThrow('the disk is full');
  await engine.register(next(), conditions());
  expect((await contents(store))['sources']).toHaveLength(1);
});

test('a registration whose transaction failed draws the same words in the next, whatever its id is then', async () => {
  let sources = 0;
  // As in a browser, each source has other words.
  const random = (): RandomSource => seededRandomSource('words', (sources += 1));
  const store = new MemoryStore();
  const engine = new StoredEngine({ store, limits: chromiumLimits, random });
  // One of 2,925 outputs, each as probable.
  const { registerIn } = engine.prepare(
    sourceRegistration({ event_level_epsilon: 0 }),
    conditions({ kind: 'on' }),
  );
  let [first, second]: (RegistrationEntry | null)[] = [null, null];
  const failing = store.write(async (tx) => {
    tx.nextId();
    first = await registerIn(tx);
    throw new Error('the disk is full');
  });
  await expect(failing).rejects.toThrow('the disk is full');
  await store.write(async (tx) => {
    second = await registerIn(tx);
  });
  const noiseOf = (entry: unknown): unknown => (entry as { decision: { noise: unknown } }).decision.noise;
  expect(noiseOf(first)).toMatchObject({ kind: 'replaced' });
  expect(noiseOf(second)).toEqual(noiseOf(first));
  expect(sources).toBe(1);
});

// Pages, the kit and reports name one thing by one number: docs/engine.md.
test('a source has the number of its log entry, whatever was logged before', async () => {
  const { engine, store } = newEngine();
  await engine.register(trigger({ event_trigger_data: [{}] }), conditions());
  await engine.register(sourceRegistration({ destination: 1 }), conditions());
  const entry = await engine.register(sourceRegistration(), conditions());
  expect(entry.id).toBe(3);
  expect(await contents(store)).toMatchObject({ sources: [{ id: 3 }] });
});
