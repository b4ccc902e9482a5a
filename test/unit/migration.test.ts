import 'fake-indexeddb/auto';
import { openDB, type IDBPDatabase } from 'idb';
import { types } from 'node:util';
import {
  schemaVersion,
  upgrade as upgradeSchema,
  type Schema,
  type Versions,
} from '../../extension/store/idb-schema';
import { IdbStore } from '../../extension/store/idb-store';
import { Clock } from '../../extension/background/clock';
import { Participation } from '../../extension/background/participation';
import { SettingsHolder } from '../../extension/background/settings';
import { Engine } from '../../src/engine';
import { chromiumLimits } from '../../src/model/limits';
import { after, days, hours } from '../../src/model/units';
import { seededRandomSource } from '../../src/privacy/random-source';
import { decideOverdue } from '../../recording/requests';
import { conversions, conversionsSince, converted } from '../../extension/store/conversions';
import type { OldRow } from '../../extension/store/old-row';
import { indexes, indexesOf, tableNames, type Index, type Rows, type TableName } from '../../src/store/store';
import { english } from '../../words/english';
import { ADTECH, conditions, outcomeOf, START, triggerRegistration } from './helpers/engine';
import { createOldDatabase, oldDatabases, rowsOf, type OldDatabase } from './helpers/old-database';
import type { LogEntry } from '../../src/model/decision';
import type { JsonObject } from '../../src/model/json';
import type { Source } from '../../src/model/records';
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
const rows = async (store: IdbStore, table: TableName): Promise<unknown> =>
  asJson((await store.read((tx) => tx.table(table).latest(Infinity))).reverse());

function asJson(found: readonly unknown[]): unknown {
  const replace = (_key: string, value: unknown): unknown => {
    if (typeof value === 'bigint') return String(value);
    return types.isMap(value) ? Object.fromEntries(value) : value;
  };
  return JSON.parse(JSON.stringify(found, replace));
}

test('there is a dump of every earlier version of the schema', () => {
  expect(oldDatabases.map(({ version }) => version)).toEqual(
    Array.from({ length: schemaVersion() - 1 }, (_, index) => index + 1),
  );
});

/** An index's entries, in order. */
const entriesOf = async (name: string, table: TableName, index: string): Promise<unknown> => {
  const database = await openDB(name);
  const entries: unknown[] = [];
  let cursor = await database.transaction(table).store.index(index).openKeyCursor();
  for (; cursor !== null; cursor = await cursor.continue()) entries.push([cursor.key, cursor.primaryKey]);
  database.close();
  return entries;
};

/** The expected entries: numbers come before strings. */
const expectedEntries = (rows: readonly Rows[TableName][], { keys }: Index<Rows[TableName]>): unknown =>
  rows
    .flatMap((row) => [...new Set(keys(row))].map((key) => [key, row.id] as const))
    .sort(([a, id], [b, other]) => (a === b ? id - other : indexedDB.cmp(a, b)));

const shapeOf = (entry: LogEntry): number => (entry as LogEntry & { readonly shape: number }).shape;

/** Two versions from now: rows that changed their shape twice, a new index over it, and one with other keys than before. */
const tomorrow: Versions = {
  indexes: {
    ...indexes,
    log: {
      ...indexes.log,
      shape: { since: schemaVersion() + 2, keys: (entry: LogEntry) => [shapeOf(entry)] },
    },
    sources: {
      ...indexes.sources,
      sourceOrigin: {
        since: schemaVersion() + 1,
        keys: (source: Source) => [`from ${source.sourceOrigin}`],
      },
    },
  },
  conversions: [
    ...conversions,
    { since: schemaVersion() + 1, table: 'log', convert: (row) => ({ ...row, shape: row.id * 2 }) },
    {
      since: schemaVersion() + 2,
      table: 'log',
      convert: (row) => ({ ...row, shape: Number(row['shape']) + 1 }),
    },
  ],
};

const openAs = (name: string, versions: Versions): Promise<IDBPDatabase<Schema>> =>
  openDB<Schema>(name, schemaVersion(versions), {
    upgrade: (_database, from, _to, transaction) => upgradeSchema(transaction, from, versions),
  });

describe.each(oldDatabases.map((old) => [old.version, old] as const))(
  'a database of version %d',
  (_version, old) => {
    const convertedRowsOf = (table: TableName): unknown =>
      asJson(
        rowsOf(old, table).map((row) =>
          converted({ ...row, id: Number(row['id']) }, conversionsSince(old.version, table)),
        ),
      );

    test.each(tableNames())('keeps every row of %s', async (table) => {
      const store = await upgrade(old);
      expect(await rows(store, table)).toEqual(convertedRowsOf(table));
    });

    test('counts the bytes of its rows anew, so that nothing counts once all is erased', async () => {
      const store = await upgrade(old);
      // Each table is counted at the first change.
      for (const table of tableNames()) {
        const [newest] = await store.read((tx) => tx.table(table).latest(1));
        if (newest !== undefined) await store.write((tx) => tx.table(table).put(newest as never));
      }
      for (const table of tableNames())
        for (const { id } of await store.read((tx) => tx.table(table).latest(Infinity)))
          await store.write((tx) => tx.table(table).delete(id));
      const database = await openDB(`old-${opened}`);
      const numbers = await database.getAll('meta', IDBKeyRange.bound('bytes ', 'bytes \uffff'));
      database.close();
      expect(numbers).toEqual([]);
    });

    test('keeps the words of its checks', async () => {
      const store = await upgrade(old);
      const entries = await store.read((tx) => tx.table('log').latest(Infinity));
      const recorded = rowsOf(old, 'log').flatMap(({ checks }) => checks as readonly JsonObject[]);
      const kept = entries.reverse().flatMap(({ checks }) => checks);
      expect(recorded.length).toBeGreaterThan(0);
      expect(kept).toEqual(
        recorded.map(({ name, detail, ...check }) =>
          'id' in check ? check : { ...check, id: 'as-recorded', values: { name, detail } },
        ),
      );
    });

    test('keeps the words of its mistakes', async () => {
      const store = await upgrade(old);
      const entries = await store.read((tx) => tx.table('log').latest(Infinity));
      expect(
        entries.flatMap((entry) => (entry.kind === 'refused' ? [english.issuesText(entry.errors)] : [])),
      ).toEqual(['event_trigger_data: must be a list, was 1']);
    });

    test.each(
      tableNames().flatMap((table) => indexesOf(table).map(([name, index]) => [table, name, index] as const)),
    )('has every key in the index %s.%s', async (table, name, index) => {
      const store = await upgrade(old);
      const found = await store.read((tx) => tx.table(table).latest(Infinity));
      expect(await entriesOf(`old-${opened}`, table, name)).toEqual(expectedEntries(found, index));
    });

    test('gets a new index, keys computed in a new way, and rows of a new shape', async () => {
      const name = `tomorrow-${old.version}`;
      await createOldDatabase(name, old);
      const database = await openAs(name, tomorrow);
      const [log, sources] = [await database.getAll('log'), await database.getAll('sources')];
      database.close();
      expect(log.map(({ row }) => shapeOf(row))).toEqual(log.map(({ id }) => 2 * id + 1));
      expect(await entriesOf(name, 'log', 'shape')).toEqual(log.map(({ id }) => [2 * id + 1, id]));
      expect(await entriesOf(name, 'sources', 'sourceOrigin')).toEqual(
        sources
          .map(({ id, row }) => [`from ${row.sourceOrigin}`, id] as const)
          .sort(([a], [b]) => indexedDB.cmp(a, b)),
      );
    });

    test('stays as it was when a row cannot be converted', async () => {
      const name = `stays-${old.version}`;
      await createOldDatabase(name, old);
      const convert = (row: OldRow): OldRow => {
        if (row.id > 10) throw new Error('no such shape');
        return { id: row.id };
      };
      const failing = {
        indexes,
        conversions: [{ since: schemaVersion() + 1, table: 'log', convert }],
      } as const;
      const said = jest.spyOn(console, 'error').mockImplementation(() => undefined);
      await expect(openAs(name, failing)).rejects.toThrow('abort');
      expect(said).toHaveBeenCalledWith(expect.any(String), new Error('no such shape'));
      said.mockRestore();
      expect(await rows(await IdbStore.open(name), 'log')).toEqual(convertedRowsOf('log'));
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
      const { decided: registered } = await store.write((tx) => decideOverdue(tx, after(START, hours(5))));
      expect(registered).toMatchObject([{ requestUrl: 'https://adtech.example/other' }]);
      await engine.deleteExpiredSources(after(START, days(31)));
      expect(await rows(store, 'sources')).toEqual([]);
    });
  },
);
