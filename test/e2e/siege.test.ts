import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'puppeteer';
import { waitFor } from '../../scenarios/kit';
import { HoldingServer } from './helpers/holding-server';
import { source, trigger } from './helpers/registrations';
import { besiege } from './helpers/siege';
import { browsers, useWorld } from './helpers/world';

const DAY = 86_400_000;
const REPORTS = '/.well-known/attribution-reporting/report-event-attribution';

/** In ms. On an idle machine each takes a tenth of this. */
const SOON = 5000;

describe.each(browsers)('a siege (%s)', (name) => {
  const world = useWorld(name, { idleTimeout: 5000 });

  /** How long it takes, in ms, until `done` holds. */
  const timeUntil = async (what: string, done: () => Promise<boolean> | boolean): Promise<number> => {
    const start = performance.now();
    await waitFor(what, done, { timeout: 30_000 });
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

  /** A page that asks for `messages` × 20 registrations at once. */
  const flood = async (site: string, messages: number): Promise<Page> => {
    const { sites } = world;
    const urls = Array.from({ length: 20 }, (_, index) =>
      sites.serve('floodtech', `/${site}-${index}`, { headers: source(index, sites.origin('mall')) }),
    );
    const page = await world.open(site, '');
    await page.evaluate(
      (all, count) => {
        for (let index = 0; index < count; index++)
          document.body.appendChild(new Image()).setAttribute('attributionsrc', all.join(' '));
      },
      urls,
      messages,
    );
    return page;
  };

  it('by floods of attributionsrc leaves an ad on another page to be recorded soon', async () => {
    await flood('flooder', 200);
    expect(await seeHonestAd()).toBeLessThan(SOON);
  });

  it('leaves the eligible header to the links of another page', async () => {
    await besiege(world, 'besieger', 40);
    const { sites } = world;
    const landing = sites.page('shop', '');
    const page = await world.open('publisher', `<a attributionsrc href="${landing}">an ad</a>`);
    const link = await page.waitForSelector('a');
    await link?.hover();
    await page.mouse.down();
    await sleep(1000);
    const arrived = page.waitForNavigation();
    await page.mouse.up();
    await arrived;
    const [request] = sites.received('shop').filter(({ path }) => landing.endsWith(path));
    expect(request?.headers['attribution-reporting-eligible']).toContain('navigation-source');
  });

  it('by servers that hang leaves the reports of others to be sent at once', async () => {
    const { extension, sites } = world;
    const hanging = await HoldingServer.start();
    const register = async (id: number, reportingOrigin: string): Promise<void> => {
      const headers = { source_event_id: String(id), destination: sites.origin('shop') };
      await extension.register('event', headers, {
        contextOrigin: sites.origin('publisher'),
        reportingOrigin,
      });
      const conversion = { event_trigger_data: [{ trigger_data: '0' }] };
      await extension.register('trigger', conversion, {
        contextOrigin: sites.origin('shop'),
        reportingOrigin,
      });
    };
    for (let id = 0; id < 40; id++)
      await register(id, hanging.origin.replace('holding', `holding-${id % 8}`));
    await register(40, sites.origin('adtech'));
    const advancing = extension.advance(31 * DAY);
    try {
      const isSent = (): boolean => sites.received('adtech', REPORTS).length > 0;
      expect(await timeUntil('the honest report', isSent)).toBeLessThan(SOON);
    } finally {
      hanging.answer();
      await advancing;
      await hanging.close();
    }
    expect(await extension.reports()).toEqual([]);
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
    await waitFor('all to be recorded', all, { timeout: 30_000 }).catch(async (error: unknown) => {
      throw new Error(`${(await world.recorded()).length} of ${count}, ${before} at first`, { cause: error });
    });
  });
});
