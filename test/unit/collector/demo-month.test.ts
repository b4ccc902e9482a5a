import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { fillWithDemo, fillWithStored, StoreNotEmpty } from '../../../collector/demo/fill';
import { readMonth } from '../../../collector/demo/month';
import { DEMO_MONTH, simulateMonth, truthOfDemo } from '../../../collector/demo/simulate-month';
import { CollectorStore } from '../../../collector/store/store';
import type { ReceivedReport } from '../../../collector/store/reports';
import { tables, type StoredTables } from '../../../collector/store/stored-tables';
import { anyReport } from '../helpers/any-report';
import { temporaryStore } from '../helpers/empty-store';

const few = { ...DEMO_MONTH, users: 40 };

/** What a store has after this. */
async function contentAfter(fill: (store: CollectorStore) => Promise<unknown>): Promise<{
  readonly reports: readonly ReceivedReport[];
  readonly tables: StoredTables;
}> {
  const temporary = await temporaryStore();
  const store = await CollectorStore.open(temporary.place);
  try {
    await fill(store);
    const reports: ReceivedReport[] = [];
    for await (const report of (await store.asking()).reports(anyReport)) reports.push(report);
    return { reports, tables: await store.tables() };
  } finally {
    await store.close();
    await temporary.remove();
  }
}

/** Rows of a table without their numbers, which others get. */
const rowsOf = (tables: StoredTables, table: string): readonly string[] =>
  (JSON.parse(tables[table] ?? '[]') as readonly object[]).map((row) => JSON.stringify({ ...row, id: null }));

test('the stored month has what its first people do', async () => {
  const month = readMonth();
  const simulated = await simulateMonth(few);
  const own = await contentAfter((store) => fillWithDemo(store, simulated));
  expect(own.reports.length).toBeGreaterThan(10);
  expect(rowsOf(own.tables, 'sources').length).toBeGreaterThan(100);
  for (const table of ['sources', 'reports', 'configurations'])
    expect(rowsOf(month.tables, table)).toEqual(expect.arrayContaining([...rowsOf(own.tables, table)]));
  expect(month.truth).toEqual(expect.arrayContaining([...(await truthOfDemo(few))]));
});

test('what another collector has stored meanwhile keeps the stored month out', async () => {
  const month = readMonth();
  const others = await simulateMonth(few);
  const { tables: found } = await contentAfter(async (store) => {
    await fillWithDemo(store, others);
    // It was empty when it was asked.
    const questions = await store.asking();
    jest.spyOn(questions, 'counts').mockResolvedValue({ received: 0 } as never);
    jest.spyOn(questions, 'newestSource').mockResolvedValue(0);
    jest.spyOn(store, 'asking').mockResolvedValue(questions);
    const before = await store.tables();
    await expect(fillWithStored(store, month)).rejects.toThrow(StoreNotEmpty);
    expect(await store.tables()).toEqual(before);
    jest.restoreAllMocks();
  });
  expect(rowsOf(found, 'sources').length).toBeGreaterThan(100);
});

test('a store is filled with the stored month as a whole, or not at all', async () => {
  const month = readMonth();
  await contentAfter(async (store) => {
    // PostgreSQL has no text with this character.
    const posted = { ...month.posted, reach: '\0' };
    await expect(fillWithStored(store, { ...month, posted })).rejects.toThrow();
    expect((await store.tables())['sources']).toBe('[]');
    expect(await fillWithStored(store, month)).toEqual(month.counts);
    const asked = await store.asking();
    expect((await asked.posted('summary'))?.content).toBe(month.posted.summary);
    expect((await asked.posted('reach'))?.content).toBe(month.posted.reach);
  });
});

test('what an operator has posted keeps the stored month out', async () => {
  await contentAfter(async (store) => {
    await store.post('summary', 'real');
    await expect(fillWithStored(store, readMonth())).rejects.toThrow(StoreNotEmpty);
    expect((await (await store.asking()).posted('summary'))?.content).toBe('real');
  });
});

test('a month whose file is damaged, or lacks a table, is refused by the name of its file', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'cointoss-month-'));
  const file = path.join(folder, 'month.json.gz');
  expect(() => readMonth(file)).toThrow(`${file}: must be the month`);
  writeFileSync(file, gzipSync('{"tables": {').subarray(0, 12));
  expect(() => readMonth(file)).toThrow(/month\.json\.gz: must be .* build again$/);
  writeFileSync(file, gzipSync('{"tables": {}}'));
  expect(() => readMonth(file)).toThrow('the table configurations is missing');
  rmSync(folder, { recursive: true });
});

test('stored tables of which one is missing are refused', async () => {
  const rest: Record<string, string> = { ...readMonth().tables };
  delete rest['reports'];
  await contentAfter(async (store) => {
    await expect(store.restore(rest, {})).rejects.toThrow('the table reports is missing');
  });
});

test('each table of a store is stored, or is none of a month', async () => {
  await contentAfter(async (store) => {
    const found = await store['database'].query<{ name: string }>(
      "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'",
    );
    const left = ['journal', 'members', 'migrations', 'posted', 'source_corrections'];
    const tokens = ['spent_tokens', 'token_batches'];
    expect(found.map(({ name }) => name).sort()).toEqual([...tables, ...left, ...tokens].sort());
  });
});

test('a store that gets the stored month has its tables and goes on from them', async () => {
  const month = readMonth();
  const others = await simulateMonth({ users: 40, seed: 'others' });
  const own = await contentAfter((store) => fillWithDemo(store, others));
  expect(own.reports.length).toBeGreaterThan(10);
  const { reports, tables } = await contentAfter(async (store) => {
    expect(await fillWithStored(store, month)).toEqual(month.counts);
    await expect(fillWithStored(store, month)).rejects.toThrow(StoreNotEmpty);
    expect(await store.tables()).toEqual(month.tables);
    for (const report of own.reports) expect(await store.add(report)).toBe('stored');
  });
  expect(reports).toHaveLength(month.counts.reports + own.reports.length);
  const summed = JSON.parse(tables['summed'] ?? '[]') as readonly { readonly reports: number }[];
  expect(summed).toEqual([{ sources: month.counts.sources, reports: reports.length }]);
});
