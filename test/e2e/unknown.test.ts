import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'puppeteer-core';
import { DECLARATION_TIME } from '../../recording/requests';
import { waitFor, type BrowserName } from '../../scenarios/kit';
import { english } from '../../words/english';
import { frameRaces, pageTools, type FrameRace } from './helpers/frame-races';
import { HoldingServer } from './helpers/holding-server';
import { source, trigger } from './helpers/registrations';
import { both, happenings, scenes, type Happening, type Scene, type Stage } from './helpers/unknown-scenes';
import { browsers, browsersOfRun, isLong, useWorld } from './helpers/world';
import type { PlaceUnknown } from '../unit/helpers/unknowns';

const NONE = "attribution-reporting 'none'";
const NOBODY = { 'Permissions-Policy': 'attribution-reporting=()' };
const unknownPage = english.mistakeText({ code: 'page-unknown', values: {} });
const forbidden = 'the Permissions Policy of the page or of a frame forbids attribution-reporting';

const script = (code: string): string => `<script>${code}</script>`;

type Races = Readonly<Record<PlaceUnknown, Readonly<Record<string, () => Promise<void>>>>>;

interface InBrowser {
  readonly name: BrowserName;
  /** By what is missing: each kind of it has at least one race, of which the first is tried in both browsers. The name of a test is what happens. */
  readonly races: Races;
  /** Plays a scene, has something happen before its answer, and expects that nothing registers. */
  readonly interrupt: (scene: Scene, happen: Happening) => Promise<void>;
  /** Erases everything between two requests of a page, and stops the background before their answers. */
  readonly erase: () => Promise<void>;
}

/** To be called once for a browser. */
function inBrowser(name: BrowserName): InBrowser {
  const world = useWorld(name, { idleTimeout: 2000 });

  /** Serves an ad that registers in all three ways, from `id` on. */
  const serveAd = (id: number): string => {
    const { sites } = world;
    const shop = sites.origin('shop');
    const [own, element, called] = [0, 1, 2].map((way) =>
      sites.serve('adtech', `/s${id + way}`, { headers: source(id + way, shop) }),
    );
    const pixel = sites.serve('adtech', `/t${id}`, { headers: trigger(id) });
    return `<img attributionsrc="${own}"><img attributionsrc src="${element}"><img src="${pixel}">
      ${script(`const loaded = new Promise((resolve) => (onload = resolve));
        fetch('${called}', { attributionReporting: { eventSourceEligible: true, triggerEligible: false } })
          .finally(() => loaded.then(() => parent.postMessage('answered', '*')));`)}`;
  };

  const registeredBy = (id: number, site = 'publisher'): readonly string[] =>
    [
      ...[0, 1, 2].map((way) => `event source ${id + way} on ${site} by adtech`),
      `trigger ${id} on ${site} by adtech`,
    ].sort();

  /** Of requests that begin while the background starts, Chrome may tell only the answers, and their sources are refused. */
  const openHonest = async (): Promise<void> => {
    await world.extension.trace();
    await world.open('honest', serveAd(9000));
  };

  /** All that an honest page's ad registers, so that what the others made has arrived, too. */
  const expectBeside = async (expected: readonly string[]): Promise<void> => {
    await openHonest();
    const all = [...expected, ...registeredBy(9000, 'honest')].sort();
    await world.waitForRecorded(all.length);
    expect(await world.recorded()).toEqual(all);
  };

  const waitForReason = (reason: string): Promise<unknown> =>
    waitFor('the reason', async () => (await world.ignored()).includes(reason));

  /** A page whose frame may not register, and which is busy for some ms after it made the frame. */
  const openBusy = async (ms: number, afterwards = ''): Promise<Page> => {
    const url = world.sites.page('frame', serveAd(10));
    const page = await world.open('publisher', '');
    const code = `${pageTools} frame(${JSON.stringify(NONE)}, '${url}'); setTimeout(() => { busy(${ms}); ${afterwards} }, 20);`;
    await page.evaluate((text) => {
      const element = document.createElement('script');
      element.textContent = text;
      document.body.append(element);
    }, code);
    // Firefox loads nothing while the page is busy, and perhaps nothing before it leaves.
    const isThere = (): boolean =>
      world.sites.received('adtech', '/t10').length > 0 || page.url().startsWith(world.sites.origin('bank'));
    await waitFor('the frame', isThere, { timeout: 4000 }).catch(() => undefined);
    return page;
  };

  const races: Races = {
    'place frame-attribute': {
      'its frames are made in ways that keep their attribute unknown for a while': async () => {
        const hop = world.sites.page(
          'frame',
          script('location.href = decodeURIComponent(location.search.slice(1))'),
          '/hop',
        );
        // On a page of their own: in Chrome, elements without a URL cannot be told from each other.
        const open = async (
          tried: readonly FrameRace[],
          allow: string | null,
          first: number,
        ): Promise<void> => {
          const calls = tried.map(({ make }, index) => {
            const given = { allow, url: world.sites.page('frame', serveAd(first + 10 * index)) };
            return `await (async ({ allow, url }) => { ${make} })(${JSON.stringify(given)}); await sleep(20);`;
          });
          const code = `${pageTools} const hop = '${hop}'; (async () => { ${calls.join('\n')} document.title = 'done'; })();`;
          const page = await world.open('publisher', script(code));
          await page.waitForFunction(() => document.title === 'done');
        };
        const triesAll = browsersOfRun.includes(name);
        const forbiddenOnes = triesAll ? frameRaces : frameRaces.filter(({ isOurs }) => isOurs !== true);
        await open(forbiddenOnes, NONE, 1000);
        // Without the attribute, they register. The long form tries that, and ways.test.ts of other frames.
        const allowedOnes = isLong ? frameRaces : [];
        if (isLong) await open(allowedOnes, null, 2000);
        const honest = allowedOnes.flatMap((_race, index) => registeredBy(2000 + 10 * index));
        await world.waitForRecorded(honest.length);
        await expectBeside(honest);
        await waitFor('the reasons', async () => {
          const log = await world.extension.trace();
          return log.filter(({ kind }) => kind === 'ignored').length >= 4 * forbiddenOnes.length;
        });
      },
      'the page leaves after it was busy': async () => {
        await openBusy(1000, `location.href = '${world.sites.page('bank', 'bank')}'`);
        await expectBeside([]);
      },
      'the tab is closed while the page is busy': async () => {
        const page = await openBusy(1500);
        await page.close();
        await expectBeside([]);
      },
      'the background is stopped while the page is busy': async () => {
        await openBusy(name === 'chrome' ? 1500 : 3500);
        await world.extension.stopWorker();
        await expectBeside([]);
      },
      'the document was opened anew by a script': async () => {
        const [ad, other] = [10, 50].map((id) => world.sites.page('frame', serveAd(id)));
        const written = `<iframe allow="${NONE}" src="${ad}"></iframe><iframe src="${other}"></iframe>`;
        await world.open(
          'publisher',
          script(`${pageTools} setTimeout(() => {
            document.open(); document.write(${JSON.stringify(written)}); document.close(); busy(500);
          }, 200);`),
        );
        await world.waitForRecorded(4);
        await expectBeside(registeredBy(50));
      },
    },
    'place response': {
      'a service worker answers': async () => {
        const { sites } = world;
        sites.serve('publisher', '/worker.js', {
          headers: { 'Content-Type': 'text/javascript' },
          body: `addEventListener('install', () => skipWaiting());
                 addEventListener('activate', (event) => event.waitUntil(clients.claim()));
                 const made = (text) => new Response(text, { headers: { 'Content-Type': 'text/html' } });
                 addEventListener('fetch', (event) => {
                   if (event.request.mode !== 'navigate') return;
                   const isMade = event.request.url.endsWith('/made');
                   event.respondWith(isMade ? fetch('/body').then(async (body) => made(await body.text())) : fetch(event.request));
                 });`,
        });
        const headers = { 'Content-Type': 'text/html' };
        sites.serve('publisher', '/body', { headers, body: serveAd(30) });
        sites.serve('publisher', '/policy', { headers: { ...headers, ...NOBODY }, body: serveAd(10) });
        sites.serve('publisher', '/passed', { headers, body: serveAd(50) });
        const page = await world.open('publisher', '');
        await page.evaluate(async () => {
          await navigator.serviceWorker.register('/worker.js');
          if (navigator.serviceWorker.controller === null)
            await new Promise((resolve) =>
              navigator.serviceWorker.addEventListener('controllerchange', resolve),
            );
        });
        for (const path of ['/policy', '/passed', '/made']) await page.goto(sites.origin('publisher') + path);
        await world.waitForRecorded(4);
        await waitForReason(unknownPage);
        await page.evaluate(async () => {
          for (const one of await navigator.serviceWorker.getRegistrations()) await one.unregister();
        });
        await expectBeside(registeredBy(50));
        expect(await world.ignored()).toEqual([unknownPage, forbidden].sort());
      },
      'the page was there before recording began': async () => {
        const { sites, extension } = world;
        await extension.settings({ paused: true });
        const page = await world.open('publisher', '');
        await extension.settings({ paused: false });
        const ad = sites.page('publisher', serveAd(10));
        await page.evaluate(async (url) => {
          document.body.innerHTML = await (await fetch(url)).text();
        }, ad);
        await waitForReason(unknownPage);
        await expectBeside([]);
        await page.goto(sites.page('publisher', serveAd(50)));
        await world.waitForRecorded(8);
        // Firefox requests some images of such a page twice.
        expect(new Set(await world.recorded())).toEqual(
          new Set([...registeredBy(50), ...registeredBy(9000, 'honest')]),
        );
      },
      'the background is stopped before the page comes': async () => {
        const url = world.sites.serve('publisher', '/policy', {
          headers: { 'Content-Type': 'text/html', ...NOBODY },
          body: serveAd(10),
        });
        const page = await world.open('publisher', '');
        await world.extension.stopWorker();
        await page.goto(url);
        await waitFor('the reasons', async () => (await world.ignored()).length > 0);
        await expectBeside([]);
      },
    },
    'place document': {
      'the background is stopped, and the tab closed, before the answer': async () => {
        const held = await HoldingServer.start({ ...trigger(8), 'Access-Control-Allow-Origin': '*' });
        const url = world.sites.serve('publisher', '/asks', {
          headers: { 'Content-Type': 'text/html', ...NOBODY },
          body: script(`fetch('${held.origin}/', { keepalive: true }).catch(() => {})`),
        });
        const page = await world.visit(url);
        await waitFor('the request', () => held.requests.length === 1);
        await world.extension.stopWorker();
        await page.close();
        held.answer();
        await waitFor('the reason', async () => (await world.ignored()).length > 0);
        await expectBeside([]);
      },
    },
    'place worker': {
      'its origin has documents on pages of two sites': async () => {
        const { sites } = world;
        sites.serve('publisher', '/worker.js', {
          headers: { 'Content-Type': 'text/javascript' },
          body: `addEventListener('install', () => skipWaiting());
                 addEventListener('activate', (event) => event.waitUntil(clients.claim()));
                 addEventListener('message', ({ data }) => void fetch(data));`,
        });
        const page = await world.open('publisher', '');
        await world.open('other', `<iframe src="${sites.page('publisher', 'frame')}"></iframe>`);
        await page.evaluate(
          async (url) => {
            const registration = await navigator.serviceWorker.register('/worker.js');
            await navigator.serviceWorker.ready;
            registration.active?.postMessage(url);
          },
          sites.serve('adtech', '/t10', { headers: trigger(10) }),
        );
        await waitForReason(unknownPage);
        await page.evaluate(async () => {
          for (const one of await navigator.serviceWorker.getRegistrations()) await one.unregister();
        });
        await expectBeside([]);
      },
    },
  };

  const interrupt: InBrowser['interrupt'] = async (scene, happen) => {
    const held = await HoldingServer.start(both(70, world.sites.origin('shop')));
    await playOut({ world, held }, scene, happen);
  };

  const playOut = async (stage: Stage, { play, allows }: Scene, happen: Happening): Promise<void> => {
    const { held } = stage;
    const page = await play(stage);
    await waitFor('the request', () => held.requests.length > 0);
    await happen(stage, page);
    await sleep(500);
    held.answer();
    await openHonest();
    const honest = registeredBy(9000, 'honest');
    await waitFor('the honest ones', async () => {
      const recorded = await world.recorded();
      return honest.every((one) => recorded.includes(one));
    });
    if (isLong) {
      // So long may it take until the page of an answer is known.
      await sleep(5500);
      // What nobody declared is decided then.
      await world.extension.advance(DECLARATION_TIME);
      await sleep(500);
    }
    const others = (await world.recorded()).filter((one) => !honest.includes(one));
    expect(others.filter((one) => allows?.test(one) !== true)).toEqual([]);
  };

  const erase = async (): Promise<void> => {
    const { extension } = world;
    const page = await world.open('publisher', '');
    const ask = async (id: number): Promise<HoldingServer> => {
      const held = await HoldingServer.start(trigger(id));
      await page.evaluate((url) => {
        const image = document.createElement('img');
        image.src = url;
        document.body.append(image);
      }, `${held.origin}/`);
      await waitFor('the request', () => held.requests.length > 0);
      return held;
    };
    const before = await ask(1);
    await extension.clear();
    const after = await ask(2);
    await extension.stopWorker();
    before.answer();
    after.answer();
    await expectBeside(['trigger 2 on publisher by holding']);
  };

  return { name, races, interrupt, erase };
}

// In both browsers at once, because they mostly wait.
describe(`what is not known yet registers nothing (${browsers.join(', ')})`, () => {
  const all = browsers.map(inBrowser);

  async function inEach(run: (one: InBrowser) => Promise<void>, some = all): Promise<void> {
    const done = await Promise.allSettled(some.map(run));
    const failed = done.flatMap((one, index) =>
      one.status === 'rejected' ? [`${some[index]?.name ?? ''}: ${String(one.reason)}`] : [],
    );
    if (failed.length > 0) throw new Error(failed.join('\n'));
  }

  const ofRun = all.filter(({ name }) => browsersOfRun.includes(name));
  const races = (all[0] as InBrowser).races;

  it.each(
    Object.entries(races).flatMap(([what, tests]) =>
      Object.keys(tests).map(
        (when, place) => [what as PlaceUnknown, when, place === 0 ? all : ofRun] as const,
      ),
    ),
  )('%s: %s', (what, when, some) => inEach(async (one) => one.races[what][when]?.(), some));

  // Only the order of the browser's numbers of requests says which of the two began after the erasure.
  it('an image that was asked for before an erasure, and answered to the next background', () =>
    inEach((one) => one.erase()));

  const interruptions = Object.entries(happenings);
  // What the browser tells of redirects differs. All else our own code decides, of what the races above have shown, and tests in Node try it.
  const isOfBrowser = (what: string): boolean => what.startsWith('beginning ');
  /** Each with each in the long form; otherwise those of the browser, once. */
  const runs = Object.entries(scenes).flatMap(([what, scene], index) =>
    interruptions
      .filter((_one, other) => isLong || (isOfBrowser(what) && other === index % interruptions.length))
      .map(([when, happen]) => [what, when, scene, happen] as const),
  );

  it.each(runs)('%s, and before the answer %s', (_what, _when, scene, happen) =>
    inEach((one) => one.interrupt(scene, happen)),
  );
});
