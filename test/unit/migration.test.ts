import 'fake-indexeddb/auto';
import { types } from 'node:util';
import { IdbStore } from '../../extension/background/idb-store';
import { Clock } from '../../extension/background/clock';
import { Participation } from '../../extension/background/participation';
import { SettingsHolder } from '../../extension/background/settings';
import { Engine } from '../../src/engine';
import { chromiumLimits } from '../../src/model/limits';
import { after, days, hours } from '../../src/model/units';
import { seededRandomSource } from '../../src/privacy/random-source';
import { settleOverdue } from '../../src/recording/requests';
import { tableNames, type TableName } from '../../src/store/store';
import { ADTECH, conditions, outcomeOf, START, triggerRegistration } from './helpers/engine';
import { createOldDatabase, oldDatabases, rowsOf, type OldDatabase } from './helpers/old-database';
import type { Origin } from '../../src/model/units';

let opened = 0;

/** Opens it with the code of today. */
async function upgrade(old: OldDatabase): Promise<IdbStore> {
  const name = `old-${++opened}`;
  await createOldDatabase(name, old);
  return IdbStore.open(name);
}

const engineOver = (store: IdbStore): Engine =>
  new Engine({ store, limits: chromiumLimits, random: (stream) => seededRandomSource('later', stream) });

/** As JSON. Maps that come out of fake-indexeddb are of another realm, which `toJson` does not know. */
const rows = async (store: IdbStore, table: TableName): Promise<unknown> => {
  const found = (await store.read((tx) => tx.table(table).latest(Infinity))).reverse();
  const replace = (_key: string, value: unknown): unknown => {
    if (typeof value === 'bigint') return String(value);
    return types.isMap(value) ? Object.fromEntries(value) : value;
  };
  return JSON.parse(JSON.stringify(found, replace));
};

test('there is a dump of every version of the schema', async () => {
  const store = await IdbStore.open('newest');
  store.close();
  const newest = (await indexedDB.databases()).find(({ name }) => name === 'newest')?.version ?? 0;
  expect(oldDatabases.map(({ version }) => version)).toEqual(
    Array.from({ length: newest }, (_, index) => index + 1),
  );
});

describe.each(oldDatabases.map((old) => [old.version, old] as const))(
  'a database of version %d',
  (_version, old) => {
    test.each(tableNames())('keeps every row of %s', async (table) => {
      const store = await upgrade(old);
      expect(await rows(store, table)).toEqual(rowsOf(old, table));
    });

    test('keeps settings, and goes on numbering where it was', async () => {
      const store = await upgrade(old);
      const clock = await Clock.load(store);
      const participation = await Participation.load(store, clock, () => Promise.resolve(null));
      const settings = await SettingsHolder.load(store, participation, false);
      expect(settings.current).toMatchObject({
        pausedSites: ['https://bank.example'],
        collector: 'https://collector.example',
      });
      expect(participation.standing).toBe('unanswered');
      const ids = tableNames().flatMap((table) => rowsOf(old, table).map(({ id }) => Number(id)));
      expect(await store.write((tx) => tx.nextId())).toBeGreaterThan(Math.max(...ids));
    });

    test('has all its reports delivered by the engine of today', async () => {
      const store = await upgrade(old);
      const engine = engineOver(store);
      const waiting = rowsOf(old, 'reports').filter(
        ({ event }) => (event as { held?: boolean } | null)?.held !== true,
      );
      const end = after(START, days(30));
      const due = await engine.due(end);
      // Besides those there are the ones that an undrawn output adds when its window closes.
      expect(due.map(({ id }) => id)).toEqual(expect.arrayContaining(waiting.map(({ id }) => id)));
      for (const { id } of due)
        await engine.recordAttempt(id, { kind: 'answered', status: 200 }, 'lossless', end);
      expect(await engine.due(after(end, days(60)))).toEqual([]);
      const delivered = (await store.read((tx) => tx.table('finished').latest(Infinity))).filter(
        (finished) => finished.end === 'delivered',
      );
      expect(delivered).toHaveLength(
        due.length + rowsOf(old, 'finished').filter((row) => row['end'] === 'delivered').length,
      );
    });

    test('has its sources attributed to by the engine of today', async () => {
      const store = await upgrade(old);
      const engine = engineOver(store);
      const outcomes: Record<string, string> = {};
      for (const site of ['shop', 'hats', 'tea', 'boats', 'nowhere']) {
        const contextOrigin = `https://${site}.example` as Origin;
        const circumstances = { time: after(START, hours(5)), contextOrigin, reportingOrigin: ADTECH };
        const entry = await engine.register(
          triggerRegistration(
            { event_trigger_data: [{ trigger_data: '1', value: 60, priority: '9' }] },
            circumstances,
          ),
          conditions(),
        );
        outcomes[site] = outcomeOf(entry);
      }
      expect(outcomes).toEqual({
        shop: 'attributed',
        hats: 'attributed',
        tea: 'attributed',
        boats: 'trigger-event-noise',
        nowhere: 'trigger-no-matching-source',
      });
      const registered = await store.write((tx) => settleOverdue(tx, after(START, hours(5))));
      expect(registered).toMatchObject([{ requestUrl: 'https://adtech.example/other' }]);
      await engine.deleteExpiredSources(after(START, days(31)));
      expect(await rows(store, 'sources')).toEqual([]);
    });
  },
);
