import type { Database } from '../../../collector/store/database';
import { dropTables, migrate, versions } from '../../../collector/store/migrations';
import { openDatabase } from '../../../collector/store/open-database';
import { CollectorStore } from '../../../collector/store/store';
import { describeRows } from '../helpers/collector-stores';
import { Workload } from '../helpers/collector-workload';

/** A made-up next version: to it, the version of today is an older one. */
const next = [
  ...versions,
  `ALTER TABLE reports ADD COLUMN weekday INTEGER;
   UPDATE reports SET weekday = extract(dow FROM received_time);
   ALTER TABLE reports ALTER COLUMN weekday SET NOT NULL;`,
];
/** A made-up older version, which lacks most tables. */
const older = ['CREATE TABLE reports (id BIGINT PRIMARY KEY)'];
const broken = [...next, 'ALTER TABLE reports DROP COLUMN weekday; SELECT 1 / 0;'];
const REPORTS = 12;

const inDatabase = async <T>(place: string, work: (database: Database) => Promise<T>): Promise<T> => {
  const database = await openDatabase(place, () => Promise.resolve());
  try {
    return await work(database);
  } finally {
    await database.close();
  }
};

const migrated = (place: string, known: readonly string[]): Promise<void> =>
  inDatabase(place, (database) => migrate(database, known));

/** Which versions a store has, and its reports as the made-up version stores them. */
const content = (place: string): Promise<{ readonly had: string; readonly reports: readonly object[] }> =>
  inDatabase(place, async (database) => ({
    had: JSON.stringify(await database.query('SELECT * FROM migrations ORDER BY version')),
    reports: await database.query('SELECT * FROM reports ORDER BY id'),
  }));

/** A store of the version of today, with reports. */
async function filled(place: string): Promise<string> {
  const store = await CollectorStore.open(place);
  const workload = new Workload('migrations', 2);
  for (let index = 0; index < REPORTS; index++) await store.add(workload.report(index, index).report);
  await store.close();
  return place;
}

describeRows((stores) => {
  test('a store of an older version gets what it lacks once, and keeps its rows', async () => {
    const place = await filled(await stores().fresh());
    const before = await content(place);
    await migrated(place, next);
    const after = await content(place);
    expect(after.reports).toHaveLength(REPORTS);
    expect(after.reports).toEqual(
      before.reports.map((report) => ({ ...report, weekday: expect.any(Number) as number })),
    );
    expect(JSON.parse(after.had)).toMatchObject(next.map((_, index) => ({ version: index + 1 })));
    await migrated(place, next);
    expect((await content(place)).had).toBe(after.had);
  });

  test('a version that fails leaves the store as it was', async () => {
    const place = await filled(await stores().fresh());
    const before = await content(place);
    await expect(migrated(place, broken)).rejects.toThrow('division by zero');
    expect(await content(place)).toEqual(before);
  });

  test('a store of a later version is refused, and stays as it is', async () => {
    const place = await filled(await stores().fresh());
    await migrated(place, next);
    const before = await content(place);
    await expect(CollectorStore.open(place)).rejects.toThrow(
      `a newer collector has upgraded this store to version ${next.length}, and this one knows versions up to ${versions.length}: start a collector at least as new as that one, or restore the backup from before its upgrade`,
    );
    expect(await content(place)).toEqual(before);
  });

  test('a store of any version can be erased', async () => {
    const place = await stores().fresh();
    for (const known of [versions, older]) {
      await migrated(place, known);
      await inDatabase(place, dropTables);
      const tables = `SELECT tablename FROM pg_tables WHERE schemaname = 'public'`;
      expect(await inDatabase(place, (database) => database.query(tables))).toEqual([]);
    }
  });

  test('of several collectors that start at once, one migrates', async () => {
    if (!stores().areOnServer) return; // one process at a time
    const place = await filled(await stores().fresh());
    await Promise.all(Array.from({ length: 4 }, () => migrated(place, next)));
    expect(JSON.parse((await content(place)).had)).toHaveLength(next.length);
  });
});
