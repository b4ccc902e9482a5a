import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { waitFor, type BrowserName } from '../../scenarios/kit';
import { ScriptedServer } from './helpers/scripted-server';
import { browsersOfRun, isLong, useWorld } from './helpers/world';

/** How often each way is tried. */
const TIMES = isLong ? 10 : 1;
const human = { delay: 60 };
const script = (code: string): string => `<script>${code}</script>`;
const options = '{ attributionReporting: { eventSourceEligible: true, triggerEligible: false } }';
const open = (url: string): string =>
  `<button id="it">Buy</button>${script(`it.addEventListener('click', () => window.open('${url}', '_blank', 'attributionsrc'))`)}`;
/** An element that a script adds. @param set what sets its `src` */
const added =
  (tag: string, set: string): ((url: string) => string) =>
  (url) =>
    `<div id="here"></div>${script(`const added = document.createElement('${tag}');
    added.setAttribute('attributionsrc', '');
    const set = () => { added.src = '${url}'; };
    here.append(added); ${set}`)}`;

interface Way {
  readonly body: (url: string) => string;
  readonly click?: true;
  /** Where the header comes late at times. */
  readonly mayMiss?: readonly BrowserName[];
  /** The request does not wait for an extension. So often no hop has the header, and the shares are only printed. */
  readonly isUntold?: true;
}

/** How a page makes a request that is eligible. Each is redirected twice. */
const ways: Readonly<Record<string, Way>> = {
  'a click on a link': { body: (url) => `<a id="it" attributionsrc href="${url}">Buy</a>`, click: true },
  'a click on a link, in a new tab': {
    body: (url) => `<a id="it" attributionsrc href="${url}" target="_blank">Buy</a>`,
    click: true,
  },
  // Chrome makes the rule while the window opens.
  '`window.open`': { body: open, click: true, mayMiss: ['chrome'] },
  '`attributionsrc="URL"`': { body: (url) => `<img attributionsrc="${url}">` },
  '`fetch`': { body: (url) => script(`fetch('${url}', ${options})`) },
  'an `img` in the page’s HTML': { body: (url) => `<img attributionsrc src="${url}">`, isUntold: true },
  'a `script` in the page’s HTML': {
    body: (url) => `<script attributionsrc src="${url}"></script>`,
    isUntold: true,
  },
  'an `img` by script': { body: added('img', 'set();'), isUntold: true },
  'a `script` by script': { body: added('script', 'set();'), isUntold: true },
  'an `img` that gets its `src` later': { body: added('img', 'setTimeout(set, 300);'), isUntold: true },
  'a lazy `img`': {
    body: (url) =>
      `<div style="height: 9000px"></div><img attributionsrc loading="lazy" src="${url}">${script(`setTimeout(() => scrollTo(0, 9000), 300)`)}`,
    isUntold: true,
  },
};

describe.each(browsersOfRun)('the header that tells servers of an eligible request (%s)', (name) => {
  const world = useWorld(name);
  let server: ScriptedServer;
  const told = new Map<string, boolean[]>();
  beforeAll(async () => {
    server = await ScriptedServer.start('adtech', (path, { headers }) => {
      const [, id = '', hop = '1'] = path.split('/');
      (told.get(`${id}/${hop}`) ?? told.set(`${id}/${hop}`, []).get(`${id}/${hop}`))?.push(
        headers['attribution-reporting-eligible'] !== undefined,
      );
      return Number(hop) < 3
        ? {
            status: 302,
            headers: {
              'Access-Control-Allow-Origin': '*',
              Location: `/${id}/${Number(hop) + 1}/${Math.random()}`,
            },
          }
        : { headers: { 'Access-Control-Allow-Origin': '*', 'Content-Type': 'text/html' } };
    });
  });
  afterAll(() => server.close());
  it('comes with each', async () => {
    // What a try before this one counted.
    told.clear();
    for (const [id, { body, click }] of Object.values(ways).entries())
      for (let time = 0; time < TIMES; time++) {
        const page = await world.browser.newPage();
        await page.goto(world.sites.page(`publisher${id}`, body(`${server.origin}/${id}/1/${time}`)), {
          timeout: 0,
        });
        if (click === true) await page.click('#it', human);
        const isThere = (): boolean => (told.get(`${id}/3`)?.length ?? 0) > time;
        await waitFor('the last hop', isThere).catch(() => undefined);
        await page.close();
      }
    const hops = Object.entries(ways).map(([way, { mayMiss, isUntold }], id) => {
      const of = [1, 2, 3].map((hop) => told.get(`${id}/${hop}`) ?? []);
      const shares = of.map((seen) => `${seen.filter(Boolean).length} of ${seen.length}`);
      // Of one request, the only one may come late.
      const least = isUntold ? 0 : mayMiss?.includes(name) !== true ? TIMES : isLong ? 1 : 0;
      const isMissed = of.some((seen) => seen.length < least || seen.filter(Boolean).length < least);
      return { way, shares, isMissed };
    });
    // The table of docs/ways.md.
    if (isLong) console.log(hops.map(({ way, shares }) => `| ${way} | ${shares.join(' | ')} |`).join('\n'));
    expect(hops.filter(({ isMissed }) => isMissed)).toEqual([]);
  });

  // Firefox leads nowhere untrusted on this device.
  if (name === 'firefox') return;

  it('does not come with a hop that the browser does not trust', async () => {
    const seen: string[] = [];
    const plain = createServer(({ url = '', headers }, response) => {
      seen.push(`${url} ${String(headers['attribution-reporting-eligible'])}`);
      response.end();
    }).listen(0, '127.0.0.1');
    await once(plain, 'listening');
    try {
      // It leads to this device, but is no loopback address.
      const untrusted = `http://0.0.0.0:${(plain.address() as AddressInfo).port}/hop`;
      const hop = world.sites.redirect('adtech', untrusted);
      const page = await world.open('publisher', `<a id="it" attributionsrc href="${hop}">Buy</a>`);
      await page.click('#it', human);
      await waitFor('the hop', () => Promise.resolve(seen.some((one) => one.startsWith('/hop'))));
      expect(seen.filter((one) => one.startsWith('/hop'))).toEqual(['/hop undefined']);
      const [first] = world.sites.received('adtech', new URL(hop).pathname);
      expect(first?.headers).toMatchObject({ 'attribution-reporting-eligible': 'navigation-source' });
    } finally {
      plain.closeAllConnections();
      plain.close();
    }
  });
});
