import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { FrailCollector } from './helpers/collector';
import { source, trigger } from './helpers/registrations';
import { Toil } from './helpers/toil';
import { browsersOfRun, calm, isLong, World } from './helpers/world';

const MINUTE = 60_000;
const DAY = 1440 * MINUTE;

/** Runs in a page of the extension: turns the stored clock without telling the background, as time does while it is closed. */
async function letTimePass(milliseconds: number): Promise<void> {
  const request = indexedDB.open('cointoss');
  const database = await new Promise<IDBDatabase>((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(new Error('the database does not open'));
  });
  const transaction = database.transaction('meta', 'readwrite', { durability: 'strict' });
  transaction.objectStore('meta').put(milliseconds, 'clock');
  await new Promise((resolve) => (transaction.oncomplete = resolve));
  database.close();
}

// Firefox takes a temporary extension anew at each start, so there only what is stored comes through: `npm run soak` tries that.
describe.each(browsersOfRun)('a restart of the browser (%s)', (name) => {
  const world = new World(name);
  let collector: FrailCollector;
  let userDataDir: string;

  beforeEach(async () => {
    userDataDir = await mkdtemp(path.join(tmpdir(), 'cointoss-profile-'));
    collector = await FrailCollector.start();
    await world.start({ userDataDir, settings: { ...calm, collector: collector.origin } });
  });

  afterEach(async () => {
    await world.stop();
    await collector.close();
    await rm(userDataDir, { recursive: true, force: true, maxRetries: 5 });
  });

  /** The same profile again; the settings have to be what they were. */
  const restart = async (): Promise<void> => {
    await world.closeBrowser();
    await world.launchBrowser({ userDataDir, settings: {} });
  };

  /** One click, and three purchases of different things: the three reports that a click may make. */
  const convertThrice = async (): Promise<void> => {
    const { sites, extension } = world;
    const headers = source(21, sites.origin('shop'), { event_report_window: '172800' });
    const url = sites.serve('adtech', '/s', { headers });
    const page = await world.open(
      'publisher',
      `<a id="it" attributionsrc="${url}" href="${sites.page('shop', '')}">Go</a>`,
    );
    await page.click('#it', { delay: 100 });
    await world.waitForRecorded(1);
    const pixels = [1, 2, 3].map((data) => sites.serve('adtech', `/t${data}`, { headers: trigger(data) }));
    await world.open('shop', pixels.map((pixel) => `<img src="${pixel}">`).join(''));
    await extension.waitForReports(3);
  };

  it('keeps sources, pending reports, settings and log, and sends overdue reports spread over a minute', async () => {
    await convertThrice();
    const kept = async (): Promise<readonly unknown[]> => [
      await world.extension.sources(),
      await world.recorded(),
      await world.extension.settings(),
    ];
    const before = [...(await kept()), await world.extension.reports()];
    // Each start of a browser takes a processor some seconds.
    if (isLong) {
      await restart();
      expect([...(await kept()), await world.extension.reports()]).toEqual(before);
    }

    const own = await world.extension.page();
    await own.evaluate(letTimePass, 3 * DAY);
    await restart();
    expect(await kept()).toEqual(before.slice(0, 3));
    expect((await world.extension.settings()).collector).toBe(collector.origin);
    const { now, clockAhead } = await world.extension.overview();
    expect(clockAhead).toBe(3 * DAY);
    // Only an installed extension hears of the start of the browser; in Firefox a script can make it temporary only.
    if (name === 'chrome') {
      const waits = (await world.extension.reports()).map(({ nextAttempt }) => Number(nextAttempt) - now);
      expect(waits.length + collector.posts.length).toBe(3);
      for (const wait of waits) expect(wait).toBeLessThanOrEqual(MINUTE);
      expect(new Set(waits).size).toBe(waits.length);
      expect(waits.length).toBeGreaterThan(0);
    }
    await world.extension.advance(MINUTE);
    const received = await collector.reports();
    expect(
      received.map(({ source_event_id, trigger_data }) => [source_event_id, trigger_data]).sort(),
    ).toEqual([
      ['21', '1'],
      ['21', '2'],
      ['21', '3'],
    ]);
    expect(collector.posts).toHaveLength(3);
    expect(await world.extension.reports()).toEqual([]);

    // The same where the browser is killed in the middle of work.
    await world.extension.clear();
    const toil = new Toil(world, collector);
    await toil.round(() => world.killBrowser());
    await world.launchBrowser({ userDataDir, settings: {} });
    expect(await toil.outcome()).toMatchObject({ repeated: [], missing: [], doubled: [] });
  });
});
