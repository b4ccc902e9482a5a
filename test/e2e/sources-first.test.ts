import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'puppeteer-core';
import { seededRandomSource } from '../../analysis/random/sources';
import { uniformBelow } from '../../src/privacy/uniform';
import { waitFor } from '../../scenarios/kit';
import { source, trigger } from './helpers/registrations';
import { ScriptedServer } from './helpers/scripted-server';
import { browsers, browsersOfRun, isLong, useWorld } from './helpers/world';

/** In ms: the most that the answers to a click's sources take. */
const LATEST = 3000;
/** As a person clicks: the button of the mouse stays down for a moment. */
const human = { delay: 60 };
const script = (code: string): string => `<script>${code}</script>`;

interface Urls {
  readonly source: string;
  readonly trigger: string;
  readonly landing: string;
  /** A frame whose body converts. */
  readonly frame: string;
}

/** What a click opens. */
const openings: Readonly<Record<string, { body: (urls: Urls) => string; button?: 'middle' }>> = {
  'the same tab': {
    body: (urls) => `<a id="it" attributionsrc="${urls.source}" href="${urls.landing}">Buy</a>`,
  },
  'a new tab': {
    body: (urls) =>
      `<a id="it" attributionsrc="${urls.source}" href="${urls.landing}" target="_blank" rel="noopener">Buy</a>`,
  },
  'a window': {
    body: (urls) =>
      `<button id="it">Buy</button>${script(`it.addEventListener('click', () => window.open('${urls.landing}', '_blank', 'attributionsrc=' + encodeURIComponent('${urls.source}')))`)}`,
  },
  'a tab by the middle button': {
    body: (urls) => `<a id="it" attributionsrc="${urls.source}" href="${urls.landing}">Buy</a>`,
    button: 'middle',
  },
};

/** How the page converts to which the click leads. */
const conversions: Readonly<Record<string, (urls: Urls) => string>> = {
  'an attributionsrc': ({ trigger: url }) => `<img attributionsrc="${url}">`,
  'an attributionsrc whose answer redirects': ({ trigger: url }) =>
    `<script attributionsrc="${url}?hop"></script>`,
  'an attributionsrc in a frame': ({ frame }) => `<iframe src="${frame}"></iframe>`,
  'an image': ({ trigger: url }) => `<img src="${url}">`,
  'a fetch': ({ trigger: url }) => script(`fetch('${url}')`),
  'a fetch in a worker': ({ trigger: url }) =>
    script(`new Worker(URL.createObjectURL(new Blob(["fetch('${url}')"], { type: 'text/javascript' })))`),
  'the page itself': () => '',
  'a recording rule': () => '',
};

describe.each(browsers)(
  'a conversion waits for the sources of the click that led to its page (%s)',
  (name) => {
    const world = useWorld(name);
    let ad: ScriptedServer;
    const delays = new Map<string, number>();

    beforeAll(async () => {
      ad = await ScriptedServer.start('ad', (path, { headers }) => {
        const host = String(headers.host);
        const id = /^ad(\d+)/.exec(host)?.[1] ?? '';
        const after = delays.get(id) ?? 0;
        if (path === '/hop') return { status: 302, headers: { Location: '/s' }, after: after / 2 };
        if (path === '/s')
          return {
            headers: source(Number(id), [world.sites.origin(`shop${id}`), `http://${host}`]),
            after: after / 2,
          };
        if (path === '/t?hop') return { status: 302, headers: { Location: '/t' } };
        return {
          headers: { 'Access-Control-Allow-Origin': '*', 'Content-Type': 'text/html', ...trigger(1) },
        };
      });
    });
    afterAll(() => ad.close());

    const originOf = (id: number): string => ad.origin.replace('//ad.', `//ad${id}.`);

    /** Opens a page, and clicks on its link. @returns the page with the click */
    const click = async (id: number, opening: keyof typeof openings, body: string): Promise<Page> => {
      const { button } = openings[opening] ?? {};
      const page = await world.browser.newPage();
      await page.goto(world.sites.page(`publisher${id}`, body), { timeout: 0 });
      await page.click('#it', { ...human, ...(button === undefined ? {} : { button }) });
      return page;
    };

    /** What became of the conversions, by their number. */
    const outcomes = async (): Promise<ReadonlyMap<number, unknown>> => {
      const log = await world.extension.trace();
      return new Map(
        log.flatMap((entry) =>
          entry.kind === 'trigger'
            ? [[Number(/ad(\d+)/.exec(entry.reportingOrigin)?.[1]), entry.decision.kind]]
            : [],
        ),
      );
    };

    const pairs = Object.keys(openings).flatMap((opening) =>
      Object.keys(conversions).map((conversion) => [opening, conversion] as const),
    );
    // What to wait for is for our own code to decide, so each conversion once; the browser tells of each opening, and whose request it is.
    const ofBrowser = [
      'an attributionsrc',
      'an attributionsrc in a frame',
      'a fetch in a worker',
      'the page itself',
    ];
    const few = browsersOfRun.includes(name) ? Object.keys(conversions) : ofBrowser;
    const tried = isLong
      ? pairs
      : pairs.filter(
          ([opening, conversion]) =>
            Object.keys(openings)[few.indexOf(conversion) % Object.keys(openings).length] === opening,
        );

    it('however it is asked for, and whatever the click opens', async () => {
      const random = seededRandomSource('sources-first', 1);
      await world.extension.settings({
        rules: tried.flatMap(([, conversion], id) =>
          conversion !== 'a recording rule'
            ? []
            : [
                {
                  id: `rule${id}`,
                  matches: [`${world.sites.origin(`shop${id}`)}/*`],
                  selector: null,
                  on: 'visit',
                  register: 'trigger',
                  reportingOrigin: originOf(id),
                  registration: { event_trigger_data: [{ trigger_data: '1' }] },
                },
              ],
        ),
      });
      await sleep(500);
      for (const [id, [opening, conversion]] of tried.entries()) {
        delays.set(String(id), Number(uniformBelow(random, BigInt(LATEST))));
        const urls = { source: `${originOf(id)}/hop`, trigger: `${originOf(id)}/t`, landing: '', frame: '' };
        const frame = world.sites.page(`frame${id}`, `<img attributionsrc="${urls.trigger}">`);
        const landing =
          conversion === 'the page itself'
            ? urls.trigger
            : world.sites.page(`shop${id}`, conversions[conversion]?.({ ...urls, frame }) ?? '');
        await click(id, opening, openings[opening]?.body({ ...urls, landing }) ?? '');
      }
      const enough = async (): Promise<boolean> => (await outcomes()).size === tried.length;
      await waitFor('all conversions', enough).catch(() => undefined);
      const decided = await outcomes();
      const lost = tried.flatMap(([opening, conversion], id) =>
        decided.get(id) === 'attributed'
          ? []
          : [`${conversion} after ${delays.get(String(id))} ms in ${opening}: ${String(decided.get(id))}`],
      );
      expect(lost).toEqual([]);
    });
  },
);
