import { jointly } from '../../../analysis/audit/configured';
import 'fake-indexeddb/auto';
import { openDB } from 'idb';
import { serialize } from 'node:v8';
import { allRows, type AllRows } from '../../../extension/erasing/all-rows';
import { Erasing } from '../../../extension/background/record/erasing';
import { IdbStore } from '../../../extension/store/idb-store';
import { defaultMeasurement, type MeasurementSettings } from '../../../src/model/mechanisms';
import { siteOf } from '../../../src/model/site';
import type { Account } from '../../../src/model/uses';
import type { Registration } from '../../../src/model/incoming-registration';
import type { Store } from '../../../transactions/store';
import { after, days, epsilon, seconds, type Origin } from '../../../src/model/units';
import { Inbox } from '../../../extension/background/record/inbox';
import { plainResponse } from '../helpers/recorder';
import { conditions, newEngine, sourceRegistration, START, triggerRegistration } from '../helpers/engine';

/** Everything in the database, keys and values, as bytes. */
async function bytesOf(name: string): Promise<Buffer> {
  const asked = <T>(request: IDBRequest<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error ?? new Error('no reason'));
    });
  const database = await asked(indexedDB.open(name));
  const parts: Buffer[] = [];
  for (const table of database.objectStoreNames) {
    const store = database.transaction(table).objectStore(table);
    parts.push(serialize([await asked(store.getAllKeys()), await asked(store.getAll())]));
  }
  database.close();
  return Buffer.concat(parts);
}

const ERASED = 'erased.example';
const erased = `https://${ERASED}` as Origin;
const origin = (name: string): Origin => `https://${name}.example` as Origin;

const attribution = {
  kind: 'exponential',
  epsilon: epsilon(0.1),
  score: 'linear',
  unit: 'hours',
  tau: 1,
  gap: null,
} as const;

const budgets: readonly (readonly [string, MeasurementSettings])[] = [
  ...(['impression', 'user-publisher', 'user-advertiser', 'user'] as const).flatMap((unit) =>
    [null, jointly(8, 4)].map((joint): readonly [string, MeasurementSettings] => [
      `${unit}, ${joint === null ? 'each reporting site' : 'all reporting sites together'}`,
      {
        ...defaultMeasurement,
        ...(unit === 'user' ? {} : { attribution }),
        budget: {
          ...defaultMeasurement.budget,
          ...{ unit, joint, epsilon: epsilon(2), cap: unit === 'impression' ? null : 2 },
          attributionEpsilon: epsilon(unit === 'user' ? 0 : 1),
        },
      },
    ]),
  ),
];

/** The site shows ads, sells, and measures, each with others and alone; all of it is also recorded without the site. */
async function browse(
  engine: ReturnType<typeof newEngine>['engine'],
  measurement: MeasurementSettings,
): Promise<void> {
  const sites = [erased, origin('news')];
  let time = START;
  const next = (): typeof START => (time = after(time, seconds(1)));
  const data = [{ types: ['unspecified', 'source-success', 'source-noised'], key_piece: '0x2', value: 3 }];
  const debugReports = { key_piece: '0x1', debug_data: data };
  const debug = { debug_reporting: true, debug_key: '1', aggregatable_debug_reporting: debugReports };
  const ofSource = { ...debug, aggregatable_debug_reporting: { ...debugReports, budget: 100 } };
  for (const publisher of sites)
    for (const advertiser of [erased, origin('shop')])
      for (const adTech of [erased, origin('adtech')]) {
        const at = { contextOrigin: publisher, reportingOrigin: adTech };
        const destination = [advertiser, origin('mall')];
        // The second of the cap, and one beyond.
        for (const more of [{}, { priority: '1' }, { filter_data: { a: ['1'] } }])
          await engine.register(
            sourceRegistration({ destination, ...ofSource, ...more }, 'event', { ...at, time: next() }),
            conditions({ kind: 'on' }, measurement),
          );
        await engine.register(
          sourceRegistration({ destination, priority: 5 }, 'event', { ...at, time: next() }),
          conditions({ kind: 'on' }, measurement),
        );
        for (const contextOrigin of [advertiser, origin('mall')])
          await engine.register(
            triggerRegistration(
              { event_trigger_data: [{ value: 2 }], ...debug },
              { contextOrigin, reportingOrigin: adTech, time: next() },
            ),
            conditions({ kind: 'off' }, measurement),
          );
      }
}

test.each(budgets)(
  'after erasing a site, its name is nowhere, with a budget for %s',
  async (name, measurement) => {
    const store = await IdbStore.open(name);
    const { engine } = newEngine({ store });
    await browse(engine, { ...measurement, aggregatableReports: true });
    const inbox = await Inbox.load(store.inbox);
    const headers = {
      source: `{"destination":"${erased}"}`,
      trigger: null,
      osSource: false,
      osTrigger: false,
    };
    const page = { kind: 'known', contextOrigin: origin('news') } as const;
    await inbox.add({ ...plainResponse, eligibility: null, headers: { ...headers, info: null } }, page)
      ?.written;
    await inbox.declare({
      ...{ time: START, tabId: 1, documentId: 'd', documentOrigin: origin('news'), place: page },
      ...{ url: `${erased}/ad`, via: 'element', eligibility: 'event-source' },
    })?.written;
    // They are registered in a moment, when their page is known.
    expect((await store.inbox.read()).rows).toHaveLength(2);
    expect((await bytesOf(name)).includes(ERASED)).toBe(true);
    const named = { contextSite: 'https://news.example', reportingSite: erased };
    expect(await store.read((tx) => tx.table('debugUse').latest(100))).toContainEqual(
      expect.objectContaining(named),
    );
    await new Erasing(store, { inbox }).erase({ kind: 'sites', sites: [erased] });
    const left = (await bytesOf(name)).toString('latin1');
    const [place = ''] = /.{0,200}erased\.example.{0,60}/s.exec(left) ?? [];
    expect(place).toBe('');
    // What has nothing to do with it is still there.
    expect(left).toContain('https://news.example');
    await store.close();
  },
);

/** All keys of a database, of tables and of indexes. */
async function keysOf(name: string): Promise<readonly IDBValidKey[]> {
  const database = await openDB(name);
  const keys: IDBValidKey[] = [];
  for (const table of database.objectStoreNames) {
    const { store } = database.transaction(table);
    for (const one of [store, ...[...store.indexNames].map((index) => store.index(index))])
      for (let cursor = await one.openKeyCursor(); cursor !== null; cursor = await cursor.continue())
        keys.push(cursor.key);
  }
  database.close();
  return keys;
}

/** Chrome keeps keys of erased rows in a file that it does not replace. */
test.each(budgets)(
  'no key tells the name of a site, nor stays after all was replaced, with a budget for %s',
  async (name, measurement) => {
    const store = await IdbStore.open(`${name}, keys`);
    await browse(newEngine({ store }).engine, measurement);
    await store.setMeta('clock', 5);
    const [keys, rows] = [await keysOf(`${name}, keys`), await store.read(allRows)];
    const names = keys.filter((key) => typeof key === 'string');
    expect(names.length).toBeGreaterThan(20);
    expect(names.filter((key) => /example|https|source|trigger/.test(key))).toEqual([]);
    await store.replace();
    const after = await keysOf(`${name}, keys`);
    expect(after).toHaveLength(keys.length);
    expect(after.filter((key) => typeof key === 'string' && names.includes(key)).sort()).toEqual([
      'clock',
      'counters',
      'salt',
    ]);
    const byId = (all: AllRows): unknown =>
      Object.values(all).map((table) => new Map(table.map((row) => [row.id, row])));
    expect(byId(await store.read(allRows))).toEqual(byId(rows));
    await store.close();
  },
);

describe('what an erased site spent', () => {
  const publisher = {
    ...defaultMeasurement.budget,
    unit: 'user-publisher',
    epsilon: epsilon(4),
    cap: 4,
  } as const;
  const measurement = { ...defaultMeasurement, budget: publisher };
  const seen = (
    contextOrigin: Origin,
    reportingOrigin = origin('adtech'),
  ): ReturnType<typeof sourceRegistration> =>
    sourceRegistration({}, 'event', { contextOrigin, reportingOrigin });
  const accounts = (store: Store): Promise<readonly Account[]> =>
    store.read((tx) => tx.table('accounts').latest(Infinity));

  /** How many of these impressions the budget still has room for. */
  async function roomFor(
    engine: ReturnType<typeof newEngine>['engine'],
    registration: Registration,
  ): Promise<number> {
    let room = 0;
    for (let tries = 0; tries < 6; tries++) {
      const entry = await engine.register(registration, conditions({ kind: 'on' }, measurement));
      if (entry.kind !== 'source' || entry.decision.kind !== 'stored') throw new Error('it is stored');
      if (entry.decision.overBudget === undefined) room += 1;
    }
    return room;
  }

  test.each<[string, Origin, Origin, number]>([
    ['the site itself', erased, origin('adtech'), 4 - 3],
    // Nobody can tell any more which site it was.
    ['another site', origin('news'), origin('adtech'), 4 - 3],
    ['another site, by another ad tech', origin('news'), origin('other'), 4 - 3],
  ])('leaves no more room on %s than before', async (_what, contextOrigin, reportingOrigin, room) => {
    const { engine, store } = newEngine();
    for (let shown = 0; shown < 3; shown++)
      await engine.register(seen(erased), conditions({ kind: 'on' }, measurement));
    await new Erasing(store).erase({ kind: 'sites', sites: [erased] });
    expect(await roomFor(engine, seen(contextOrigin, reportingOrigin))).toBe(room);
  });

  test('is in no account of a later period', async () => {
    const { engine, store } = newEngine();
    await engine.register(seen(erased), conditions({ kind: 'on' }, measurement));
    await new Erasing(store).erase({ kind: 'sites', sites: [erased] });
    const later = sourceRegistration({}, 'event', { contextOrigin: erased, time: after(START, days(8)) });
    expect(await roomFor(engine, later)).toBe(4);
  });

  test('is as it was when that is undone, beside what was spent since', async () => {
    const { engine, store } = newEngine();
    const show = (contextOrigin: Origin, reportingOrigin?: Origin): Promise<unknown> =>
      engine.register(seen(contextOrigin, reportingOrigin), conditions({ kind: 'on' }, measurement));
    for (const site of [erased, erased, origin('news')]) await show(site);
    await show(erased, erased);
    const before = await accounts(store);
    const erasing = new Erasing(store);
    await erasing.erase({ kind: 'sites', sites: [erased] });
    // That of everyone, too.
    expect(await accounts(store)).toHaveLength(3);
    await erasing.undo();
    expect(await accounts(store)).toEqual(before);

    await erasing.erase({ kind: 'sites', sites: [erased] });
    await show(erased);
    await erasing.undo();
    const counts = (all: readonly Account[]): readonly number[] => all.map(({ report }) => report.count);
    expect(counts(await accounts(store)).reduce((sum, count) => sum + count)).toBe(2 * 5);
    expect(await accounts(store)).toHaveLength(before.length);
  });

  test('by an impression of another site of its owner still counts', async () => {
    const { engine, store } = newEngine();
    const adtech = origin('adtech');
    const measured = conditions(
      { kind: 'off' },
      {
        ...defaultMeasurement,
        attribution,
        budget: {
          ...defaultMeasurement.budget,
          ...{ unit: 'impression', epsilon: epsilon(2), cap: null, attributionEpsilon: epsilon(0.05) },
          owners: [[siteOf(erased), siteOf(adtech)]],
        },
      },
    );
    const shown = sourceRegistration({}, 'event', { contextOrigin: origin('news'), reportingOrigin: adtech });
    await engine.register(shown, measured);
    const bought = triggerRegistration({ event_trigger_data: [{}] }, { reportingOrigin: adtech });
    const first = await engine.register(bought, measured);
    expect(first).toMatchObject({ decision: { kind: 'attributed' } });
    const erasing = new Erasing(store);
    await erasing.erase({ kind: 'sites', sites: [erased] });
    const spent = (all: readonly Account[]): readonly Account[] =>
      all.filter((account) => account.attribution.count > 0);
    const [left] = spent(await accounts(store));
    expect(left?.id).not.toContain(ERASED);
    expect(await engine.register(bought, measured)).toMatchObject({
      decision: { kind: 'dropped', reason: 'trigger-privacy-budget' },
    });
    await erasing.undo();
    expect(spent(await accounts(store))).toHaveLength(1);
    await erasing.erase({ kind: 'sites', sites: [erased, adtech] });
    expect(spent(await accounts(store))).toEqual([]);
  });

  test('of everything comes back beside what was spent since', async () => {
    const { engine, store } = newEngine();
    await engine.register(seen(erased), conditions({ kind: 'on' }, measurement));
    const erasing = new Erasing(store);
    await erasing.erase(null);
    await engine.register(seen(erased), conditions({ kind: 'on' }, measurement));
    await erasing.undo();
    expect(await accounts(store)).toMatchObject([{ report: { count: 2 } }, { report: { count: 2 } }]);
  });
});
