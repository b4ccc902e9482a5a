import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'puppeteer-core';
import { waitFor } from '../../scenarios/kit';
import { english } from '../../words/english';
import { badgesOf } from './helpers/badges';
import { HoldingServer } from './helpers/holding-server';
import { source, trigger } from './helpers/registrations';
import { ScriptedServer } from './helpers/scripted-server';
import { browsers, browsersOfRun, isLong, useWorld } from './helpers/world';

const script = (code: string): string => `<script>${code}</script>`;

const element = (id: number, url: string): string =>
  `const image${id} = new Image(); image${id}.setAttribute('attributionsrc', '${url}'); document.body.append(image${id});`;

/** As a person clicks: the button of the mouse stays down for a moment. */
const human = { delay: 120 };

/** Of pages whose requests must not be lost as they leave. */
const VISITS = isLong ? 8 : 2;

describe.each(browsers)('what pages do while they leave, and where the browser says little (%s)', (name) => {
  const world = useWorld(name, { idleTimeout: 2000 });
  /** What our own code decides of what the browser tells in the other tests, too. */
  const triesAll = browsersOfRun.includes(name);

  const serveSource = (id: number): string =>
    world.sites.serve('adtech', `/s${id}`, { headers: source(id, world.sites.origin('shop')) });

  const serveTrigger = (id: number): string =>
    world.sites.serve('adtech', `/t${id}`, { headers: trigger(id) });

  const nextPage = (): string => world.sites.page('bank', 'bank');

  const openWithFrame = (frameBody: string, attributes = ''): Promise<Page> =>
    world.open('publisher', `<iframe ${attributes} src="${world.sites.page('adtech', frameBody)}"></iframe>`);

  it.each(triesAll ? ['pagehide', 'visibilitychange'] : ['pagehide'])(
    'attributionsrc of a page in %s counts on that page',
    async (event) => {
      const page = await world.open(
        'publisher',
        script(
          `document.defaultView.addEventListener('${event}', () => { ${element(1, serveSource(1))} }, true);`,
        ),
      );
      await page.goto(nextPage());
      expect(await world.waitForRecorded(1)).toEqual(['event source 1 on publisher by adtech']);
    },
  );

  // Firefox itself requests no image of `beforeunload`.
  it.each(name === 'chrome' ? ['beforeunload', 'pagehide'] : ['pagehide'])(
    'the src of an eligible img in %s counts on that page',
    async (event) => {
      const page = await world.open(
        'publisher',
        script(`addEventListener('${event}', () => {
          const image = new Image();
          image.setAttribute('attributionsrc', '');
          document.body.append(image);
          image.src = '${serveSource(17)}';
        });`),
      );
      await page.goto(nextPage());
      expect(await world.waitForRecorded(1)).toEqual(['event source 17 on publisher by adtech']);
    },
  );

  // docs/ways.md, "A page that is left".
  it('an eligible img that is answered after its page was left counts there, unless the browser cancels it', async () => {
    const server = await ScriptedServer.start('adtech', (path) => ({
      after: 1500,
      headers: {
        'Content-Type': 'image/svg+xml',
        ...source(Number(path.slice(1)), world.sites.origin('shop')),
      },
      body: '<svg xmlns="http://www.w3.org/2000/svg"/>',
    }));
    try {
      const page = await world.browser.newPage();
      const body = `<img attributionsrc src="${server.origin}/6"><img attributionsrc="${server.origin}/7">`;
      await page.goto(world.sites.page('publisher', body), { waitUntil: 'domcontentloaded', timeout: 0 });
      await waitFor('the requests', () => server.received.length === 2);
      await page.goto(nextPage(), { timeout: 0 });
      const expected = (name === 'chrome' ? [6, 7] : [7]).map(
        (id) => `event source ${id} on publisher by adtech`,
      );
      expect(await world.waitForRecorded(expected.length)).toEqual(expected);
      expect(await badgesOf(world.extension, 'http://bank')).toEqual(['']);
      await page.close();
    } finally {
      await server.close();
    }
  });

  if (triesAll)
    it('a click counts on the button for the page that it leads to, not for the next one', async () => {
      // So slow that the click's source is registered before, and left before the count is shown.
      const slow = await ScriptedServer.start('shop', () => ({
        after: 1000,
        headers: { 'Content-Type': 'text/html' },
        body: script(`setTimeout(() => { location.href = '${nextPage()}'; }, 100);`),
      }));
      try {
        const to = world.sites.redirect('adtech', `${slow.origin}/`, { headers: source(19, slow.origin) });
        const page = await world.open('publisher', `<a id="it" attributionsrc href="${to}">Buy</a>`);
        await page.click('#it', human);
        expect(await world.waitForRecorded(1)).toEqual(['navigation source 19 on publisher by adtech']);
        await waitFor('the next page', () => page.url().startsWith('http://bank'));
        await sleep(2000);
        expect(await badgesOf(world.extension, 'http://bank')).toEqual(['']);
        await page.close();
      } finally {
        await slow.close();
      }
    });

  if (triesAll)
    it('what a page registers late counts on the button for that page, not for the next one', async () => {
      // The page's own trigger waits for the source of the click that led to its tab.
      const slow = await ScriptedServer.start('adtech', () => ({
        after: 1500,
        headers: source(20, world.sites.origin('shop')),
      }));
      try {
        const shop = world.sites.serve('shop', '/late', {
          headers: { 'Content-Type': 'text/html', ...trigger(20) },
          body: script(`addEventListener('click', () => { location.href = '${nextPage()}'; });`),
        });
        // What a click itself requests is not eligible for triggers.
        const way = world.sites.page('adtech', script(`location.href = '${shop}';`));
        const link = `<a id="it" target="_blank" attributionsrc="${slow.origin}/" href="${way}">Buy</a>`;
        const page = await world.open('publisher', link);
        await page.click('#it', human);
        expect(await world.waitForRecorded(2)).toEqual([
          'navigation source 20 on publisher by adtech',
          'trigger 20 on shop by shop',
        ]);
        const opened = (await world.browser.pages()).find((one) => one.url() === shop);
        await opened?.evaluate(() => document.body.click());
        await waitFor('the next page', () => opened?.url().startsWith('http://bank') === true);
        await sleep(2000);
        expect(await badgesOf(world.extension, 'http://bank')).toEqual(['']);
        await opened?.close();
        await page.close();
      } finally {
        await slow.close();
      }
    });

  it('an img in pagehide is requested, and counts on that page, although the background sleeps', async () => {
    const visit = async (): Promise<void> => {
      const page = await world.open(
        'publisher',
        script(`addEventListener('pagehide', () => { new Image().src = '${serveTrigger(18)}'; });`),
      );
      await world.extension.stopWorker();
      await page.goto(nextPage());
    };
    const recorded = async (): Promise<readonly string[] | null> => {
      const found = await world.recorded();
      return found.length > 0 ? found : null;
    };
    // Chrome loses some of these with every extension that listens to responses (docs/requests.md).
    const most = name === 'chrome' ? 30 : 1;
    let found: readonly string[] | null = null;
    for (let visits = 1; found === null && visits <= most; visits++) {
      await visit();
      const timeout = visits < most ? 5000 : 60_000;
      found = await waitFor('the trigger', recorded, { timeout }).catch(() => null);
    }
    expect(new Set(found)).toEqual(new Set(['trigger 18 on publisher by adtech']));
  });

  it('a beacon and a keepalive request of a frame in pagehide count on the page around it', async () => {
    const page = await openWithFrame(
      script(`addEventListener('pagehide', () => {
        navigator.sendBeacon('${serveTrigger(2)}');
        fetch('${serveTrigger(3)}', { keepalive: true });
      });`),
    );
    await page.goto(nextPage());
    expect(await world.waitForRecorded(2)).toEqual([
      'trigger 2 on publisher by adtech',
      'trigger 3 on publisher by adtech',
    ]);
  });

  it('an eligible keepalive request in pagehide arrives, with the header, each time', async () => {
    const eligible = '{ eventSourceEligible: true, triggerEligible: false }';
    for (let visit = 1; visit <= VISITS; visit++) {
      const page = await world.open(
        'publisher',
        script(`addEventListener('pagehide', () =>
          fetch('${serveSource(visit)}', { keepalive: true, attributionReporting: ${eligible} }));`),
      );
      await page.goto(nextPage());
      // A loaded browser runs the listener after the next page is there, and never if its tab is closed before.
      await waitFor('the request', () => world.sites.received('adtech').length === visit);
      await page.close();
    }
    expect(await world.waitForRecorded(VISITS)).toEqual(
      Array.from({ length: VISITS }, (_, index) => `event source ${index + 1} on publisher by adtech`),
    );
    for (const { headers } of world.sites.received('adtech'))
      expect(headers).toMatchObject({ 'attribution-reporting-eligible': 'event-source' });
  });

  it('keepalive requests that are answered when the tab is closed count on their page', async () => {
    const held = await HoldingServer.start({
      ...trigger(16),
      'Access-Control-Allow-Origin': '*',
    });
    const page = await world.open(
      'publisher',
      script(
        `addEventListener('pagehide', () => { fetch('${held.origin}/asked', { keepalive: true }); navigator.sendBeacon('${held.origin}/sent'); });`,
      ),
    );
    await page.goto(nextPage());
    await waitFor('both requests', () => held.requests.length === 2);
    await page.close();
    held.answer();
    expect(await world.waitForRecorded(2)).toEqual([
      'trigger 16 on publisher by holding',
      'trigger 16 on publisher by holding',
    ]);
  });

  if (triesAll)
    it('a request with the option is sent at once, as it is without', async () => {
      const url = world.sites.serve('publisher', '/asked', { headers: trigger(4) });
      const page = await world.open('publisher', '');
      // The page blocks the event loop until three other requests are answered.
      await page.evaluate((asked) => {
        void fetch(asked, {
          attributionReporting: { eventSourceEligible: false, triggerEligible: true },
        } as RequestInit);
        for (const path of ['/1', '/2', '/3']) {
          const request = new XMLHttpRequest();
          request.open('GET', path, false);
          request.send();
        }
      }, url);
      expect(await world.waitForRecorded(1)).toEqual(['trigger 4 on publisher by publisher']);
      const order = world.sites.received('publisher').map(({ path }) => path);
      expect(order.indexOf('/asked')).toBeLessThan(order.indexOf('/3'));
    });

  it('a frame that asks in pagehide after the background slept counts on the page around it', async () => {
    const body = script(
      `addEventListener('pagehide', () => fetch('${serveTrigger(15)}', { keepalive: true }));`,
    );
    const asked = (): boolean => world.sites.received('adtech').some(({ path }) => path === '/t15');
    // Chrome on a loaded machine ends some frames before they run pagehide. Then nothing is sent.
    await waitFor('a frame to ask', async () => {
      const page = await openWithFrame(body);
      await world.extension.stopWorker();
      await page.goto(nextPage());
      return waitFor('its request', asked, { timeout: 10_000 }).catch(() => null);
    });
    expect(new Set(await world.waitForRecorded(1))).toEqual(new Set(['trigger 15 on publisher by adtech']));
  });

  if (triesAll)
    it('a frame that may not register may not from its next document, either, after the background slept', async () => {
      const page = await openWithFrame('', 'id="frame" allow="attribution-reporting \'none\'"');
      const next = world.sites.page('adtech', `<img src="${serveTrigger(17)}">`);
      const frame = await (await page.waitForSelector('#frame'))?.contentFrame();
      await world.extension.stopWorker();
      await frame?.evaluate((url) => void (location.href = url), next).catch(() => undefined);
      await waitFor('the reason', async () => (await world.ignored()).length > 0);
      expect(await world.recorded()).toEqual([]);
    });

  // These pages stay.
  if (!triesAll) return;

  describe('a page whose service worker passes requests on', () => {
    const openServed = async (body: string): Promise<Page> => {
      world.sites.serve('publisher', '/worker.js', {
        headers: { 'Content-Type': 'text/javascript' },
        body: `addEventListener('install', () => skipWaiting());
               addEventListener('activate', (event) => event.waitUntil(clients.claim()));
               addEventListener('fetch', (event) => event.respondWith(fetch(event.request)));`,
      });
      const page = await world.open('publisher', '');
      await page.evaluate(async () => {
        await navigator.serviceWorker.register('/worker.js');
        if (navigator.serviceWorker.controller === null)
          await new Promise((resolve) =>
            navigator.serviceWorker.addEventListener('controllerchange', resolve),
          );
      });
      await page.goto(world.sites.page('publisher', body));
      return page;
    };

    afterEach(async () => {
      const page = await world.open('publisher', '');
      await page.evaluate(async () => {
        for (const registration of await navigator.serviceWorker.getRegistrations())
          await registration.unregister();
      });
    });

    it('registers elements, calls of fetch and trigger pixels', async () => {
      await openServed(
        `<img attributionsrc src="${serveSource(5)}"><img src="${serveTrigger(6)}">
         ${script(`fetch('${serveSource(7)}', { attributionReporting: { eventSourceEligible: true, triggerEligible: false } })`)}`,
      );
      expect(await world.waitForRecorded(3)).toEqual([
        'event source 5 on publisher by adtech',
        'event source 7 on publisher by adtech',
        'trigger 6 on publisher by adtech',
      ]);
    });

    it('in frames of two pages is logged where the page is unknown', async () => {
      const own = await openServed('');
      await world.open('other', `<iframe src="${world.sites.page('publisher', 'frame')}"></iframe>`);
      const url = serveTrigger(8);
      await own.evaluate((asked) => void fetch(asked), url);
      await waitFor('the reason', async () =>
        (await world.ignored()).includes(english.mistakeText({ code: 'page-unknown', values: {} })),
      );
      expect(await world.recorded()).toEqual([]);
    });
  });

  describe('a frame in a sandbox without an origin', () => {
    const sandbox = 'id="frame" sandbox="allow-scripts allow-popups allow-top-navigation"';

    it('registers images, calls of fetch and trigger pixels for the page around it', async () => {
      await openWithFrame(
        `<img attributionsrc="${serveSource(9)}"><img attributionsrc src="${serveSource(10)}"><img src="${serveTrigger(11)}">
         ${script(`fetch('${serveSource(12)}', { attributionReporting: { eventSourceEligible: true, triggerEligible: false } })`)}`,
        sandbox,
      );
      expect(await world.waitForRecorded(4)).toEqual([
        'event source 10 on publisher by adtech',
        'event source 12 on publisher by adtech',
        'event source 9 on publisher by adtech',
        'trigger 11 on publisher by adtech',
      ]);
    });

    it.each(['_blank', '_top'])('registers a click that opens %s, and its redirects', async (target) => {
      const landing = world.sites.page('shop', 'Welcome');
      const hop = world.sites.redirect('adtech', landing, {
        headers: source(13, world.sites.origin('shop')),
      });
      const page = await openWithFrame(
        `<a id="it" attributionsrc="${serveSource(14)}" href="${hop}" target="${target}">Buy</a>`,
        sandbox,
      );
      const frame = await (await page.waitForSelector('#frame'))?.contentFrame();
      const link = await frame?.waitForSelector('#it');
      await link?.click(human);
      expect(await world.waitForRecorded(2)).toEqual([
        'navigation source 13 on publisher by adtech',
        'navigation source 14 on publisher by adtech',
      ]);
    });
  });
});
