import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'puppeteer-core';
import { waitFor } from '../../scenarios/kit';
import { HoldingServer } from './helpers/holding-server';
import { inWords, source, trigger } from './helpers/registrations';
import { besiege } from './helpers/siege/besiege';
import { countRows } from './helpers/trials';
import { browsersOfRun, isLong, itInSoak, useWorld } from './helpers/world';

const DAY = 86_400_000;
const REPORTS = '/.well-known/attribution-reporting/report-event-attribution';

/** In ms. On an idle machine each takes less than a second; without the defences, minutes. */
const SOON = 15_000;
/** More would only keep other tests waiting: without the defences, the first wave takes minutes. */
const WAVES = isLong ? 2 : 1;
/** Frames of a page, and the messages that each may send at once. */
const FRAMES = 20;
const MESSAGES = 200;

/** Runs in a document: declares requests that fail without a server. */
function declare(count: number): void {
  for (let index = 0; index < count; index++) {
    const image = document.body.appendChild(new Image());
    image.setAttribute('attributionsrc', '');
    // Browsers refuse this port.
    image.src = `${location.protocol}//${location.hostname}:1/${index}`;
  }
}

/** Runs in a document: requests what counts as a conversion. */
const convertBy = (url: string): void => void (new Image().src = url);

/** As a person does: a second between pressing the button and releasing it. */
async function clickSlowly(page: Page): Promise<void> {
  const link = await page.waitForSelector('a');
  await link?.hover();
  await page.mouse.down();
  await sleep(1000);
  const arrived = page.waitForNavigation();
  await page.mouse.up();
  await arrived;
}

describe.each(browsersOfRun)('a siege (%s)', (name) => {
  const world = useWorld(name, { idleTimeout: 5000 });

  /** How long it takes, in ms, until `done` holds. */
  const timeUntil = async (what: string, done: () => Promise<boolean> | boolean): Promise<number> => {
    const start = performance.now();
    await waitFor(what, done);
    return performance.now() - start;
  };

  const isRecorded = (site: string) => async (): Promise<boolean> =>
    (await world.extension.overview(world.sites.origin(site).replace(/:\d+$/, ''))).here.sources > 0;

  /** Opens a page with an ad, and resolves to the time until it is recorded. */
  const seeHonestAd = async (): Promise<number> => {
    const ad = world.sites.serve('adtech', '/honest', { headers: source(1, world.sites.origin('shop')) });
    const page = world.sites.page('publisher', `<img attributionsrc="${ad}">`);
    await world.visit(page);
    return timeUntil('the honest ad to be recorded', isRecorded('publisher'));
  };

  /** Opens a page where the ad converts, and resolves to the time until its report waits. */
  const convert = async (): Promise<number> => {
    const { sites, extension } = world;
    await world.open('shop', `<img src="${sites.serve('adtech', '/bought', { headers: trigger(0) })}">`);
    const url = sites.origin('adtech') + REPORTS;
    const hasReport = async (): Promise<boolean> =>
      (await extension.reports()).some((report) => report.url === url);
    return timeUntil('the honest conversion to be recorded', hasReport);
  };

  /** Makes reports for servers that hang. */
  const makeReports = async (count: number, hanging: HoldingServer): Promise<void> => {
    const { sites, extension } = world;
    for (let id = 0; id < count; id++) {
      const reportingOrigin = hanging.origin.replace('holding', `holding-${id % 8}`);
      await extension.register(
        'event',
        { source_event_id: String(id), destination: sites.origin('shop') },
        { contextOrigin: sites.origin('publisher'), reportingOrigin },
      );
      await extension.register(
        'trigger',
        { event_trigger_data: [{ trigger_data: '0' }] },
        { contextOrigin: sites.origin('shop'), reportingOrigin },
      );
    }
  };

  let hanging: HoldingServer;
  beforeEach(async () => {
    hanging = await HoldingServer.start();
  });
  afterEach(() => hanging.close());

  const attackers = ['besieger', 'assailant', 'invader'];
  const attack = (site: string, messages: number): Promise<Page> =>
    besiege(world, site, { hanging: hanging.origin, adServer: 'adtech', messages, waves: WAVES });

  it('of three pages delays nothing on other pages, and no report', async () => {
    const { extension, sites } = world;
    await makeReports(20, hanging);
    await Promise.all(attackers.map((site) => attack(site, 3)));
    const delays = [await seeHonestAd(), await convert()];
    const advancing = extension.advance(31 * DAY);
    try {
      delays.push(await timeUntil('the honest report', () => sites.received('adtech', REPORTS).length > 0));
      // It did not take the place of a report that hung too long.
      const hung = hanging.requests.filter(({ path }) => path === REPORTS);
      expect(hung.length).toBeGreaterThan(0);
      expect(hung.filter(({ wasGivenUp }) => wasGivenUp)).toEqual([]);
    } finally {
      hanging.answer();
      await advancing;
    }
    // A loaded machine may take long. What waits for the servers that hang would not come at all, because they answer last.
    if (isLong) for (const delay of delays) expect(delay).toBeLessThan(SOON);
  });

  // Half of the file's processor time. How tabs take turns is tried in unit tests, too.
  if (isLong)
    it('with 20 frames of 200 messages each leaves the eligible header to the links of another page', async () => {
      const { sites } = world;
      // Each of a site of its own, because the messages of one are counted together.
      const frames = Array.from({ length: FRAMES }, (_, index) => {
        const script = `<script>(${declare.toString()})(${MESSAGES})</script>`;
        return `<iframe src="${sites.page(`frame-${index}`, script)}"></iframe>`;
      });
      const landings = ['first', 'second', 'third'].map((name) => sites.page('shop', name));
      const links = landings.map((url) => `<a attributionsrc href="${url}">an ad</a>`);
      const visits: Page[] = [];
      for (const link of links) visits.push(await world.open('publisher', link));
      await attack('besieger', 5);
      const attackers = await world.open('assailant', frames.join(''));
      const first = attackers.frames().find((frame) => frame.url().includes('frame-0.'));
      // It has begun, and will go on while the links are clicked.
      await waitFor('the attack', () => first?.evaluate(() => document.images.length > 0) ?? false);
      const clicked: string[] = [];
      for (const [index, page] of visits.entries()) {
        await page.bringToFront();
        await clickSlowly(page);
        const request = sites.received('shop').find(({ path }) => landings[index]?.endsWith(path));
        clicked.push(String(request?.headers['attribution-reporting-eligible']));
      }
      for (const header of clicked) expect(header).toContain('navigation-source');
    });

  itInSoak('by clicks whose servers hang delays no conversion in another tab', async () => {
    const { sites, extension } = world;
    const slow = sites.serve('adtech', '/in-the-tab', { headers: trigger(0) });
    const prompt = sites.serve('adtech', '/elsewhere', { headers: trigger(1) });
    const link = `<a attributionsrc="${hanging.origin}/" href="${sites.page('mall', '')}">an ad</a>`;
    // What the test before left is registered first. It would take longer than a conversion waits for a click.
    const own = await extension.page();
    await waitFor(
      'an empty inbox',
      async () => (await own.evaluate(countRows, 'inbox'))['inbox'] === undefined,
    );
    const shop = await world.open('shop', '');
    // Not a site that attacked before: its own limits are used up.
    const mall = await world.open('magazine', link);
    await Promise.all([mall.waitForNavigation(), mall.click('a')]);
    await waitFor('the request of the click', () => hanging.requests.length > 0);
    // At once, from pages that are there.
    await mall.evaluate(convertBy, slow);
    await shop.evaluate(convertBy, prompt);
    const both = ['trigger 1 on shop by adtech', 'trigger 0 on mall by adtech'];
    const seen = async (): Promise<readonly string[]> => {
      const log = [...(await extension.trace())].sort((a, b) => a.id - b.id);
      return log.map(inWords).filter((words) => both.includes(words));
    };
    await waitFor('both conversions', async () => (await seen()).length === both.length);
    expect(await seen()).toEqual(both);
  });

  it('loses nothing that was seen when the background dies amid it', async () => {
    const { sites, extension } = world;
    const count = 150;
    const pixels = Array.from({ length: count }, (_, index) => {
      const headers = trigger(index);
      return `<img src="${sites.serve('adtech', `/seen-${index}`, { headers })}">`;
    });
    await extension.page();
    await world.open('shop', pixels.join(''));
    // The browser may tell the background of the last responses a little after the page.
    await sleep(1000);
    await extension.stopWorker();
    const before = (await world.recorded()).length;
    const all = async (): Promise<boolean> => (await world.recorded()).length === count;
    await waitFor('all to be recorded', all).catch(async (error: unknown) => {
      throw new Error(`${(await world.recorded()).length} of ${count}, ${before} at first`, { cause: error });
    });
  });
});
