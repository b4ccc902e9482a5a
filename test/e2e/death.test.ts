import type { Page } from 'puppeteer-core';
import { waitFor, type Row } from '../../scenarios/kit';
import { FrailCollector } from './helpers/collector';
import { source, trigger } from './helpers/registrations';
import { Toil } from './helpers/toil';
import { countRows } from './helpers/trials';
import { browsers, browsersOfRun, isLong, useWorld } from './helpers/world';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** In ms: how long the database is held up, which keeps a processor busy. Firefox stops a background that was idle for 500. */
const OCCUPIED = isLong ? 3000 : 1500;
/** Each round takes a second of processor time. */
const KILLS = isLong ? 5 : 3;

interface ExtensionGlobals {
  readonly chrome: {
    readonly alarms: {
      getAll(): Promise<readonly { readonly name: string; readonly scheduledTime: number }[]>;
    };
  };
}

/** One for both browsers: its database takes a second of processor time to start. */
let collector: FrailCollector;

beforeAll(async () => {
  collector = await FrailCollector.start();
});

afterAll(() => collector.close());

describe.each(browsers)('the death of the background (%s)', (name) => {
  const world = useWorld(name, { idleTimeout: 500 });
  // What the background has stored by then is for our own code to decide.
  const isOurs = browsersOfRun.includes(name);

  beforeEach(async () => {
    collector.mood = { kind: 'well' };
    collector.posts.length = 0;
    // A test that failed may have withdrawn.
    if ((await world.extension.participation()).consentStatus !== 'recording') await world.extension.accept();
    await world.extension.settings({ collector: collector.origin });
  });

  const see = (): Promise<Page> => {
    const { sites } = world;
    const headers = source(11, sites.origin('shop'), { event_report_window: '172800' });
    return world.open('publisher', `<img attributionsrc src="${sites.serve('adtech', '/s', { headers })}">`);
  };

  const buy = (): Promise<Page> =>
    world.open('shop', `<img src="${world.sites.serve('adtech', '/t', { headers: trigger(1) })}">`);

  /** Those on which reports are sent. */
  const alarms = async (): Promise<readonly number[]> => {
    const own = await world.extension.page();
    return own.evaluate(async () => {
      const all = await (globalThis as unknown as ExtensionGlobals).chrome.alarms.getAll();
      return all.filter(({ name: of }) => of === 'deliver').map(({ scheduledTime }) => scheduledTime);
    });
  };

  const countOf = async (table: string): Promise<number> =>
    (await (await world.extension.page()).evaluate(countRows, table))[table] ?? 0;

  /** Holds up what the background reads and writes, for some seconds, in milliseconds. `free` are tables that it may use meanwhile. */
  const occupyDatabase = async (duration: number, free: readonly string[] = []): Promise<void> => {
    const own = await world.extension.page();
    await own.evaluate(
      async (milliseconds, others) => {
        const opening = indexedDB.open('cointoss');
        await new Promise((resolve) => (opening.onsuccess = resolve));
        const database = opening.result;
        const names = [...database.objectStoreNames].filter((name) => !others.includes(name));
        const tables = database.transaction(names, 'readwrite');
        const end = Date.now() + milliseconds;
        while (Date.now() < end) {
          const asking = tables.objectStore('meta').get('nothing');
          await new Promise((resolve) => (asking.onsuccess = resolve));
        }
        database.close();
      },
      duration,
      free,
    );
  };

  const stored = async (report: Row): Promise<number> => {
    const { report_id: id } = report['body'] as { readonly report_id: string };
    return (await collector.reports()).filter((line) => line.report_id === id).length;
  };

  it('between every two steps of an attribution changes nothing', async () => {
    await see();
    await world.waitForRecorded(1);
    await world.extension.stopWorker();
    await buy();
    const [report] = await world.extension.waitForReports(1);
    if (report === undefined) throw new Error('no report waits');
    await world.extension.stopWorker();
    expect(await world.extension.reports()).toEqual([report]);
    await world.extension.advance(2 * DAY);
    expect(await stored(report)).toBe(1);
    await world.extension.stopWorker();
    expect(await world.extension.reports()).toEqual([]);
    // It may be sent again, the same, if the background died before it noted the answer.
    expect(new Set(collector.posts.map(({ body }) => body)).size).toBe(1);
    expect(await stored(report)).toBe(1);
  });

  it('leaves an alarm behind that wakes it for the next report', async () => {
    await see();
    await world.waitForRecorded(1);
    await buy();
    await world.extension.waitForReports(1);
    const { nextReportTime, clockAhead } = await world.extension.overview();
    await waitFor('the alarm', async () => (await alarms()).length === 1);
    await world.extension.stopWorker();
    const [alarm] = await alarms();
    const late = Number(alarm) - (Number(nextReportTime) - clockAhead);
    expect(late).toBeGreaterThanOrEqual(0);
    // It is for this report, which is due in two days, and for nothing else.
    expect(late).toBeLessThan(HOUR);
  });

  if (isOurs)
    it('forgets neither the clock nor the settings nor what is only half decided', async () => {
      // It stands still, so that the time for a declaration does not end, however long a loaded machine takes.
      const tomorrow = Date.now() + DAY;
      await world.extension.setClock(tomorrow, { frozen: true });
      const { sites } = world;
      const unclaimed = sites.serve('adtech', '/unclaimed', { headers: source(12, sites.origin('shop')) });
      // An image that no element claims yet: it is decided only later.
      const page = await world.open('publisher', `<img src="${unclaimed}" id="late">`);
      await waitFor('the response to be stored', async () => (await countOf('inbox')) === 1);
      await world.extension.stopWorker();
      expect(await world.extension.overview()).toMatchObject({ now: tomorrow, debugEnabled: true });
      await page.evaluate(() => document.getElementById('late')?.setAttribute('attributionsrc', ''));
      expect(await world.waitForRecorded(1)).toEqual(['event source 12 on publisher by adtech']);
    });

  it('does not come, as idle, before a response is written, however long that takes', async () => {
    await world.extension.stopWorker();
    const occupied = occupyDatabase(OCCUPIED);
    await buy();
    // Any question would keep the background awake.
    await occupied;
    expect(await world.waitForRecorded(1)).toEqual(['trigger 1 on shop by adtech']);
  });

  // Firefox stops no event page that has a message to answer.
  if (name === 'chrome')
    it('before it registered what an element declared loses nothing', async () => {
      const { extension, sites } = world;
      await extension.overview();
      const occupied = occupyDatabase(OCCUPIED, ['inbox']);
      const headers = source(13, sites.origin('shop'));
      await world.open(
        'publisher',
        `<img attributionsrc src="${sites.serve('adtech', '/13', { headers })}">`,
      );
      const written = async (): Promise<boolean> => (await countOf('inbox')) === 2;
      await waitFor('the response and its declaration to be written', written);
      await extension.stopWorker();
      await occupied;
      expect(await world.waitForRecorded(1)).toEqual(['event source 13 on publisher by adtech']);
    });

  if (isOurs)
    it('after a withdrawal leaves nothing of the report that was on its way', async () => {
      const { extension } = world;
      await see();
      await world.waitForRecorded(1);
      await buy();
      await extension.waitForReports(1);
      let answer = (): void => undefined;
      collector.mood = { kind: 'slow', until: new Promise<void>((resolve) => (answer = resolve)) };
      const advancing = extension.advance('next-report');
      await waitFor('the report to be under way', () => collector.posts.length === 1);
      await extension.send({ kind: 'withdraw' });
      await advancing;
      await extension.stopWorker();
      answer();
      expect(await (await extension.page()).evaluate(countRows)).toEqual({});
      // Anything that is left would leave now.
      await extension.accept();
      await extension.advance(3 * DAY);
      expect(collector.posts).toHaveLength(1);
      expect(await (await extension.page()).evaluate(countRows)).toEqual({});
    });

  // Firefox does not count an event page that sends a report as idle, and only Firefox can stop it.
  if (name === 'chrome')
    it('while a report is on its way brings it to the collector once', async () => {
      await see();
      await world.waitForRecorded(1);
      await buy();
      const [report] = await world.extension.waitForReports(1);
      if (report === undefined) throw new Error('no report waits');
      let answer = (): void => undefined;
      collector.mood = { kind: 'slow', until: new Promise<void>((resolve) => (answer = resolve)) };
      const advancing = world.extension.advance('next-report').catch(() => 'the worker died');
      await waitFor('the report to be under way', () => collector.posts.length === 1);
      // Perhaps nothing else ever wakes it again, so an alarm must.
      const [rescue = Infinity] = await alarms();
      expect(rescue - Date.now()).toBeLessThanOrEqual(60_000);
      await world.extension.stopWorker();
      expect(await advancing).toBe('the worker died');
      answer();
      await waitFor('the first try to be stored', async () => (await stored(report)) === 1);
      collector.mood = { kind: 'well' };
      await world.extension.sendDue();
      expect(await world.extension.reports()).toEqual([]);
      expect(await stored(report)).toBe(1);
      expect(collector.posts.map(({ body }) => body)).toEqual([
        collector.posts[0]?.body,
        collector.posts[0]?.body,
      ]);
    });

  // Last, because some of its responses may arrive late.
  it('time and again in the middle of work loses no registration that was written, and loses and doubles no report', async () => {
    const toil = new Toil(world, collector);
    for (let kill = 0; kill < KILLS; kill++) await toil.round(() => world.extension.stopWorker(), true);
    const outcome = await toil.outcome();
    // How soon what the browser told is written, which is a matter of time, is measured in `npm run soak -- kills`.
    expect(outcome.written).toBeGreaterThan(0);
    expect(outcome).toMatchObject({ forgotten: [], repeated: [], missing: [], doubled: [] });
    expect(outcome.reports).toBeGreaterThan(0);
  });
});
