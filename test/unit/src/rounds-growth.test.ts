import 'fake-indexeddb/auto';
import { chromiumLimits } from '../../../src/model/limits';
import { erase, restore } from '../../../extension/erasing/erase';
import type { IdbStore } from '../../../extension/store/idb-store';
import { StoredEngine } from '../../../transactions/stored-engine';
import type { Registration } from '../../../src/model/incoming-registration';
import type { JsonObject } from '../../../src/model/json';
import { defaultMeasurement } from '../../../src/model/mechanisms';
import { after, days, epsilon, type Origin, type Site } from '../../../src/model/units';
import { seededRandomStreams } from '../../../analysis/random/sources';
import type { TableName } from '../../../src/store/rows';
import { conditions, SHOP, sourceRegistration, START, triggerRegistration } from '../helpers/engine';
import {
  databaseWith,
  limits,
  register,
  at,
  source,
  trigger,
  roundsOf,
  newDatabase,
} from '../helpers/rounds';

/* Rows that are removed, restored or replaced together take no more rounds of reads than one. */

const shop = (index: number): string => `https://shop${index}.example`;

const registered = (index: number, fields: JsonObject): Registration =>
  sourceRegistration(fields, 'navigation', { time: at(index) });

async function registerAll(store: IdbStore, registrations: readonly Registration[]): Promise<void> {
  for (const registration of registrations) await register(store, registration);
}

const indexesTo = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);

const countOf = (store: IdbStore, table: TableName): Promise<number> =>
  store.read((tx) => tx.table(table).count());

/** Sources for a destination each, all with a report that waits. */
async function withConversions(count: number): Promise<IdbStore> {
  const store = await newDatabase();
  await registerAll(
    store,
    indexesTo(count).map((index) => source(index, shop(index))),
  );
  await registerAll(
    store,
    indexesTo(count).map((index) => trigger(index, shop(index))),
  );
  expect(await countOf(store, 'reports')).toBe(count);
  return store;
}

/** Sources with a scope that share one destination, and have one of their own. */
async function withScopes(count: number): Promise<IdbStore> {
  const store = await newDatabase();
  const attribution_scopes = { values: ['a'], limit: 1, max_event_states: 3 };
  const destination = (index: number): JsonObject => ({
    destination: ['https://common.example', shop(index)],
    attribution_scopes,
  });
  await registerAll(
    store,
    indexesTo(count).map((index) => registered(index, destination(index))),
  );
  expect(await countOf(store, 'sources')).toBe(count);
  return store;
}

/** Work on so many rows, which tells by its rounds. */
const works: Record<string, (count: number) => Promise<number>> = {
  'the sweep of expired sources': async (count) => {
    const store = await withConversions(count);
    const engine = new StoredEngine({ store, limits, random: seededRandomStreams('rounds') });
    const rounds = await roundsOf(() => engine.deleteExpiredSources(after(START, days(40))));
    expect(await countOf(store, 'sources')).toBe(0);
    return rounds;
  },
  'a source that takes the place of others at the destination limit': async (count) => {
    const store = await withConversions(count);
    const strict = { ...limits, maxDestinationsPerReportingSite: 1 };
    const engine = new StoredEngine({ store, limits: strict, random: seededRandomStreams('rounds') });
    const rounds = await roundsOf(() => engine.register(source(count, shop(count)), conditions()));
    expect(await countOf(store, 'sources')).toBe(1);
    return rounds;
  },
  'a source without scopes after some with them': async (count) => {
    const store = await withScopes(count);
    const engine = new StoredEngine({ store, limits, random: seededRandomStreams('rounds') });
    const rounds = await roundsOf(() =>
      engine.register(source(count, 'https://common.example'), conditions()),
    );
    expect(await countOf(store, 'sources')).toBe(count + 1);
    return rounds;
  },
  'a source whose scopes outdo those of others': async (count) => {
    const store = await withScopes(count);
    const engine = new StoredEngine({ store, limits, random: seededRandomStreams('rounds') });
    const fields = {
      destination: 'https://common.example',
      attribution_scopes: { values: ['b'], limit: 1, max_event_states: 3 },
    };
    const rounds = await roundsOf(() => engine.register(registered(count, fields), conditions()));
    expect(await countOf(store, 'sources')).toBe(1);
    return rounds;
  },
  'the undoing of an erasure': async (count) => {
    const store = await withConversions(count);
    // Tables that are empty are counted anew, in chunks.
    const elsewhere = { contextOrigin: 'https://blog.example' as Origin, time: at(count) };
    await register(store, sourceRegistration({ destination: 'https://x.example' }, 'event', elsewhere));
    await register(
      store,
      triggerRegistration(undefined, { ...elsewhere, contextOrigin: 'https://x.example' as Origin }),
    );
    const sites = ['https://news.example' as Site];
    const erased = await store.write((tx) => erase(tx, { kind: 'sites', sites }, chromiumLimits));
    expect(await countOf(store, 'sources')).toBe(1);
    const rounds = await roundsOf(() => store.write((tx) => restore(tx, erased)));
    expect(await countOf(store, 'sources')).toBe(count + 1);
    return rounds;
  },
  'a conversion of a source with so many reports of `trigger_specs`': async (count) => {
    const store = await newDatabase();
    const summary_buckets = indexesTo(20).map((index) => index + 1);
    const fields = {
      trigger_specs: [{ trigger_data: [0], event_report_windows: { end_times: [3600] }, summary_buckets }],
      max_event_level_reports: 20,
    };
    await register(store, registered(0, fields));
    await registerAll(
      store,
      indexesTo(count).map((index) => trigger(index + 1, 'https://shop.example')),
    );
    expect(await countOf(store, 'reports')).toBe(count);
    const rounds = await roundsOf(() => register(store, trigger(count + 1, 'https://shop.example')));
    expect(await countOf(store, 'reports')).toBe(count + 1);
    return rounds;
  },
  'a conversion that several sources share': async (count) => {
    const windows = { event_report_windows: { end_times: [3600] }, summary_operator: 'value_sum' };
    const bySums = {
      destination: SHOP,
      trigger_specs: [{ trigger_data: [0], summary_buckets: [1, 2], ...windows }],
      max_event_level_reports: 2,
    };
    const store = await newDatabase();
    await registerAll(
      store,
      indexesTo(count).map((index) => registered(index, bySums)),
    );
    const shared = conditions(undefined, { attribution: { kind: 'linear', credit: 'split' } });
    const engine = new StoredEngine({ store, limits, random: seededRandomStreams('rounds') });
    const conversion = (index: number): Registration =>
      triggerRegistration({ event_trigger_data: [{ value: count }] }, { time: at(index) });
    await engine.register(conversion(count), shared);
    expect(await countOf(store, 'reports')).toBe(count);
    const rounds = await roundsOf(() => engine.register(conversion(count + 1), shared));
    expect(await countOf(store, 'reports')).toBe(2 * count);
    return rounds;
  },
};

test.each(Object.keys(works))('%s takes no more rounds of reads for more rows', async (name) => {
  const work = works[name] as (count: number) => Promise<number>;
  expect(await work(15)).toBe(await work(3));
});

test('a source whose impression has a budget takes one round of reads, because it can have spent nothing', async () => {
  const store = await databaseWith(1);
  const budget = { ...defaultMeasurement.budget, unit: 'impression' as const, epsilon: epsilon(5) };
  const engine = new StoredEngine({ store, limits, random: seededRandomStreams('rounds') });
  await register(store, source(1, 'https://new.example'));
  const { needs, registerIn, completed } = engine.prepare(
    source(2, 'https://other.example'),
    conditions(undefined, { budget }),
  );
  // A sweep first, which is due for a new engine.
  await store.writeSoon(registerIn, needs);
  completed();
  const next = engine.prepare(source(3, 'https://third.example'), conditions(undefined, { budget }));
  expect(await roundsOf(() => store.writeSoon(next.registerIn, next.needs))).toBe(1);
});
