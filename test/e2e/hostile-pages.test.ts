import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'puppeteer-core';
import { waitFor } from '../../scenarios/kit';
import { english } from '../../words/english';
import { HoldingServer } from './helpers/holding-server';
import { SecureSites } from './helpers/secure-sites';
import { source, trigger } from './helpers/registrations';
import { browsers, browsersOfRun, isLong, useWorld } from './helpers/world';

const script = (code: string): string => `<script>${code}</script>`;

/** On each link that leads nowhere. */
const CLICKS = isLong ? 3 : 1;

/** In ms, from the press on: when a page goes somewhere by itself. A navigation follows a press within 5 s. */
const LATER = isLong ? 12_000 : 6000;

const noNavigation = 'no navigation followed the click';

const announceOpen = (url: string, sources: readonly string[]): string =>
  `document.dispatchEvent(new CustomEvent('cointoss:announce', { detail: ${JSON.stringify(JSON.stringify({ kind: 'open', url, sources }))} }));`;

describe.each(browsers)('pages that attack others (%s)', (name) => {
  const world = useWorld(name, SecureSites.launchOptions(name));
  /** What our own code decides of what the browser tells in the other tests, too. */
  const triesAll = browsersOfRun.includes(name);

  /** A page with a frame of the ad server. */
  const openWithFrame = (frameBody: string): Promise<Page> =>
    world.open('publisher', `<iframe id="frame" src="${world.sites.page('adtech', frameBody)}"></iframe>`);

  const victimPage = (body = 'bank'): string => world.sites.page('bank', body);

  const serveSource = (id = 1): string =>
    world.sites.serve('adtech', `/s${id}`, { headers: source(id, world.sites.origin('shop')) });

  const serveTrigger = (id = 1): string => world.sites.serve('adtech', `/t${id}`, { headers: trigger(id) });

  /** An honest registration afterwards, so that what the others made has arrived, too. */
  const recordedBeside = async (honest: string): Promise<readonly string[]> => {
    await waitFor('the honest one', async () => (await world.recorded()).includes(honest));
    return (await world.recorded()).filter((one) => one !== honest);
  };

  const honestView = async (): Promise<string> => {
    await world.open('honest', `<img attributionsrc="${serveSource(99)}">`);
    return 'event source 99 on honest by adtech';
  };

  describe('a frame of a page that is left', () => {
    it('speaks only for that page when its request is answered late', async () => {
      const [views, sales] = await Promise.all([
        HoldingServer.start({
          ...source(1, 'http://shop.localhost'),
          'Access-Control-Allow-Origin': '*',
        }),
        HoldingServer.start({ ...trigger(2), 'Access-Control-Allow-Origin': '*' }),
      ]);
      const eligible = '{ eventSourceEligible: true, triggerEligible: false }';
      const page = await openWithFrame(
        script(`fetch('${views.origin}/', { keepalive: true, attributionReporting: ${eligible} }).catch(() => {});
                fetch('${sales.origin}/', { keepalive: true }).catch(() => {});`),
      );
      await waitFor('both requests', () => views.requests.length + sales.requests.length === 2);
      await page.goto(victimPage());
      views.answer();
      sales.answer();
      expect(await world.waitForRecorded(2)).toEqual([
        'event source 1 on publisher by holding',
        'trigger 2 on publisher by holding',
      ]);
    });

    if (triesAll)
      it('speaks only for that page when it asks while it goes', async () => {
        const page = await openWithFrame(
          script(`addEventListener('pagehide', () => {
            const image = new Image();
            image.setAttribute('attributionsrc', '${serveSource(1)}');
            document.body.append(image);
          });`),
        );
        await page.goto(victimPage());
        expect(await world.waitForRecorded(1)).toEqual(['event source 1 on publisher by adtech']);
      });
  });

  describe('a page that speaks for the next one in its tab', () => {
    it('makes none of its requests eligible', async () => {
      const image = world.sites.serve('adtech', '/plain', {
        headers: source(3, world.sites.origin('shop')),
      });
      // The page declares an image that its server holds back, and leaves.
      const page = await world.open(
        'liar',
        script(`for (const type of ['img', 'script']) {
          const element = document.createElement(type);
          element.setAttribute('attributionsrc', '');
          element.src = '${image}';
          element.remove();
        }
        const element = new Image();
        element.setAttribute('attributionsrc', '');
        document.body.append(element);
        element.loading = 'lazy';
        element.style.marginTop = '100000px';
        element.src = '${image}';`),
      );
      await sleep(300);
      world.sites.received('adtech', '/plain');
      const before = world.sites.received('adtech', '/plain').length;
      await page.goto(victimPage(`<img src="${image}">`), { waitUntil: 'load' });
      const others = await recordedBeside(await honestView());
      expect(others.filter((one) => one.includes(' on bank '))).toEqual([]);
      const [request] = world.sites.received('adtech', '/plain').slice(before);
      expect(request?.headers).not.toHaveProperty('attribution-reporting-eligible');
    });

    if (triesAll)
      it('takes none of its conversions away', async () => {
        const url = serveTrigger(4);
        // Such a request may register no trigger.
        const options = { attributionReporting: { eventSourceEligible: true, triggerEligible: false } };
        const page = await world.open('liar', script(`fetch('${url}', ${JSON.stringify(options)})`));
        await waitFor('the request', () => world.sites.received('adtech', '/t4').length > 0);
        await page.goto(victimPage(script(`fetch('${url}')`)));
        expect(await world.waitForRecorded(1)).toEqual(['trigger 4 on bank by adtech']);
      });
  });

  // navigations.test.ts and gestures.test.ts try in each run, too, what one press may lead to.
  describe('a navigation source', () => {
    if (isLong)
      it('does not come from typing', async () => {
        const url = serveSource(5);
        const page = await world.open(
          'liar',
          `<input id="it">${script(`it.oninput = () => { ${announceOpen(world.sites.page('shop', ''), [url])} }`)}`,
        );
        await page.type('#it', 'a b c d e f');
        expect(await recordedBeside(await honestView())).toEqual([]);
        expect(world.sites.received('adtech', '/s5')).toEqual([]);
        // Half a minute after the typing.
        const isTold = async (): Promise<boolean> => (await world.ignored()).includes(noNavigation);
        if (isLong) await waitFor('the reason', isTold, { interval: 1000 });
      });

    it('does not come from a click that leads to the same document, a script, an e-mail or a download', async () => {
      const url = serveSource(6);
      world.sites.serve('liar', '/file', { headers: { 'Content-Type': 'application/zip' }, body: 'zip' });
      const ways = ['"#below"', '"javascript:void 0"', '"mailto:somebody@example.com"', '"/file" download'];
      const links = ways.map((href) => `<p><a attributionsrc="${url}" href=${href}>Go</a></p>`);
      const page = await world.open('liar', links.join(''));
      for (let way = 1; way <= ways.length; way++)
        for (let count = 0; count < CLICKS; count++) await page.click(`p:nth-child(${way}) a`, { delay: 50 });
      expect(await recordedBeside(await honestView())).toEqual([]);
      expect(world.sites.received('adtech', '/s6')).toEqual([]);
    });

    if (triesAll)
      it('is not asked for, nor logged, of a click before everything was erased', async () => {
        const page = await world.open(
          'liar',
          `<a id="it" attributionsrc="${serveSource(19)}" href="#it">Go</a>`,
        );
        const link = await page.waitForSelector('#it');
        if (link === null) throw new Error('there is no link');
        const { x, y } = await link.clickablePoint();
        const clickAnd = async (times: number): Promise<void> => {
          for (let count = 0; count < times; count++) await page.mouse.click(x, y, { delay: 20 });
          // So that the background has heard of the clicks.
          await honestView();
          await world.waitForRecorded(1);
          await page.bringToFront();
        };
        await clickAnd(1);
        await world.extension.clear();
        // With more, the first would be logged because there are too many.
        await clickAnd(20);
        expect(await world.ignored()).toEqual([]);
      });

    if (triesAll)
      it('does not come from a click that the browser dispatches for a script', async () => {
        const url = serveSource(12);
        const nowhere = world.sites.serve('liar', '/nowhere', { status: 204 });
        await world.open(
          'liar',
          `<a attributionsrc="${url}" href="${nowhere}"><input id="it" type="checkbox"></a><label for="it" id="label">Go</label>
           ${script(`label.click(); setTimeout(() => (location.href = '${nowhere}'), 100)`)}`,
        );
        await waitFor('the navigation', () => world.sites.received('liar', '/nowhere').length > 0);
        expect(await recordedBeside(await honestView())).toEqual([]);
        expect(world.sites.received('adtech', '/s12')).toEqual([]);
      });

    if (triesAll)
      it('does not come from a menu that a person closed, when the page goes to the link’s URL later', async () => {
        const shop = world.sites.page('shop', 'shop');
        const registering = { headers: source(14, world.sites.origin('shop')) };
        const hop = world.sites.redirect('adtech', shop, registering);
        const press = async (site: string, attribute: string, href: string): Promise<void> => {
          const page = await world.open(
            site,
            `<a id="it" ${attribute} href="${href}">Go</a>
             ${script(`it.addEventListener('contextmenu', () => setTimeout(() => (location.href = '${href}'), ${LATER}))`)}`,
          );
          await page.click('#it', { delay: 50, button: 'right' });
        };
        await press('liar', `attributionsrc="${serveSource(13)}"`, shop);
        await press('publisher', 'attributionsrc', hop);
        await waitFor('both in the shop', () => world.sites.received('shop').length === 2);
        expect(await recordedBeside(await honestView())).toEqual([]);
        expect(world.sites.received('adtech', '/s13')).toEqual([]);
      });

    if (isLong)
      it('comes once from a press, although a link and a window lead somewhere', async () => {
        const [linked, opened] = [15, 16].map(serveSource);
        const shop = (id: number): string => world.sites.page('shop', 'shop', `/shop-${id}`);
        const open = `open('${shop(1)}', '_blank', 'attributionsrc=${encodeURIComponent(opened ?? '')}')`;
        const page = await world.open(
          'publisher',
          `<a id="it" attributionsrc="${linked}" href="${shop(2)}" target="_blank">Go</a>
         ${script(`it.addEventListener('mousedown', () => { ${open} })`)}`,
        );
        await page.click('#it', { delay: 50 });
        await waitFor('both', () => world.sites.received('shop').length === 2);
        await world.waitForRecorded(1);
        // Both are known by now, in whichever order.
        await sleep(2000);
        expect(await recordedBeside(await honestView())).toHaveLength(1);
      });

    const repeated: readonly (readonly [what: string, body: string])[] = [
      ['a key that is held down', '<button id="it">Go</button>'],
      ['a click on a label, which clicks its control', '<label id="it">Go<input type="checkbox"></label>'],
    ];
    if (isLong)
      it.each(repeated)('comes once from %s', async (_what, body) => {
        const [first, second] = [17, 18].map(serveSource);
        const nowhere = world.sites.serve('shop', '/nowhere', { status: 204 });
        const shop = world.sites.page('shop', 'shop');
        const isLabel = body.startsWith('<label');
        // A window consumes the activation, so it is opened last; the two clicks of a label are of one task.
        const [atFirst, atSecond] = isLabel ? ['', `open('${nowhere}');`] : [`location = '${nowhere}';`, ''];
        const page = await world.open(
          'publisher',
          `${body}${script(`let clicks = 0;
          it.addEventListener('click', () => {
            clicks++;
            if (clicks === 1) { ${announceOpen(nowhere, [first ?? ''])} ${atFirst} }
            if (clicks === 2) { ${announceOpen(shop, [second ?? ''])} ${atSecond} location = '${shop}'; }
          });`)}`,
        );
        const hasBegun = (count: number) => (): boolean => world.sites.received('shop').length === count;
        if (isLabel) await page.click('#it', { delay: 50 });
        else {
          await page.focus('#it');
          await page.keyboard.down('Enter');
          await waitFor('the first navigation', hasBegun(1));
          await page.keyboard.down('Enter');
        }
        await waitFor('both navigations', hasBegun(2));
        await world.waitForRecorded(1);
        // Both are known by now, in whichever order.
        await sleep(2000);
        expect(await recordedBeside(await honestView())).toHaveLength(1);
      });

    if (isLong)
      it('comes once from a click that leads somewhere', async () => {
        const url = serveSource(7);
        const page = await world.open(
          'publisher',
          `<a id="it" attributionsrc="${url}" href="${world.sites.page('shop', 'shop')}" target="_blank">Go</a>
           ${script(`it.addEventListener('click', () => { ${announceOpen(world.sites.page('shop', ''), [url]).repeat(5)} })`)}`,
        );
        await page.click('#it', { delay: 50 });
        await world.waitForRecorded(1);
        expect(await recordedBeside(await honestView())).toEqual([
          'navigation source 7 on publisher by adtech',
        ]);
      });
  });

  describe('Permissions Policy', () => {
    const forbidden = 'the Permissions Policy of the page or of a frame forbids attribution-reporting';
    /** @param document a number for each, because Firefox asks once for what several show */
    const ad = (document = 1): string =>
      `<img attributionsrc="${serveSource(8)}"><img attributionsrc src="${serveSource(9)}?${document}"><img src="${serveTrigger(8)}?${document}">`;

    /** Nothing of the ads in that many documents. */
    const expectNone = async (documents = 1): Promise<void> => {
      expect(await recordedBeside(await honestView())).toEqual([]);
      await waitFor('the reasons', async () => {
        const log = await world.extension.trace();
        const reasons = log.flatMap((entry) => (entry.kind === 'ignored' ? entry.reason.code : []));
        return reasons.filter((code) => code === 'permissions-policy').length >= 3 * documents;
      });
      expect(await world.ignored()).toEqual([forbidden]);
      expect(world.sites.received('adtech', '/s8')).toEqual([]);
    };

    const servePage = (site: string, body: string, policy: string): string =>
      world.sites.serve(site, `/policy-${site}`, {
        headers: { 'Content-Type': 'text/html', 'Permissions-Policy': policy },
        body: `<!doctype html><link rel="icon" href="data:,"><body>${body}`,
      });

    if (triesAll)
      it('of a page forbids it everything', async () => {
        await world.visit(servePage('publisher', ad(), 'attribution-reporting=()'));
        await expectNone();
      });

    if (triesAll)
      it('of a page forbids its clicks everything', async () => {
        const { sites } = world;
        const landings = ['/linked', '/opened'];
        const [linked, opened] = landings.map((path) =>
          sites.serve('shop', path, { headers: source(20, sites.origin('mall')) }),
        );
        const open = `open('${opened}', '_blank', 'attributionsrc=${encodeURIComponent(serveSource(22))}')`;
        const page = await world.visit(
          servePage(
            'publisher',
            `<a attributionsrc="${serveSource(21)}" href="${linked}" target="_blank">Go</a><button onclick="${open}">Go</button>`,
            'attribution-reporting=()',
          ),
        );
        for (const selector of ['a', 'button']) {
          await page.bringToFront();
          // As long as a header rule takes, that a pressed link must not get.
          await page.click(selector, { delay: 500 });
        }
        for (const path of landings) {
          await waitFor(path, () => sites.received('shop', path).length > 0);
          expect(sites.received('shop', path)[0]?.headers).not.toHaveProperty(
            'attribution-reporting-eligible',
          );
        }
        expect(await recordedBeside(await honestView())).toEqual([]);
        await waitFor('the reasons', async () => {
          const log = await world.extension.trace();
          return (
            log.filter((one) => one.kind === 'ignored' && one.reason.code === 'permissions-policy').length >=
            2
          );
        });
        for (const path of ['/s21', '/s22']) expect(sites.received('adtech', path)).toEqual([]);
      });

    if (triesAll)
      it('of a page for itself forbids its frames everything', async () => {
        const frame = `<iframe src="${world.sites.page('frame', ad())}"></iframe>`;
        await world.visit(servePage('publisher', frame, 'camera=*, attribution-reporting=(self)'));
        await expectNone();
      });

    it('of a frame’s own document forbids it everything', async () => {
      const frame = servePage('frame', ad(), 'attribution-reporting=()');
      await world.open('publisher', `<iframe src="${frame}"></iframe>`);
      await expectNone();
    });

    if (triesAll)
      it('in allow for none or another origin forbids the frame everything, also if URL and attribute are long', async () => {
        const { sites } = world;
        const redirect = (document: number): string =>
          sites.redirect('frame', sites.page('frame', ad(document)));
        const long = sites.page('frame', ad(3), `/long?${'x'.repeat(10_000)}`);
        const others = `camera ${'https://other.example '.repeat(500)}; attribution-reporting 'none'`;
        await world.open(
          'publisher',
          `<iframe src="${redirect(1)}" allow="camera; attribution-reporting 'none'"></iframe>
           <iframe src="${redirect(2)}" allow="attribution-reporting https://other.example"></iframe>
           <iframe src="${long}" allow="${others}"></iframe>`,
        );
        await expectNone(3);
      });

    const leavings: readonly (readonly [when: string, leave: (page: Page) => Promise<unknown>])[] = [
      ['the next page is there', (page) => page.goto(victimPage())],
      ['the tab is closed', (page) => page.close()],
    ];
    it.each(triesAll ? leavings : leavings.slice(0, 1))(
      'of a page holds for what is answered when %s',
      async (_when, leave) => {
        const held = await HoldingServer.start({ ...trigger(8), 'Access-Control-Allow-Origin': '*' });
        const ask = script(`fetch('${held.origin}/', { keepalive: true }).catch(() => {})`);
        const page = await world.visit(servePage('publisher', ask, 'attribution-reporting=()'));
        await waitFor('the request', () => held.requests.length === 1);
        await leave(page);
        held.answer();
        await waitFor('the reason', async () => (await world.ignored()).includes(forbidden));
        expect(await recordedBeside(await honestView())).toEqual([]);
      },
    );

    it('in allow forbids the ads that a script writes into the frame', async () => {
      // Chrome names the page for whatever else is asked for there.
      const body = [8, 9, 10].map((id) => `<img attributionsrc src="${serveSource(id)}">`).join('');
      await world.open(
        'publisher',
        `<iframe id="it" allow="attribution-reporting 'none'"></iframe>
         ${script(`it.contentDocument.write(${JSON.stringify(body)}); it.contentDocument.close();`)}`,
      );
      await waitFor('the reasons', async () => {
        const log = await world.extension.trace();
        return log.filter((one) => one.kind === 'ignored').length >= 3;
      });
      expect(await world.recorded()).toEqual([]);
      expect(await world.ignored()).toContain(forbidden);
    });

    if (triesAll)
      it('that names the frame leaves it alone', async () => {
        const allow = `allow="attribution-reporting ${world.sites.origin('frame')}"`;
        const policy = `attribution-reporting=(self "${world.sites.origin('frame')}")`;
        const frame = `<iframe src="${world.sites.page('frame', ad())}" ${allow}></iframe>`;
        await world.visit(servePage('publisher', frame, policy));
        expect(await world.waitForRecorded(3)).toHaveLength(3);
      });
  });

  if (triesAll)
    describe('over http', () => {
      /** A URL of the sites by a name that browsers do not trust without https. */
      const insecure = (url: string): string => url.replace('.localhost:', '.example:');
      const logged = async (): Promise<readonly string[]> => {
        await waitFor('the reason', async () => (await world.ignored()).length > 0);
        return (await world.extension.trace()).map((entry) => {
          const [page, server] = [entry.contextOrigin, entry.reportingOrigin].map(
            (origin) => new URL(origin).hostname,
          );
          return `${page}, ${server}: ${entry.kind === 'ignored' ? entry.reason.code : entry.kind}`;
        });
      };

      it('a page registers nothing, and the log names it', async () => {
        const pixel = world.sites.trigger('tracker', { event_trigger_data: [{}] });
        await world.visit(insecure(world.sites.page('news', `<img src="${pixel}">`)));
        expect(await logged()).toEqual(['news.example, tracker.localhost: page-not-secure']);
      });

      it.each<[string, (url: string) => string]>([
        ['to an image', (url) => `<img src="${url}">`],
        ['to an attributionsrc', (url) => `<img attributionsrc="${url}">`],
      ])('a server’s answer %s registers nothing, and the log names the page', async (_to, body) => {
        const pixel = insecure(world.sites.trigger('tracker', { event_trigger_data: [{}] }));
        await world.open('publisher', body(pixel));
        expect(await logged()).toEqual(['publisher.localhost, tracker.example: no-reporting-origin']);
      });

      it('the answer on the way of a click registers nothing, and the log names the page that was left', async () => {
        const landing = world.sites.page('shop', 'Welcome');
        const hop = insecure(world.sites.redirect('tracker', landing, { headers: source(1, landing) }));
        const page = await world.open('publisher', `<a id="it" attributionsrc href="${hop}">Buy</a>`);
        await page.click('#it');
        expect(await logged()).toContain('publisher.localhost, tracker.example: no-reporting-origin');
      });
    });

  describe('attributionsrc of a page outside', () => {
    let secure: SecureSites;
    beforeAll(async () => (secure = await SecureSites.start(name)));
    afterAll(() => secure.close());

    /** Opens a page outside that asks for these. */
    const ask = (urls: readonly string[]): Promise<Page> => {
      const body = urls.map((url) => `<img attributionsrc="${url}">`).join('');
      return world.visit(secure.page('news.example', body));
    };
    const reasonOf = (code: 'private-network' | 'not-public'): string =>
      english.mistakeText({ code, values: {} });
    const refused = reasonOf('private-network');
    // In Firefox, all public names lead to this device, and it knows.
    if (name === 'chrome')
      it('reaches nothing on this device or in a private network, by no redirect', async () => {
        const inside = world.sites.source('inside', { destination: 'https://shop.example' });
        const named = secure.serve('inside.example', source(12, 'https://shop.example'));
        const first = secure.redirect('tracker.example', inside);
        const second = secure.redirect('other.example', first);
        const third = secure.redirect('tracker.example', named);
        const honest = secure.serve('tracker.example', source(11, 'https://shop.example'));
        const through = secure.redirect('other.example', honest);
        await ask([inside, first, second, named, third, through]);
        expect(await world.waitForRecorded(1)).toEqual(['event source 11 on news by tracker']);
        await sleep(1000);
        expect(await world.recorded()).toHaveLength(1);
        expect(world.sites.received('inside')).toEqual([]);
        expect(secure.received('inside.example')).toBe(0);
        // Only then does Chrome know where the name leads.
        expect(secure.connectionsInside).toBeGreaterThan(0);
        expect(await world.ignored()).toContain(refused);
      });
    else
      it('reaches nothing on this device, by no public name', async () => {
        const inside = world.sites.source('inside', { destination: 'https://shop.example' });
        const named = secure.serve('inside.example', source(12, 'https://shop.example'));
        await ask([inside, named]);
        await waitFor('both to be refused', async () => {
          const log = await world.extension.trace();
          return log.filter((one) => one.kind === 'ignored').length >= 2;
        });
        await sleep(1000);
        expect(await world.ignored()).toEqual([refused]);
        expect(world.sites.received('inside')).toEqual([]);
        expect(secure.received('inside.example')).toBe(0);
        // The browser itself finds it.
        await world.visit(named);
        expect(secure.received('inside.example')).toBeGreaterThan(0);
      });

    it('learns why nothing of a private network registers, and gets it if debug mode allows', async () => {
      const named = secure.serve('inside.example', source(12, 'https://shop.example'));
      await ask([named]);
      await waitFor('the reason', async () => (await world.ignored()).length > 0);
      // Firefox tells where a name leads, Chrome only that it sent nothing.
      expect(await world.ignored()).toEqual([name === 'chrome' ? reasonOf('not-public') : refused]);
      const { debug } = await world.extension.settings();
      await world.extension.settings({ debug: { ...debug, privateNetworks: true } });
      await ask([named]);
      expect(await world.waitForRecorded(1)).toEqual(['event source 12 on news by inside']);
    });
  });
});
