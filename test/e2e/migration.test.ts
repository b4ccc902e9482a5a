import { createOldDatabase, oldDatabases, rowsOf } from '../unit/helpers/old-database';
import { after, days } from '../../src/model/units';
import { indexesOf, tableNames } from '../../src/store/store';
import { START } from '../unit/helpers/engine';
import { FrailCollector } from './helpers/collector';
import { textOf } from './helpers/internals';
import { browsers, calm, isLong, useWorld } from './helpers/world';

/** The indexes of each table with how many entries they hold, and how many keys the rows have for them. Runs in the page. */
async function indexEntries(name: string): Promise<Record<string, { entries: number; keys: number }>> {
  const resultOf = <T>(request: IDBRequest<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(new Error(String(request.error)));
    });
  const database = await resultOf(indexedDB.open(name));
  const found: Record<string, { entries: number; keys: number }> = {};
  for (const table of database.objectStoreNames) {
    const store = database.transaction(table).objectStore(table);
    const rows = (await resultOf(store.getAll())) as { keys?: Record<string, unknown[]> }[];
    for (const index of store.indexNames)
      found[`${table}.${index}`] = {
        entries: await resultOf(store.index(index).count()),
        keys: rows.flatMap(({ keys }) => [...new Set(keys?.[index])]).length,
      };
  }
  database.close();
  return found;
}

/** Without a browser, test/unit/migration.test.ts tries all of them. What is done with each version is for our own code to decide. */
const tried = isLong ? oldDatabases : oldDatabases.slice(0, 1);

let collector: FrailCollector;
beforeAll(async () => {
  collector = await FrailCollector.start();
});
afterAll(() => collector.close());

describe.each(browsers)('a database of an earlier version (%s)', (name) => {
  const world = useWorld(name, { idleTimeout: 500 });
  it.each(tried.map((old) => [old.version, old] as const))(
    'of version %d is kept whole, waits for consent, and then delivers every report',
    async (_version, old) => {
      const { extension } = world;
      const earlier = collector.posts.length;
      const own = await extension.page();
      // As in an update, the new background is the first to open the old database.
      await own.evaluate(createOldDatabase, 'cointoss', old);
      await extension.stopWorker();
      await extension.overview();
      const indexesFound = await own.evaluate(indexEntries, 'cointoss');
      expect(Object.keys(indexesFound).sort()).toEqual(
        tableNames()
          .flatMap((table) => indexesOf(table).map(([index]) => `${table}.${index}`))
          .sort(),
      );
      for (const { entries, keys } of Object.values(indexesFound)) expect(entries).toBe(keys);
      const waiting = rowsOf(old, 'reports');
      const held = waiting.filter(({ event }) => (event as { held?: boolean } | null)?.held === true);
      expect(await extension.sources()).toHaveLength(rowsOf(old, 'sources').length);
      expect((await extension.reports()).map(({ id }) => id).sort()).toEqual(
        waiting.map(({ id }) => id).sort(),
      );
      expect(await extension.overview()).toMatchObject({ standing: 'unanswered', trial: null });

      const page = await extension.openPage('pages/consent.html');
      await page.waitForSelector('#earlier');
      // The truth is held back, and other reports leave in its place.
      expect(await textOf(page, '#earlier')).toContain(`${waiting.length - held.length} reports that wait`);
      await extension.settings({ ...calm, collector: collector.origin });
      await extension.setClock(after(START, days(40)), { frozen: true });
      expect(collector.posts).toHaveLength(earlier);

      await extension.accept();
      await extension.deliverAll();
      const delivered = new Set(
        (await extension.finished()).filter(({ end }) => end === 'delivered').map(({ id }) => id),
      );
      const due = waiting.filter((report) => !held.includes(report)).map(({ id }) => id);
      expect(due.filter((id) => !delivered.has(Number(id)))).toEqual([]);
      expect(collector.posts.length - earlier).toBeGreaterThanOrEqual(due.length);
    },
  );
});
