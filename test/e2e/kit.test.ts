import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import puppeteer, { type Browser } from 'puppeteer-core';
import { accept } from '../../cli/io/input';
import { MOST_LISTED } from '../../extension/messages';
import { attach, extensionPath, waitFor, type BrowserName, type Extension } from '../../scenarios/kit';
import { firefoxDriver } from '../../scenarios/kit/firefox';
import { browserOptions } from '../../scenarios/kit/launch';
import { chromiumLimits } from '../../src/model/limits';
import { seededRandomSource } from '../../analysis/random/sources';
import { replay } from '../../analysis/scenario/replay';
import { parseScenario } from '../../analysis/scenario/scenario';
import { source } from './helpers/registrations';
import { browsers, browsersOfRun, describeInSoak, isLong, itInSoak, useWorld } from './helpers/world';

const NEW_YEAR = Date.UTC(2030, 0, 1);
const DAY = 86_400_000;

/** Runs in a page of the extension: puts copies of a row into its table, with the ids that follow; so many registrations take minutes. */
function copyRow(table: string, id: number, copies: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open('cointoss');
    opening.onerror = () => reject(new Error('the database does not open'));
    opening.onsuccess = () => {
      const transaction = opening.result.transaction(table, 'readwrite');
      const rows = transaction.objectStore(table);
      const reading = rows.get(id) as IDBRequest<{ readonly row: object }>;
      reading.onsuccess = () => {
        for (let next = id + 1; next <= id + copies; next++)
          rows.put({ ...reading.result, id: next, row: { ...reading.result.row, id: next } });
      };
      transaction.onabort = () => reject(new Error('the rows were not written'));
      transaction.oncomplete = () => {
        opening.result.close();
        resolve();
      };
    };
  });
}

describe.each(browsers)('the kit (%s)', (name) => {
  const world = useWorld(name, { idleTimeout: 500 });

  /** An impression and a conversion on it. */
  const convert = async (
    isDone: () => Promise<unknown> = () => world.extension.waitForReport(),
  ): Promise<void> => {
    const { sites } = world;
    await world.open(
      'publisher',
      `<img attributionsrc src="${sites.source('adtech', { source_event_id: '5', destination: sites.origin('shop') })}">`,
    );
    await world.extension.waitForSources(1);
    await world.open(
      'shop',
      `<img src="${sites.trigger('adtech', { event_trigger_data: [{ trigger_data: '1' }] })}">`,
    );
    await waitFor('the conversion', async () => Boolean(await isDone()));
  };

  it('asks again when its page is loaded anew before the answer', async () => {
    const page = await world.extension.page();
    for (let time = 0; time < 5; time++) {
      const asked = [world.extension.overview(), world.extension.settings()];
      await page.evaluate(() => location.reload()).catch(() => undefined);
      const also = world.extension.participation();
      expect(await Promise.all([...asked, also])).toHaveLength(3);
    }
  });

  /** Everything that the handle can do, by its name, and what has to come out; in an order in which each can be. */
  const calls: readonly (readonly [
    name: string,
    call: (extension: Extension) => Promise<unknown>,
    result: unknown,
  ])[] = [
    ['settings', (extension) => extension.settings(), { debug: { enabled: true, noise: false } }],
    ['overview', (extension) => extension.overview(), { sources: 1, pendingReports: 1, now: NEW_YEAR }],
    ['sources', (extension) => extension.sources(), [{ sourceType: 'event', time: NEW_YEAR }]],
    ['triggers', (extension) => extension.triggers(), [{ decision: { kind: 'attributed' } }]],
    [
      'reports',
      (extension) => extension.reports(),
      [{ kind: 'event-level', reportTime: NEW_YEAR + 30 * DAY }],
    ],
    ['trace', (extension) => extension.trace(), [{ kind: 'trigger' }, { kind: 'source' }]],
    [
      'waitForReport',
      (extension) => extension.waitForReport(({ kind }) => kind === 'event-level'),
      { attempts: [] },
    ],
    [
      'advance',
      (extension) => extension.advance(DAY).then(() => extension.overview()),
      { now: NEW_YEAR + DAY },
    ],
    [
      'setClock',
      (extension) =>
        extension.setClock(NEW_YEAR + 29 * DAY, { frozen: true }).then(() => extension.overview()),
      {
        now: NEW_YEAR + 29 * DAY,
        pendingReports: 1,
        differences: [{ id: 'noise-off' }, { id: 'clock-stopped' }],
      },
    ],
    ['sendDue', (extension) => extension.sendDue().then(() => extension.reports()), [{ attempts: [] }]],
    [
      'deliverAll',
      (extension) => extension.deliverAll().then(() => extension.finished()),
      [{ end: 'delivered' }],
    ],
    [
      'clear',
      (extension) => extension.clear().then(() => extension.overview()),
      { sources: 0, finishedReports: 0 },
    ],
  ];

  /** Loses the answer to a message of the kit, as when Firefox ends the background in the middle of it. */
  const losingAnswer = async (to: string): Promise<void> => {
    const own = await world.extension.page();
    const evaluate = own.evaluate.bind(own);
    const losing = jest.spyOn(own, 'evaluate').mockImplementation(async (run, ...given) => {
      const answer = await evaluate(run, ...given);
      const [message] = given;
      const isIt =
        typeof message === 'object' && message !== null && 'kind' in message && message.kind === to;
      if (!isIt) return answer;
      losing.mockRestore();
      throw new Error('Could not establish connection. Receiving end does not exist.');
    });
  };

  if (!browsersOfRun.includes(name)) return;

  itInSoak('waits for reports in the order of all reports', async () => {
    const { extension } = world;
    const reportingOrigin = 'https://ads.example';
    // Five random ids are in this order with the probability 1/120.
    for (const day of [3, 1, 5, 2, 4]) {
      const shop = `https://shop${day}.example`;
      const source = { source_event_id: '1', destination: shop, expiry: (day * DAY) / 1000 };
      await extension.register('event', source, { contextOrigin: 'https://news.example', reportingOrigin });
      const trigger = { event_trigger_data: [{ trigger_data: '1' }] };
      await extension.register('trigger', trigger, { contextOrigin: shop, reportingOrigin });
    }
    const times = (await extension.waitForReports(5)).map(({ reportTime }) => reportTime);
    expect(times).toHaveLength(5);
    expect(times).toEqual([...times].sort((a, b) => b - a));
    await extension.clear();
  });

  it('turns the clock once when it has to ask again', async () => {
    await losingAnswer('advance-clock');
    await world.extension.advance(DAY);
    expect(await world.extension.overview()).toMatchObject({ clockAhead: DAY });
    await world.extension.advance(DAY);
    expect(await world.extension.overview()).toMatchObject({ clockAhead: 2 * DAY });
  });

  itInSoak('warns once that noise made a report', async () => {
    const { extension } = world;
    await extension.settings({ debug: { enabled: true, noise: true } });
    // One event of two states more than none: a single report, without any conversion.
    await extension.send({ kind: 'force-state', state: '1' });
    const written = jest.spyOn(process.stderr, 'write').mockImplementation(() => true);
    try {
      const ad = world.sites.source('adtech', { destination: 'https://shop.test' });
      await world.open('publisher', `<img attributionsrc src="${ad}">`);
      const [report] = await extension.waitForReports(1);
      expect(report?.event?.fake).toBe(true);
      expect((await extension.waitForReport()).id).toBe(report?.id);
      const said = written.mock.calls.map(([text]) => text);
      expect(said).toEqual([
        'cointoss: 1 of these reports is noise (event.fake); settings.debug.noise: false switches it off\n',
      ]);
    } finally {
      written.mockRestore();
    }
  });

  it('writes what happened as a scenario that replays', async () => {
    const { extension, sites } = world;
    await extension.setClock(NEW_YEAR, { frozen: true });
    // One event of two states more than none: a single report.
    await extension.send({ kind: 'force-state', state: '1' });
    await convert(() => extension.triggers().then(({ length }) => length > 0));
    await extension.deliverAll();
    const scenario = accept('exported', parseScenario(await extension.exportScenario(), chromiumLimits));
    const random = (stream: number): ReturnType<typeof seededRandomSource> =>
      seededRandomSource('kit', stream);
    const again = await replay(scenario, { noise: false, random });
    const withoutId = ({ url, body }: { url: string; body: unknown }): object => ({
      url,
      body: { ...(body as object), report_id: null },
    });
    expect(sites.reports()).toHaveLength(1);
    expect(again.map(({ report_url: url, payload: body }) => withoutId({ url, body }))).toEqual(
      sites.reports().map(withoutId),
    );
    expect(await extension.finished()).toMatchObject([
      { time: Number(again[0]?.report_time), report: { event: { fake: true } } },
    ]);
  });

  it('does everything after the background was stopped, as before', async () => {
    await world.extension.setClock(NEW_YEAR, { frozen: true });
    await convert();
    const results: unknown[] = [];
    for (const [, call] of calls) {
      await world.extension.stopWorker();
      results.push(await call(world.extension));
    }
    expect(Object.fromEntries(calls.map(([call], index) => [call, results[index]]))).toMatchObject(
      Object.fromEntries(calls.map(([call, , result]) => [call, result])),
    );
    expect(world.sites.reports()).toMatchObject([
      {
        url: `${world.sites.origin('adtech')}/.well-known/attribution-reporting/report-event-attribution`,
        body: {
          source_event_id: '5',
          trigger_data: '1',
          scheduled_report_time: String((NEW_YEAR + 30 * DAY) / 1000),
        },
      },
    ]);
  });

  it('says so when it does not know whether it registered', async () => {
    const { extension, sites } = world;
    await losingAnswer('register');
    const registering = extension.register(
      'event',
      { source_event_id: '1', destination: sites.origin('shop') },
      { contextOrigin: sites.origin('publisher'), reportingOrigin: sites.origin('adtech') },
    );
    await expect(registering).rejects.toThrow('Receiving end does not exist');
    expect(await extension.sources()).toHaveLength(1);
  });

  itInSoak('gives of the trace what is asked for', async () => {
    const { sites, extension } = world;
    await convert();
    const other = sites.serve('other', '/s', { headers: source(1, 'http://shop.localhost') });
    await world.open('publisher', `<img attributionsrc src="${other}">`);
    await extension.waitForSources(2);
    const ids = async (...filter: Parameters<Extension['trace']>): Promise<string[]> =>
      (await extension.trace(...filter)).map(({ header }) => header);
    expect(await ids()).toHaveLength(3);
    expect(await ids({ kind: 'source' })).toHaveLength(2);
    expect(await ids({ reportingOrigin: sites.origin('other') })).toEqual([
      source(1, 'http://shop.localhost')['Attribution-Reporting-Register-Source'],
    ]);
    expect(await ids({ contextOrigin: sites.origin('shop'), kind: 'source' })).toEqual([]);
  });

  itInSoak('gives all rows, however many', async () => {
    const { extension, sites } = world;
    const count = MOST_LISTED + 5;
    const view = sites.source('adtech', { destination: 'https://shop.test' });
    await world.open('publisher', `<img attributionsrc src="${view}">`);
    const [first] = await extension.waitForSources(1);
    if (first === undefined) throw new Error('there is no source');
    await (await extension.page()).evaluate(copyRow, 'sources', first.id, count - 1);
    const sources = await extension.waitForSources(count);
    const ids = Array.from({ length: count }, (_, index) => first.id + count - 1 - index);
    expect(sources.map(({ id }) => id)).toEqual(ids);
  });

  itInSoak('stops the clock and lets it go on', async () => {
    const { extension } = world;
    await extension.setClock(new Date(NEW_YEAR), { frozen: true });
    expect((await extension.overview()).now).toBe(NEW_YEAR);
    expect((await extension.overview()).now).toBe(NEW_YEAR);
    await extension.setClock(NEW_YEAR);
    const { now, differences } = await extension.overview();
    expect(now).toBeGreaterThanOrEqual(NEW_YEAR);
    expect(differences).toMatchObject([{ id: 'noise-off' }, { id: 'clock-moved' }]);
  });

  it.each([-1, 0.5, NaN])('does not set the clock to %d', async (to) => {
    await expect(world.extension.setClock(to)).rejects.toThrow('to: must be milliseconds since 1970');
  });

  itInSoak('lets only debug mode change clock, limits and states', async () => {
    const { extension } = world;
    await extension.settings({ debug: { enabled: false } });
    for (const message of [
      { kind: 'set-clock', to: 0, frozen: true },
      { kind: 'set-limits', limits: {} },
      { kind: 'force-state', state: '0' },
    ] as const)
      await expect(extension.send(message)).rejects.toThrow('this needs debug mode: switch it on first');
  });

  itInSoak('changes limits in debug mode, until they are taken back, and says so', async () => {
    const { extension, sites } = world;
    const view = (path: string): string =>
      `<img attributionsrc src="${sites.serve('adtech', path, { headers: source(1, 'https://shop.test') })}">`;
    await extension.send({ kind: 'set-limits', limits: { max_sources_per_origin: '1' } });
    expect((await extension.overview()).differences).toContainEqual({ id: 'limits-changed' });
    await extension.stopWorker();
    await world.open('publisher', view('/a'));
    await world.waitForRecorded(1);
    await world.open('publisher', view('/b'));
    await world.waitForRecorded(2);
    expect(await extension.sources()).toHaveLength(1);
    await extension.send({ kind: 'set-limits', limits: null });
    expect((await extension.overview()).differences).not.toContainEqual({ id: 'limits-changed' });
    await world.open('publisher', view('/c'));
    expect(await extension.waitForSources(2)).toHaveLength(2);
    await expect(
      extension.send({ kind: 'set-limits', limits: { max_sources_per_origin: 1 } }),
    ).rejects.toThrow('max_sources_per_origin: must be a string');
  });
});

/** Puts the background to sleep, with an internals page open whose scripts do not wake it. */
async function putToSleep(browser: Browser, extension: Extension): Promise<void> {
  const open = await browser.pages();
  const url =
    open.map((page) => page.url()).find((address) => address.endsWith('/pages/internals.html')) ?? '';
  const still = await browser.newPage();
  await still.setJavaScriptEnabled(false);
  await still.goto(url);
  await extension.stopWorker();
}

describeInSoak('attach', () => {
  // Another extension, with a worker of its own.
  const other = mkdtempSync(path.join(tmpdir(), 'cointoss-other-'));
  afterAll(() => rmSync(other, { recursive: true }));

  const makeOther = (name: BrowserName): void => {
    const background = name === 'chrome' ? { service_worker: 'sw.js' } : { scripts: ['sw.js'] };
    const manifest = { manifest_version: 3, name: 'Other', version: '1', background };
    writeFileSync(path.join(other, 'manifest.json'), JSON.stringify(manifest));
    writeFileSync(path.join(other, 'sw.js'), '');
  };
  const found = { consentStatus: 'recording', sources: 0 };

  it.each(browsersOfRun)(
    'to %s without the extension fails soon, and says what to do; with it, it finds it beside another one',
    async (name) => {
      const browser = await puppeteer.launch(browserOptions({ browser: name }));
      try {
        makeOther(name);
        await browser.installExtension(other);
        await expect(attach(browser, { browser: name })).rejects.toThrow(
          `no Cointoss showed in this browser within ${name === 'chrome' ? 10 : 30} s: install extensionPath('${name}') first`,
        );
        await browser.installExtension(extensionPath(name));
        const extension = await attach(browser, { browser: name });
        expect(await extension.overview()).toMatchObject(found);
        // Firefox lets a driver use tabs of the extension only if that opened them, and the kit has closed the first.
        if (name === 'firefox') return;
        const own = await extension.page();
        await own.goto('about:blank');
        await extension.stopWorker();
        expect(await (await attach(browser, { browser: name })).overview()).toMatchObject(found);
      } finally {
        await browser.close();
      }
    },
  );

  if (browsersOfRun.includes('chrome'))
    it('to a Chrome that names no extensions finds it beside another one, also if it sleeps', async () => {
      makeOther('chrome');
      const options = browserOptions({ browser: 'chrome' });
      const browser = await puppeteer.launch({
        ...options,
        pipe: false,
        args: [...(options.args ?? []), `--load-extension=${other},${extensionPath('chrome')}`],
      });
      try {
        // As versions answer that do not know the command; those that this machine has do.
        browser.extensions = () => Promise.reject(new Error("'Extensions.getExtensions' wasn't found"));
        const extension = await attach(browser, { browser: 'chrome' });
        expect(await extension.overview()).toMatchObject(found);
        await putToSleep(browser, extension);
        expect(await (await attach(browser, { browser: 'chrome' })).overview()).toMatchObject(found);
      } finally {
        await browser.close();
      }
    });
});

// Waits for half a minute, in a browser of its own.
if (isLong)
  test('the kit installs the extension again if Firefox tells of none of its pages', async () => {
    const browser = await puppeteer.launch(browserOptions({ browser: 'firefox' }));
    try {
      let installed = 0;
      const again = async (): Promise<void> => {
        installed++;
        await browser.installExtension(extensionPath('firefox'));
      };
      const driver = await firefoxDriver(browser, { id: '', again });
      expect(installed).toBeGreaterThan(0);
      const page = await driver.ownPage(false);
      expect(await page.evaluate(() => location.pathname)).toBe('/pages/internals.html');
    } finally {
      await browser.close();
    }
  });
