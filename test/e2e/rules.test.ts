import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'puppeteer-core';
import type { RecordingRule } from '../../recording/recording-rule';
import { waitFor } from '../../scenarios/kit';
import { inWords } from './helpers/registrations';
import { browsersOfRun, itInSoak, useWorld } from './helpers/world';

/** A machine that is too slow for each of them fails the test, and says so. */
const MOST_GLIMPSES = 10;

interface ExtensionGlobals {
  readonly browser?: ScriptingApi;
  readonly chrome?: ScriptingApi;
}

interface ScriptingApi {
  readonly scripting: { getRegisteredContentScripts(filter: object): Promise<readonly unknown[]> };
}

const extract = (selector: string | null, attribute: string | null, as: string): object => ({
  $extract: { selector, attribute, as },
});

describe.each(browsersOfRun)('recording rules (%s)', (name) => {
  const world = useWorld(name);

  const origin = (site: string): string => world.sites.origin(site);

  const adRule = (changes: Partial<RecordingRule>): RecordingRule => ({
    id: 'ad',
    matches: [`${origin('publisher')}/*`],
    selector: '.ad',
    on: 'viewable',
    register: 'source',
    reportingOrigin: origin('adtech'),
    registration: {
      source_event_id: extract(null, 'data-campaign', 'text'),
      destination: extract(null, 'href', 'origin'),
    } as RecordingRule['registration'],
    ...changes,
  });

  const orderRule = (changes: Partial<RecordingRule>): RecordingRule => ({
    id: 'order',
    matches: [`${origin('shop')}/*`],
    selector: null,
    on: 'visit',
    register: 'trigger',
    reportingOrigin: origin('adtech'),
    registration: {
      event_trigger_data: [{ trigger_data: '4', value: extract('.total', null, 'money') }],
    } as RecordingRule['registration'],
    ...changes,
  });

  /** Resolves when pages opened from now on know the rules. */
  const use = async (...rules: RecordingRule[]): Promise<void> => {
    await world.extension.settings({ rules });
    const own = await world.extension.page();
    const registered = (): Promise<number> =>
      own.evaluate(async () => {
        const { browser, chrome } = globalThis as ExtensionGlobals;
        const filter = { ids: ['recording-rules'] };
        return ((await (browser ?? chrome)?.scripting.getRegisteredContentScripts(filter)) ?? []).length;
      });
    await waitFor('the script for rules', async () => (await registered()) === 1);
  };

  const ad = (campaign = 77): string =>
    `<a class="ad" id="it" data-campaign="${campaign}" href="${origin('shop')}/thing" style="display:block;width:300px;height:250px;background:teal"></a>`;

  const scrollTo = (page: Page, top: number): Promise<void> =>
    page.evaluate((y) => window.scrollTo({ top: y, behavior: 'instant' }), top);

  /** Scrolls there and back, and resolves to the time between in ms. */
  const glimpse = (page: Page, top: number): Promise<number> =>
    page.evaluate(async (y) => {
      const start = performance.now();
      window.scrollTo({ top: y, behavior: 'instant' });
      await new Promise((resolve) => setTimeout(resolve, 400));
      window.scrollTo({ top: 0, behavior: 'instant' });
      return performance.now() - start;
    }, top);

  it('count an element once it was viewable for a second, and once only', async () => {
    await use(adRule({}));
    // The ad begins 3 000 pixels down; the window is 800 high.
    const openFarAway = async (campaign: number): Promise<Page> => {
      const opened = await world.open(
        'publisher',
        `<div style="height:3000px"></div>${ad(campaign)}<div style="height:3000px">`,
      );
      await opened.evaluate(() => (document.body.style.margin = '0'));
      return opened;
    };
    let campaign = 1;
    let page = await openFarAway(campaign);
    // On a loaded machine, it may be in view for a second after all. Then it counts, perhaps only later: the next ad is another one.
    while ((await glimpse(page, 2600)) > 800) {
      if (campaign === MOST_GLIMPSES) throw new Error('the machine is too slow for a glimpse of 800 ms');
      page = await openFarAway(++campaign);
    }
    const ofAd = `event source ${campaign} on publisher by adtech`;
    const recorded = async (): Promise<readonly string[]> =>
      (await world.recorded()).filter((words) => words === ofAd);
    // 100 of its 250 pixels are less than half.
    await scrollTo(page, 2300);
    await sleep(1500);
    expect(await recorded()).toEqual([]);
    const inView = (await world.extension.overview()).now;
    await scrollTo(page, 2600);
    await waitFor('the ad', async () => (await recorded()).length > 0);
    const entry = (await world.extension.trace()).find((one) => inWords(one) === ofAd);
    expect(Number(entry?.['time']) - inView).toBeGreaterThanOrEqual(1000);
    await scrollTo(page, 0);
    await scrollTo(page, 2600);
    await sleep(1500);
    expect(await recorded()).toHaveLength(1);
  });

  it('count what was in view without area once it is filled, also where one is in another', async () => {
    await use(adRule({}));
    const nested = (campaign: number, inner: string): string =>
      `<a class="ad" data-campaign="${campaign}" href="${origin('shop')}/thing">${inner}</a>`;
    const inner = nested(2, '<b><i id="it"></i></b>').replaceAll(/(<\/?)a\b/g, '$1span');
    const page = await world.open('publisher', nested(1, inner));
    await sleep(300);
    await page.evaluate(() => {
      const { style } = document.querySelector('#it') as HTMLElement;
      style.cssText = 'display:inline-block;width:300px;height:250px;background:teal';
    });
    expect(await world.waitForRecorded(2)).toHaveLength(2);
  });

  it('count a click of a person, not one of a script', async () => {
    await use(adRule({ on: 'click' }));
    const shop = world.sites.serve('shop', '/thing', { body: 'Welcome' });
    await world.open('publisher', `${ad()}<script>onload = () => setTimeout(() => it.click())</script>`);
    await waitFor('the way to the shop', () => world.sites.received('shop', '/thing').length === 1);
    const page = await world.open('publisher', ad());
    await Promise.all([page.waitForNavigation(), page.click('#it')]);
    expect(page.url() === shop || world.name === 'firefox').toBe(true);
    expect(await world.waitForRecorded(1)).toEqual(['navigation source 77 on publisher by adtech']);
  });

  it('count a visit of the pages they name, and of no other', async () => {
    await use(orderRule({ matches: [`${origin('shop')}/thanks*`] }));
    const total = '<p class="total">Total: € 1.234,50</p>';
    await world.open('shop', total);
    await world.open('blog', total);
    const headers = { 'Content-Type': 'text/html' };
    await world.visit(world.sites.serve('blog', '/thanks', { headers, body: total }));
    await world.visit(world.sites.serve('shop', '/thanks?order=1', { headers, body: total }));
    expect(await world.waitForRecorded(1)).toEqual(['trigger 4 on shop by adtech']);
    const [entry] = await world.extension.trace();
    expect(JSON.parse(String(entry?.['header']))).toEqual({
      // € 1.234,50 in cents.
      event_trigger_data: [{ trigger_data: '4', value: 123_450 }],
    });
    expect(entry).toMatchObject({ via: 'order', contextSite: 'http://shop.localhost' });
  });

  it('count a form that is submitted, with what is in it', async () => {
    await use(orderRule({ selector: 'form', on: 'submit' }));
    world.sites.serve('shop', '/order', { body: 'Thanks' });
    const page = await world.open(
      'shop',
      `<p class="total">1</p>
       <form method="post" action="/order"><b class="total">$1,204.5</b><button id="it">Order</button></form>`,
    );
    await Promise.all([page.waitForNavigation(), page.click('#it')]);
    await world.waitForRecorded(1);
    const [entry] = await world.extension.trace();
    expect(JSON.parse(String(entry?.['header']))).toEqual({
      event_trigger_data: [{ trigger_data: '4', value: 120_450 }],
    });
  });

  itInSoak('are refused like a header when the page lacks what they look for', async () => {
    await use(adRule({ on: 'visit', selector: null }));
    await world.open('publisher', '');
    await world.waitForRecorded(1);
    const [entry] = await world.extension.trace();
    expect(entry).toMatchObject({
      kind: 'refused',
      via: 'ad',
      errors: [{ code: 'missing-field', values: { name: 'destination' } }],
    });
    expect(await world.extension.sources()).toEqual([]);
  });

  itInSoak('that make no sense are not taken into the settings', async () => {
    await expect(
      world.extension.settings({ rules: [adRule({ matches: ['shop.example'] })] }),
    ).rejects.toThrow(/^rules\[0\]\.matches\[0\]: must be a match pattern/);
    await expect(world.extension.settings({ rules: [adRule({ selector: null })] })).rejects.toThrow(
      /^rules\[0\]: must have a selector/,
    );
    expect(await world.extension.send({ kind: 'get-settings' })).toMatchObject({ rules: [] });
  });
});
