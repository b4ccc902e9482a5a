import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'puppeteer-core';
import { waitFor } from '../../scenarios/kit';
import { goTo, press, shows as elementShows } from './helpers/internals';
import { source, trigger } from './helpers/registrations';
import { badgesOf } from './helpers/badges';
import { visitAdsAndShop } from './helpers/visit';
import { browsersOfRun, calm, isLong, itInSoak, useWorld } from './helpers/world';

const folder = path.resolve(__dirname, '../../.data/screenshots');
const HOUR = 3_600_000;

describe.each(browsersOfRun)('pages of the extension (%s)', (name) => {
  const world = useWorld(name);

  beforeAll(() => mkdirSync(folder, { recursive: true }));

  /** Resolves once the element with that id shows this. */
  const shows = (page: Page, id: string, expected: string | null | RegExp): Promise<void> =>
    elementShows(page, `#${id}`, expected);

  const save = async (page: Page, name: string): Promise<void> => {
    // For people who want to see it.
    if (isLong) await page.screenshot({ path: path.join(folder, `${name}-${world.name}.png`) });
  };

  const openPopup = async (): Promise<Page> => {
    const popup = await world.extension.openPage('pages/popup.html');
    await popup.setViewport({ width: 360, height: 600 });
    return popup;
  };

  it('say in the popup what was recorded here, what waits, and what is not as in production', async () => {
    await visitAdsAndShop(world);
    const popup = await openPopup();
    await shows(popup, 'site', 'shop.localhost');
    await shows(popup, 'sources', '0');
    await shows(popup, 'triggers', '1');
    await shows(popup, 'refused', '0');
    await shows(popup, 'refused-hint', null);
    await shows(popup, 'pending', '1 report');
    // Two days, less the seconds that the test took.
    await shows(popup, 'next', /^The next one is sent in 2 days, /);
    await shows(popup, 'banner', 'noise off');
    await world.extension.advance(HOUR);
    await shows(popup, 'banner', 'noise off · clock 1 hour ahead');
    await save(popup, 'popup');
  });

  itInSoak(
    'say of a report what it says and what was answered, and in debug mode only which conversion made it',
    async () => {
      await visitAdsAndShop(world);
      const [report] = await world.extension.reports();
      const [conversion] = (await world.extension.trace()).filter(({ kind }) => kind === 'trigger');
      const address = `#/triggers/${String(conversion?.['id'])}`;
      const page = await world.extension.page();
      await page.bringToFront();
      await goTo(page, `#/reports/${String(report?.['id'])}`);
      await elementShows(page, '#report-from', /^It came from conversion \d+ and Source \d+\.$/);
      await elementShows(page, '[data-field="scheduled_report_time"] span', /when window 1 of 1 ended/);
      await elementShows(page, '[data-field="randomized_trigger_rate"] span', /Noise was off/);
      await elementShows(page, '#report-answer', /^It was not sent yet/);
      expect(await page.$$eval('#report-from a', (links) => links.map(({ hash }) => hash))).toContain(
        address,
      );

      await world.extension.settings({ debug: { ...calm.debug, enabled: false } });
      await elementShows(page, '#report-from', /Only debug mode shows whether a conversion made it/);
      await world.extension.settings({ debug: { ...calm.debug, enabled: true } });
      await world.extension.deliverAll();
      await elementShows(page, '#report-answer', /^adtech\.localhost:\d+ answered 200/);
    },
  );

  itInSoak('count a refusal in the popup and lead to its reason', async () => {
    await visitAdsAndShop(world);
    await world.open('publisher', '');
    const popup = await openPopup();
    await shows(popup, 'site', 'publisher.localhost');
    await shows(popup, 'sources', '1');
    await shows(popup, 'triggers', '0');
    await shows(popup, 'refused', '1');
    await shows(popup, 'refused-hint', 'Why were they refused?');
    await elementShows(
      popup,
      '#latest',
      /impression \d+malformed.*impression \d+kept|impression \d+kept.*impression \d+malformed/,
    );
    await save(popup, 'popup-refused');
  });

  it('count on the button what was recorded on the page of the tab', async () => {
    await visitAdsAndShop(world);
    const badges = (): Promise<readonly (readonly string[])[]> =>
      Promise.all(['http://publisher', 'http://shop'].map((start) => badgesOf(world.extension, start)));
    await waitFor('the badges', async () => (await badges()).join() === '2,1').catch(async () =>
      expect(await badges()).toEqual([['2'], ['1']]),
    );
  });

  itInSoak('say nothing of differences where there are none', async () => {
    await world.extension.settings({ debug: { enabled: false } });
    const popup = await openPopup();
    await shows(popup, 'pending', 'Nothing');
    await shows(popup, 'next', 'After a conversion, its report appears here.');
    await shows(popup, 'banner', null);
    await shows(popup, 'debug', null);
  });

  it('pause everywhere, or on one site, and nothing is recorded there', async () => {
    const { sites } = world;
    const serve = (id: number): string =>
      `<img attributionsrc src="${sites.serve('adtech', `/s${id}`, { headers: source(id, sites.origin('shop')) })}">
       <img attributionsrc="${sites.serve('adtech', `/a${id}`, { headers: source(id + 1, sites.origin('shop')) })}">
       <img src="${sites.serve('adtech', `/t${id}`, { headers: trigger(0) })}">`;
    const on = (site: string, id: number): string[] => [
      `event source ${id} on ${site} by adtech`,
      `event source ${id + 1} on ${site} by adtech`,
      `trigger 0 on ${site} by adtech`,
    ];
    await world.open('publisher', '');
    const popup = await openPopup();
    await shows(popup, 'site', 'publisher.localhost');

    await press(popup, '#pause-all');
    await shows(popup, 'pause-all', 'Paused everywhere');
    await world.open('publisher', serve(10));
    // The background hears of the responses a little after the page.
    await sleep(500);
    expect(sites.received('adtech', '/t10')).toHaveLength(1);
    await press(popup, '#pause-all');
    await shows(popup, 'pause-all', 'Pause everywhere');

    await press(popup, '#pause-here');
    await shows(popup, 'pause-here', 'Paused on this site');
    await world.open('publisher', serve(20));
    await world.open('blog', serve(30));
    expect(await world.waitForRecorded(3)).toEqual(on('blog', 30));

    await press(popup, '#pause-here');
    await shows(popup, 'pause-here', 'Pause on this site');
    await world.open('publisher', serve(40));
    expect(await world.waitForRecorded(6)).toEqual([...on('blog', 30), ...on('publisher', 40)].sort());
    // Nothing was requested for a page that is paused.
    expect([...sites.received('adtech', '/a10'), ...sites.received('adtech', '/a20')]).toEqual([]);
  });

  itInSoak('list in the internals what was registered, what waits, and what was sent', async () => {
    await visitAdsAndShop(world);
    await world.extension.advance(HOUR);
    const internals = await world.extension.page();
    await internals.bringToFront();
    await internals.setViewport({ width: 1280, height: 800 });
    await goTo(internals, '#/overview');
    await shows(internals, 'banner', 'noise off · clock 1 hour ahead');
    await shows(internals, 'sources', '1');
    await shows(internals, 'pending', '1');
    await shows(internals, 'switch-noise', 'off');
    await shows(internals, 'switch-clock', '1 hour ahead');
    // The picture says the same to those who do not see it, and can be read in words.
    await elementShows(internals, '#story', /^impression on publisher\.localhost\S*\s*kept/);
    const drawn = await internals.$eval('#story [role=img]', (line) => line.getAttribute('aria-label'));
    expect(drawn).toMatch(/^conversion \d+: credited; true report \d+ due: waiting$/);
    await press(internals, '#story-words');
    await elementShows(internals, '#story .issues', /conversion \d+: credited.*true report \d+ due: waiting/);
    await press(internals, '#story-words');
    const table = (expected: RegExp): Promise<void> => elementShows(internals, '.data', expected);
    await goTo(internals, '#/triggers');
    await table(/credited/);
    await goTo(internals, '#/refused');
    await table(/must have the field "destination"/);
    // Nothing sticks out to the side.
    expect(await internals.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(1280);
    await save(internals, 'internals-refused');
    await goTo(internals, '#/sources');
    await table(/11.*event.*publisher\.localhost.*shop\.localhost/);
    await goTo(internals, '#/reports');
    await table(/waiting.*shop\.localhost/);
    await save(internals, 'internals-reports');
    world.sites.serve('adtech', '/.well-known/attribution-reporting/report-event-attribution', {});
    await world.extension.advance('next-report');
    // The row changes by itself.
    await table(/sent.*HTTP 200/);
    await goTo(internals, '#/overview');
    await shows(internals, 'pending', '0');
    await goTo(internals, '#/log');
    await shows(internals, 'count', '3 entries');
  });

  /** What the page complains of from now on; in Chrome from its start, as it is loaded anew for it. */
  const watch = async (page: Page): Promise<() => Promise<readonly string[]>> => {
    if (world.name === 'chrome') {
      const problems: string[] = [];
      page.on('console', (message) => {
        if (['error', 'warn'].includes(message.type())) problems.push(message.text());
      });
      page.on('pageerror', (error) => problems.push(String(error)));
      await page.reload();
      return () => Promise.resolve(problems);
    }
    // Firefox tells puppeteer nothing of the consoles of extensions.
    await page.evaluate(() => {
      const problems: string[] = [];
      Object.assign(globalThis, { problems });
      console.error = console.warn = (...words: unknown[]) => void problems.push(words.join(' '));
      addEventListener('error', ({ message }) => problems.push(message));
      addEventListener('unhandledrejection', ({ reason }) => problems.push(String(reason)));
    });
    return () => page.evaluate(() => (globalThis as unknown as { problems: readonly string[] }).problems);
  };

  it.each(['pages/popup.html', 'pages/internals.html', 'pages/options.html'])(
    '%s puts no error on its console',
    async (address) => {
      await visitAdsAndShop(world);
      const page = await world.extension.openPage(address);
      const problems = await watch(page);
      if (!address.includes('options')) await shows(page, 'pending', /^1/);
      await world.extension.advance(HOUR);
      if (!address.includes('options')) await shows(page, 'banner', /1 hour ahead/);
      await page.evaluate(() => setTimeout(() => console.warn('the end')));
      await waitFor('the last message', async () => (await problems()).includes('the end'));
      expect(await problems()).toEqual(['the end']);
    },
  );
});
