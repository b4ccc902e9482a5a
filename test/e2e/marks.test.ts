import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'puppeteer-core';
import { waitFor } from '../../scenarios/kit';
import { declareAndShow, declareImage } from './helpers/declared-image';
import { HoldingServer } from './helpers/holding-server';
import { source, trigger } from './helpers/registrations';
import { browsers, browsersOfRun, isLong, useWorld } from './helpers/world';

const script = (code: string): string => `<script>${code}</script>`;

/** Longer than what a document may declare. */
const LONG = `?${'x'.repeat(9000)}`;

/** What a server can write. It knows the form of a mark, and no seal. */
const forgeries = [
  '#attribution-reporting=event-source',
  `#${'0'.repeat(32)}.attribution-reporting=event-source`,
  `#${'0123456789abcdef'.repeat(2)}.attribution-reporting=event-source-or-trigger`,
];

const cors = { 'Access-Control-Allow-Origin': '*' };

const eligible = '{ attributionReporting: { eventSourceEligible: true, triggerEligible: false } }';

/** A frame without an origin. */
const sandboxed = (code: string): string =>
  `<iframe sandbox="allow-scripts" srcdoc="${script(code)}"></iframe>`;

describe.each(browsers)('what a request is eligible for is said by its page alone (%s)', (name) => {
  const world = useWorld(name, { idleTimeout: 2000 });
  /** Otherwise one of each kind. */
  const triesAll = browsersOfRun.includes(name);
  const oneOrAll = <T>(kinds: readonly T[]): readonly T[] => (triesAll ? kinds : kinds.slice(0, 1));

  const sourceHeaders = (id: number): Record<string, string> => ({
    ...source(id, world.sites.origin('shop')),
    ...cors,
  });
  const serveSource = (id: number): string =>
    world.sites.serve('adtech', `/s${id}`, { headers: sourceHeaders(id) });

  /** The background forgets everything that it has not stored. */
  const endBackground = async (): Promise<void> => {
    // As long as it takes to store what goes on for longer.
    await sleep(500);
    await world.extension.stopWorker();
  };

  /** All records, once an honest page registered after the others. */
  const recordedBesideHonest = async (): Promise<readonly string[]> => {
    const honest = 'event source 99 on honest by adtech';
    await world.open('honest', `<img attributionsrc="${serveSource(99)}">`);
    await waitFor('the honest one', async () => (await world.recorded()).includes(honest));
    return (await world.recorded()).filter((one) => one !== honest);
  };

  describe('a plain fetch that a server redirects into a mark registers no source', () => {
    it('if its first URL is too long to be declared', async () => {
      const firsts = forgeries.map(
        (forged, id) => world.sites.redirect('adtech', serveSource(id) + forged) + LONG,
      );
      await world.open(
        'publisher',
        script(firsts.map((first) => `fetch('${first}').catch(() => {});`).join('')),
      );
      expect(await recordedBesideHonest()).toEqual([]);
    });

    // What the background has stored decides. That it sleeps, the mark that counts after redirects tries in both.
    if (triesAll)
      it('if the background slept before the last hop', async () => {
        const held = await HoldingServer.start(sourceHeaders(2));
        // At addresses of their own: a browser asks for one of its cache once at a time.
        const firsts = forgeries.map((forged, id) =>
          world.sites.redirect('adtech', `${held.origin}/${id}${forged}`),
        );
        const page = await world.open(
          'publisher',
          script(`globalThis.refused = 0;
            for (const first of ${JSON.stringify(firsts)}) fetch(first).catch(() => { refused += 1; });`),
        );
        // Chrome may not follow them.
        const refused = (): Promise<number> =>
          page.evaluate(() => (globalThis as unknown as { readonly refused: number }).refused);
        const areThere = async (): Promise<boolean> =>
          held.requests.length + (await refused()) === forgeries.length;
        await waitFor('the last hops', areThere);
        await endBackground();
        held.answer();
        expect(await recordedBesideHonest()).toEqual([]);
      });
  });

  it('no document uses the seal of another site’s document', async () => {
    // A service worker sees the marks of its own pages.
    world.sites.serve('liar', '/worker.js', {
      headers: { 'Content-Type': 'text/javascript' },
      body: `addEventListener('install', () => skipWaiting());
             addEventListener('activate', (event) => event.waitUntil(clients.claim()));
             addEventListener('fetch', (event) => event.respondWith(new Response(event.request.url)));`,
    });
    const page = await world.open('liar', '');
    const stolen = await page.evaluate(async () => {
      const registration = await navigator.serviceWorker.register('/worker.js');
      if (navigator.serviceWorker.controller === null)
        await new Promise((resolve) => navigator.serviceWorker.addEventListener('controllerchange', resolve));
      const response = await fetch('https://ad.example/', {
        attributionReporting: { eventSourceEligible: true, triggerEligible: false },
      } as RequestInit);
      await registration.unregister();
      return response.text();
    });
    const mark = stolen.slice('https://ad.example/'.length);
    expect(mark).toMatch(/^#[0-9a-f]{32}\.attribution-reporting=event-source$/);
    await world.open('publisher', script(`fetch('${serveSource(3)}${mark}')`));
    await world.waitForUndeclared(1);
    expect(await recordedBesideHonest()).toEqual([]);
    // It is good where it comes from.
    await world.open('liar', script(`fetch('${serveSource(3)}${mark}')`));
    expect(await world.waitForRecorded(2)).toContain('event source 3 on liar by adtech');
  });

  it('a document without an origin uses no mark that a server hands to it', async () => {
    // An error names the URL with the mark.
    const page = await world.open(
      'liar',
      `${script(`addEventListener('message', ({ data }) => { document.title = data; })`)}
       ${sandboxed(`fetch('https://a:b@ad.example/', ${eligible}).catch(({ message }) => parent.postMessage(message, '*'))`)}`,
    );
    await page.waitForFunction(() => document.title !== '');
    const [mark = ''] = /#[0-9a-f]{32}\.attribution-reporting=event-source/.exec(await page.title()) ?? [];
    expect(mark).not.toBe('');
    const [handed, redirected] = [serveSource(30), serveSource(31)].map((url) => url + mark);
    await world.open(
      'publisher',
      sandboxed(`fetch('${handed}'); fetch('${world.sites.redirect('adtech', redirected ?? '')}').catch(() => {});
                 setTimeout(() => fetch('${serveSource(32)}', ${eligible}), 500)`),
    );
    // It may mark its own requests.
    const own = 'event source 32 on publisher by adtech';
    await waitFor('its own', async () => (await world.recorded()).includes(own));
    // Chrome does not follow a redirect into a mark.
    await world.waitForUndeclared(name === 'chrome' ? 2 : 3);
    expect(await recordedBesideHonest()).toEqual([own]);
  });

  const redirects: readonly (readonly [mode: string, registered: readonly string[]])[] = [
    ['follow', ['event source 40 on publisher by adtech', 'event source 41 on publisher by adtech']],
    ['manual', ['event source 40 on publisher by adtech']],
    ['error', ['event source 40 on publisher by adtech']],
  ];
  it.each(oneOrAll(redirects))(
    'of a redirect to "%s", only what is requested registers',
    async (redirect, registered) => {
      const { sites } = world;
      const [hop, last, plain] = [40, 41, 42].map((id) => ({ id, headers: sourceHeaders(id) }));
      const target = sites.serve('adtech', '/s41', { headers: last?.headers ?? {} });
      const first = sites.serve('adtech', '/s40', {
        status: 302,
        headers: { ...hop?.headers, Location: target },
      });
      const other = sites.serve('adtech', '/s42', {
        status: 302,
        headers: { ...plain?.headers, Location: target },
      });
      const forged = sites.redirect('adtech', target + (forgeries[1] ?? ''));
      const options = JSON.stringify({
        redirect,
        attributionReporting: { eventSourceEligible: true, triggerEligible: false },
      });
      const page = await world.open('publisher', '');
      await page.evaluate(
        async ([marked, ...urls], text, mode) => {
          await fetch(marked ?? '', JSON.parse(text) as RequestInit).catch(() => undefined);
          for (const url of urls)
            await fetch(url, { redirect: mode as RequestRedirect }).catch(() => undefined);
        },
        [first, other, forged],
        options,
        redirect,
      );
      await world.waitForRecorded(registered.length);
      expect(await recordedBesideHonest()).toEqual(registered);
      if (redirect !== 'follow') expect(sites.received('adtech', '/s41')).toEqual([]);
    },
  );

  if (triesAll)
    it('a first URL is known although the background was killed right after the redirect', async () => {
      // The page declares one image, and a server redirects another one to its URL.
      const held = await HoldingServer.start(sourceHeaders(50));
      const page = await world.open('publisher', script(declareImage(`${held.origin}/ad`)));
      await sleep(500);
      await page.evaluate(
        (url) => {
          new Image().src = url;
        },
        world.sites.redirect('adtech', `${held.origin}/ad`),
      );
      await waitFor('the last hop', () => held.requests.length > 0, { interval: 1 });
      await world.extension.stopWorker();
      held.answer();
      await world.waitForUndeclared(1);
      expect(await recordedBesideHonest()).toEqual([]);
    });

  // It takes as long.
  if (isLong)
    it('a first URL is known although its tab was closed half a minute ago', async () => {
      const held = await HoldingServer.start({
        ...source(60, world.sites.origin('shop')),
        ...trigger(60),
        ...cors,
      });
      const first = world.sites.redirect('adtech', `${held.origin}/`);
      // The page says that nothing may register by this request.
      const none = '{ eventSourceEligible: true, triggerEligible: false }';
      await world.open('publisher', '');
      const page = await world.open(
        'publisher',
        script(`fetch('${first}', { keepalive: true, attributionReporting: ${none} }).catch(() => {})`),
      );
      await waitFor('the last hop', () => held.requests.length > 0);
      await page.close();
      await sleep(27_000);
      held.answer();
      await world.waitForUndeclared(1);
      expect((await recordedBesideHonest()).filter((one) => one.startsWith('trigger'))).toEqual([]);
    });

  it('the mark of a page counts after redirects, although the background slept and the URL is long', async () => {
    const held = await HoldingServer.start(sourceHeaders(4));
    const first = world.sites.redirect('adtech', `${held.origin}/`) + LONG;
    await world.open('publisher', script(`fetch('${first}', ${eligible})`));
    await waitFor('the last hop', () => held.requests.length > 0);
    await endBackground();
    held.answer();
    expect(await world.waitForRecorded(1)).toEqual(['event source 4 on publisher by holding']);
  });

  it('a server that replaces the mark of a page gets no trigger by it, although the background slept', async () => {
    const held = await HoldingServer.start({ ...trigger(5), ...cors });
    const first = world.sites.redirect('adtech', `${held.origin}/#other`);
    await world.open('publisher', script(`fetch('${first}', ${eligible})`));
    await waitFor('the last hop', () => held.requests.length > 0);
    await endBackground();
    held.answer();
    await world.waitForUndeclared(1);
    expect(await recordedBesideHonest()).toEqual([]);
  });

  const unknowns: readonly (readonly [when: string, query: string])[] = [
    ['the background slept', ''],
    ['its URL is too long to be declared', LONG],
  ];
  if (triesAll)
    it.each(unknowns)(
      'a plain image that a server redirects to the URL of another element is not that element if %s',
      async (_when, query) => {
        const held = await HoldingServer.start(sourceHeaders(6));
        const first = world.sites.redirect('adtech', `${held.origin}/ad`) + query;
        // The page declares an image, and shows another one.
        await world.open('publisher', script(declareAndShow(`${held.origin}/ad`, first, 500)));
        await waitFor('the last hop', () => held.requests.length > 0);
        await endBackground();
        held.answer();
        await world.waitForUndeclared(1);
        expect(await recordedBesideHonest()).toEqual([]);
      },
    );

  it('a server that writes a mark into a redirect makes nobody send the header, as far as the browser lets us', async () => {
    const forged = forgeries[1] ?? '';
    const ways = [forged, forged.replace('attribution', 'attri\tbution'), `#\t${forged.slice(1)}`];
    const firsts = ways.map((way, id) => world.sites.redirect('adtech', serveSource(id + 10) + way));
    const plain = world.sites.redirect('adtech', `${serveSource(20)}#top`);
    const page = await world.open('publisher', '');
    const followed = await page.evaluate(
      async (urls) =>
        Promise.all(
          urls.map((url) =>
            fetch(url)
              .then(() => true)
              .catch(() => false),
          ),
        ),
      [...firsts, plain],
    );
    const headers = [10, 11, 12].flatMap((id) =>
      world.sites
        .received('adtech', `/s${id}`)
        .map((request) => request.headers['attribution-reporting-eligible']),
    );
    expect(world.sites.received('adtech', '/s20')[0]?.headers).not.toHaveProperty(
      'attribution-reporting-eligible',
    );
    if (name === 'chrome') {
      expect([followed, headers]).toEqual([[false, false, false, true], []]);
      return;
    }
    // Firefox has no rule for this, and would have to hold back all requests (docs/requests.md). Nothing registers all the same.
    expect(followed).toEqual([true, true, true, true]);
    expect(headers).toEqual(['event-source', undefined, 'event-source']);
    expect(await recordedBesideHonest()).toEqual([]);
  });

  it('pages find no mark in their resource timings, nor in the URLs of requests and responses', async () => {
    const url = serveSource(7);
    const page: Page = await world.open('publisher', '');
    const seen = await page.evaluate(async (asked) => {
      const options = { attributionReporting: { eventSourceEligible: true, triggerEligible: false } };
      const response = await fetch(asked, options as RequestInit);
      await response.text();
      const request = new Request(asked, options as RequestInit);
      const timings = performance.getEntriesByType('resource');
      return [
        response.url,
        request.url,
        ...timings.flatMap((timing) => [timing.name, JSON.stringify(timing)]),
      ];
    }, url);
    expect(seen.filter((text) => text.includes('attribution-reporting='))).toEqual([]);
    expect(seen).toContain(url);
    expect(await world.waitForRecorded(1)).toEqual(['event source 7 on publisher by adtech']);
  });

  if (!triesAll) return;

  it('a URL with 1,000,000 number signs keeps nobody waiting', async () => {
    const url = serveSource(8);
    await world.open('liar', script(`fetch('${url}' + '#'.repeat(1000000))`));
    await waitFor('the request', () => world.sites.received('adtech', '/s8').length > 0);
    expect(await recordedBesideHonest()).toEqual([]);
  });
});
