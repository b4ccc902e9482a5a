import { randomBytes } from 'node:crypto';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import timers, { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { readSources } from '../../../collector/intake/read-sources';
import { createCollector } from '../../../collector/server';
import { joinWriters, settledId } from '../../../collector/store/arrival';
import { MOST_STRANGE_KINDS } from '../../../collector/store/cells';
import {
  QUESTION_MILLISECONDS,
  QuestionStopped,
  type Database,
  type Queries,
} from '../../../collector/store/database';
import { Journal } from '../../../collector/store/journal';
import { writeItem } from '../../../collector/store/journal-item';
import { journalOf } from '../../../collector/store/journal-of';
import { migrate } from '../../../collector/store/migrations';
import { openDatabase } from '../../../collector/store/open-database';
import { insertPosted } from '../../../collector/store/posted';
import { ReportWriter } from '../../../collector/store/report-writer';
import { anyReport } from '../helpers/any-report';
import { anySource } from '../../../collector/store/source-filter';
import { CollectorStore } from '../../../collector/store/store';
import { idsAt } from '../helpers/collector-load';
import { describeRows, describeStores } from '../helpers/collector-stores';
import { copyEmptyStore } from '../helpers/empty-store';
import { besieged, sendHonest } from '../helpers/hostile-load';
import { Workload } from '../helpers/collector-workload';
import { isLong } from '../helpers/is-long';
import { waitFor } from '../../../scenarios/kit/wait';

/** Takes minutes, but no processor. */
const SLOW = 'SELECT pg_sleep(600)';
/** In ms: only what waits for that, or without an end, takes so long, on a loaded machine, too. */
const LONG = 300_000;

afterEach(() => void jest.restoreAllMocks());

/** Asks a question that takes minutes. @returns how it ended, whether it has, and what ends its time */
async function slowQuestion(store: CollectorStore) {
  const time = new AbortController();
  const asked = await store.asking();
  const state = { ended: false };
  // The test ends its time: on a loaded machine the rest takes longer than a question may.
  const { setTimeout: timer } = globalThis;
  const timers = jest.spyOn(globalThis, 'setTimeout');
  timers.mockImplementation((then: () => void, after?: number) => {
    if (after !== QUESTION_MILLISECONDS) return timer(then, after);
    timers.mockRestore();
    time.signal.addEventListener('abort', then);
    return timer(() => undefined, 0);
  });
  const result = asked['database'].query(SLOW).then(
    () => null,
    (error: unknown) => error,
  );
  void result.then(() => (state.ended = true));
  const endTime = (): void => time.abort();
  return { result, state, endTime };
}

async function connectedTo(connectionString: string): Promise<Client> {
  const client = new Client({ connectionString });
  await client.connect();
  return client;
}

const workload = new Workload('two lives', 2);
let made = 0;
const freshReport = () => workload.report(0, ++made).report;

async function idsIn(store: CollectorStore): Promise<readonly string[]> {
  const ids: string[] = [];
  for await (const { reportId } of (await store.asking()).reports(anyReport)) ids.push(reportId);
  return ids.sort();
}

describeStores((stores) => {
  let place: string;
  let store: CollectorStore;
  beforeAll(async () => {
    place = await stores().fresh();
    store = await CollectorStore.open(place);
  });
  afterAll(() => store.close());

  /** Whether a server answers the question that takes minutes. A request to cancel it would be lost before. */
  async function withServer(work: (isActive: () => Promise<boolean>) => Promise<void>): Promise<void> {
    const server = await connectedTo(place);
    const active = `SELECT FROM pg_stat_activity WHERE state = 'active' AND query = $1`;
    await work(async () => (await server.query(active, [SLOW])).rows.length > 0);
    await server.end();
  }

  test('reports are durable while a question takes long, which is ended when its time is over', async () => {
    const { result, state, endTime } = await slowQuestion(store);
    if (stores().areOnServer)
      await withServer((isActive) => waitFor('the server to be asked', isActive).then(() => undefined));
    const reports = Array.from({ length: 20 }, freshReport);
    const accepted = await Promise.all(reports.map((report) => store.accept(report)));
    await store.check();
    await store.countRefused('event-level');
    expect(state.ended).toBe(false);

    endTime();
    const error = await result;
    expect(error).toBeInstanceOf(QuestionStopped);
    expect((error as Error).message).toMatch(/takes too long: choose/);
    expect(await Promise.all(accepted.map(({ outcome }) => outcome))).toEqual(reports.map(() => 'stored'));
    expect(await idsIn(store)).toEqual(reports.map(({ reportId }) => reportId).sort());
    expect(await (await store.asking()).counts()).toMatchObject({ received: 20, refused: 1, duplicates: 0 });
  });

  test('a question that nobody waits for any more is not asked, and on a server it is cancelled', async () => {
    const leaving = new AbortController();
    const asked = stores().areOnServer ? SLOW : 'SELECT 1';
    const busy = stores().areOnServer ? null : await slowQuestion(store);
    const question = (await store.asking(leaving.signal))['database'].query(asked);
    const outcome = question.catch((error: unknown) => error);
    const leave = async (): Promise<void> => {
      leaving.abort();
      expect(await outcome).toMatchObject({ message: 'nobody waits for the answer' });
    };
    if (!stores().areOnServer) await leave();
    else
      await withServer(async (isActive) => {
        await waitFor('the server to be asked', isActive);
        await leave();
        await waitFor('the server to be free', async () => !(await isActive()));
      });
    busy?.endTime();
    await busy?.result;
  });

  test('on a server, a question ends although the first request to cancel it is lost', async () => {
    if (!stores().areOnServer) return; // a folder cancels nothing
    const leaving = new AbortController();
    // The first one has no effect, as one that comes before the statement.
    const question = store['database'].asking(leaving.signal).transaction((queries) => {
      const asked = queries.query(
        'DO $$ BEGIN PERFORM pg_sleep(600); EXCEPTION WHEN query_canceled THEN PERFORM pg_sleep(600); END $$',
      );
      leaving.abort();
      return asked;
    });
    const outcome = question.catch((error: unknown) => error);
    expect(await Promise.race([outcome, sleep(LONG, 'asked', { ref: false })])).toBeInstanceOf(
      QuestionStopped,
    );
  });

  test('on a server, a question that ends between two statements does not ask the second', async () => {
    if (!stores().areOnServer) return;
    const leaving = new AbortController();
    const question = store['database'].asking(leaving.signal).transaction(async (queries) => {
      await queries.query('SELECT 1');
      leaving.abort();
      // The request to cancel finds nothing to end.
      await sleep(100);
      return queries.query('SELECT 1');
    });
    const outcome = question.catch((error: unknown) => error);
    expect(await Promise.race([outcome, sleep(LONG, 'asked', { ref: false })])).toBeInstanceOf(
      QuestionStopped,
    );
  });

  test.each<[string, (queries: Queries) => Promise<unknown>]>([
    [
      'sources to',
      async (queries) => {
        await joinWriters(queries, 'sources');
        await queries.query("INSERT INTO configurations VALUES ('id', 'definition')");
      },
    ],
    [
      'that it refused a report to',
      (queries) =>
        queries.query(
          `INSERT INTO report_counts (collector, kind, outcome, reports)
           VALUES ('00000000-0000-4000-8000-000000000000', 'event-level', 'refused', 1)`,
        ),
    ],
    ['posted data to', (queries) => insertPosted(queries, 'reach', '{}')],
  ])('on a server, a store that another collector writes %s meanwhile is not restored', async (_, write) => {
    if (!stores().areOnServer) return; // a folder has one collector
    const own = await CollectorStore.open(await stores().fresh());
    const tables = await own.tables();
    let commit = (): void => undefined;
    const committing = new Promise<void>((resolve) => (commit = resolve));
    let writing = Promise.resolve();
    await new Promise<void>((resolve) => {
      writing = own['database'].transaction(async (queries) => {
        await write(queries);
        resolve();
        await committing;
      });
    });
    const restored = own.restore(tables, {});
    expect(await Promise.race([restored, sleep(300, 'waits')])).toBe('waits');
    commit();
    await writing;
    expect(await restored).toBe(false);
    await own.close();
  });

  test('on a server, a question whose time is over before it is asked is not asked', async () => {
    if (!stores().areOnServer) return; // a folder has no connection to wait for
    const { result, endTime } = await slowQuestion(store);
    endTime();
    expect(await Promise.race([result, sleep(LONG, 'asked', { ref: false })])).toBeInstanceOf(
      QuestionStopped,
    );
  });
});

if (isLong)
  describeRows((stores) => {
    test('beside hostile clients and an open dashboard no honest report is lost', async () => {
      const app = await createCollector({ store: await stores().fresh(), rateLimit: 1e9 });
      const origin = await app.listen({ port: 0, host: '127.0.0.1' });
      const { acknowledged } = await besieged(origin, 4, () => sendHonest(origin, 60));
      expect(acknowledged).toHaveLength(60);
      expect(await idsAt(origin)).toEqual(expect.arrayContaining([...acknowledged]));
      expect((await fetch(`${origin}/healthz`)).status).toBe(200);
      await app.close();
    });
  });

describeRows((stores) => {
  test('no report waits for a process that has asked for the newest one and is busy', async () => {
    const store = await CollectorStore.open(await stores().fresh());
    const database = store['database'];
    let goOn = (): void => undefined;
    const busy = new Promise<void>((resolve) => (goOn = resolve));
    const late = (queries: Queries): Queries => ({
      query: async (...query) => {
        const rows = await queries.query<never>(...query);
        await busy;
        return rows;
      },
    });
    const settled = settledId(late(database), 'reports');
    const first = await Promise.race([store.add(freshReport()), sleep(LONG, 'waits', { ref: false })]);
    goOn();
    expect(first).toBe('stored');
    await settled;
    await store.close();
  });

  test('strangers make a bounded number of kinds, which takes none from the log; the rest is counted together', async () => {
    const store = await CollectorStore.open(await stores().fresh());
    const sites = Array.from({ length: MOST_STRANGE_KINDS + 500 }, (_, index) => `https://s${index}.example`);
    const reportTo = (site: string): Promise<unknown> => {
      const { eventLevel, ...report } = freshReport();
      if (eventLevel === null) throw new Error('it is an event-level report');
      return store.add({
        ...report,
        kind: 'event-level',
        eventLevel: { ...eventLevel, destinations: [site] },
      });
    };
    await Promise.all(sites.map(reportTo));
    const first = await (await store.asking()).statistics(anySource, 'destination');
    const row = { ...workload.row(0), destination: 'https://logged.example' };
    const { sources, configurations } = await readSources(JSON.stringify(row), 'ndjson', null, () =>
      Promise.resolve([]),
    );
    await store.addSources(sources, configurations);
    await reportTo('https://logged.example');

    const asked = await store.asking();
    const found = await asked.statistics(anySource, 'destination');
    const kinds = await asked['database'].query('SELECT id FROM kinds');
    await store.close();
    // One of the source, the same as its reports say it, and one for the rest.
    expect(kinds.length).toBeGreaterThan(MOST_STRANGE_KINDS);
    expect(kinds.length).toBeLessThanOrEqual(MOST_STRANGE_KINDS + 3);
    expect([first.reports, found.reports]).toEqual([sites.length, sites.length + 1]);
    expect(found.groups.find(({ group }) => group === 'https://logged.example')).toMatchObject({
      reports: 1,
    });
    const rest = found.overTime.filter(({ group, other }) => group === null && !other);
    expect(rest.reduce((sum, { reports }) => sum + reports, 0)).toBeGreaterThanOrEqual(500);
  });
});

describe('the journal of a folder', () => {
  let folder = '';
  beforeEach(() => void (folder = mkdtempSync(path.join(tmpdir(), 'cointoss-journal-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  test('has what a crash kept from the database, once, and not a line that was cut off', async () => {
    await copyEmptyStore(path.join(folder, 'store'));
    const store = await CollectorStore.open(path.join(folder, 'store'));
    const before = freshReport();
    await store.add(before);
    const { result, endTime } = await slowQuestion(store);
    const reports = Array.from({ length: 300 }, freshReport);
    await Promise.all([...reports, before, before].map((report) => store.accept(report)));
    await store.countRefused('event-level');
    // What a kill leaves: the database has none of these, the journal all.
    const image = path.join(folder, 'image');
    cpSync(path.join(folder, 'store'), image, { recursive: true });
    rmSync(path.join(image, 'collector.lock'));
    const [part = ''] = readdirSync(path.join(image, 'journal')).sort().reverse();
    appendFileSync(path.join(image, 'journal', part), '0badc0de {"kind":"event-l');
    endTime();
    await result;
    await store.close();

    const all = [before, ...reports];
    for (const late of [freshReport(), freshReport()]) {
      const after = await CollectorStore.open(image);
      expect(await idsIn(after)).toEqual(all.map(({ reportId }) => reportId).sort());
      const counted = { received: all.length, duplicates: 2, refused: 1 };
      expect(await (await after.asking()).counts()).toMatchObject(counted);
      expect(existsSync(path.join(image, 'journal', part))).toBe(false);
      await after.add(late);
      all.push(late);
      expect(await idsIn(after)).toContain(late.reportId);
      await after.close();
    }
  });

  /** A writer whose first transactions fail as if the database had stopped. */
  const writerThatFails = async (
    place: string,
    failures = 1,
  ): Promise<{ writer: ReportWriter; database: Database; tries: () => number }> => {
    const database = await openDatabase(place, migrate);
    let tries = 0;
    const failing: Database = {
      ...database,
      transaction: (work) =>
        ++tries > failures ? database.transaction(work) : Promise.reject(new Error('the store has stopped')),
    };
    const journal = await journalOf(place, database);
    return {
      writer: new ReportWriter(
        failing,
        journal,
        () => undefined,
        () => undefined,
      ),
      database,
      tries: () => tries,
    };
  };

  /** More than one batch of lines that no database has. */
  const journalLines = async (place: string, count: number): Promise<readonly string[]> => {
    await copyEmptyStore(place);
    const journal = new Journal(path.join(place, 'journal'), { part: 0, end: 0 });
    const reports = Array.from({ length: count }, freshReport);
    await journal.append(reports.map((report) => writeItem({ report })));
    journal.close();
    return reports.map(({ reportId }) => reportId).sort();
  };

  test('has all lines of a batch that failed, also when the batch after it succeeded', async () => {
    const place = path.join(folder, 'store');
    const ids = await journalLines(place, 2500);
    const { writer, database } = await writerThatFails(place);
    await expect(writer.recover()).rejects.toThrow('the store has stopped');
    await writer.close();
    await database.close();
    const store = await CollectorStore.open(place);
    const found = await idsIn(store);
    await store.close();
    expect(found).toEqual(ids);
  });

  test('waits twice as long before each try to write a batch, and no longer once it is closed', async () => {
    const place = path.join(folder, 'store');
    await copyEmptyStore(place);
    const { writer, database, tries } = await writerThatFails(place, Infinity);
    await writer.recover();
    const waits: unknown[] = [];
    jest.spyOn(timers, 'setTimeout').mockImplementation((delay, value, options) => {
      waits.push(delay);
      if (waits.length < 6) return Promise.resolve(value as never);
      // Only the end of the writer ends this one.
      return new Promise((_resolve, reject) => {
        options?.signal?.addEventListener('abort', () => reject(new Error('aborted')));
      });
    });
    const { outcome } = await writer.add(freshReport());
    const failure = outcome.catch(String);
    while (waits.length < 6) await new Promise(setImmediate);
    const before = tries();
    await writer.close();
    await database.close();
    expect(waits).toEqual([500, 1000, 2000, 4000, 8000, 10_000]);
    expect(await failure).toBe('Error: the store has stopped');
    expect(tries()).toBe(before + 1);
  });

  test('sets a line aside that the database refuses, opens, and has the lines after one that is damaged', async () => {
    const place = path.join(folder, 'store');
    const ids = await journalLines(place, 3);
    const journal = new Journal(path.join(place, 'journal'), { part: 0, end: 0 });
    const refused = {
      ...freshReport(),
      reportingOrigin: `https://${randomBytes(4000).toString('hex')}.example`,
    };
    const late = freshReport();
    await journal.append([
      'damaged',
      ...[refused, late].map((report) => writeItem({ report })),
      '{"kind":"of a later version"}',
    ]);
    journal.close();
    const [part = ''] = readdirSync(path.join(place, 'journal')).sort().reverse();
    const file = path.join(place, 'journal', part);
    writeFileSync(file, readFileSync(file, 'utf8').replace('damaged', 'DAMAGED'));
    for (const once of [1, 2]) {
      const store = await CollectorStore.open(place);
      const found = await idsIn(store);
      await store.close();
      expect(found).toEqual([...ids, late.reportId].sort());
      const aside = readdirSync(path.join(place, 'journal')).filter((name) => name.startsWith('refused-'));
      expect([once, aside.length]).toEqual([once, 2]);
    }
  });

  test('removes parts that the database has, and a write that fails leaves no half line', async () => {
    const journal = new Journal(path.join(folder, 'journal'), { part: 4, end: 10 });
    const long = 'x'.repeat(9 * 2 ** 20);
    const [first] = await journal.append([long, long]);
    const [second] = await journal.append(['short']);
    expect([first?.part, second?.part]).toEqual([5, 6]);
    const names = () => readdirSync(path.join(folder, 'journal')).sort();
    expect(names()).toEqual(['5', '6']);
    if (first !== undefined) journal.applied(first);
    expect(names()).toEqual(['5', '6']);
    if (second !== undefined) journal.applied(second);
    expect(names()).toEqual(['6']);
    journal.close();
    expect(statSync(path.join(folder, 'journal', '6')).mode & 0o777).toBe(0o600);
    const again = new Journal(path.join(folder, 'journal'), { part: 5, end: 0 });
    expect([...again.left()].map(({ text }) => text)).toEqual(['short']);
    again.close();
  });
});
