import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'puppeteer-core';
import type { NotKnownYet } from '../../unit/helpers/unknowns';
import { isLong } from '../../unit/helpers/is-long';
import { pageTools } from './frame-races';
import { waitFor } from '../../../scenarios/kit';
import { declareAndShow } from './declared-image';
import { HoldingServer } from './holding-server';
import { source, trigger } from './registrations';
import type { World } from './world';

const script = (code: string): string => `<script>${code}</script>`;

/** What a scene may use. The held server's answer would register a source and a trigger. */
export interface Stage {
  readonly world: World;
  readonly held: HoldingServer;
}

/** Headers that would register both, and let any page read the answer. */
export const both = (id: number, shop: string): Readonly<Record<string, string>> => ({
  ...source(id, shop),
  ...trigger(id),
  'Access-Control-Allow-Origin': '*',
});

export interface Scene {
  /** What asks for the held answer, up to that request. Whatever happens then, the answer may register nothing. */
  readonly play: (stage: Stage) => Promise<Page>;
  /** What the answer may register nevertheless: triggers need no element. */
  readonly allows?: RegExp;
}

const NOBODY = { 'Permissions-Policy': 'attribution-reporting=()' };
const NONE = "attribution-reporting 'none'";
const html = { 'Content-Type': 'text/html' };

/** A page at a place of its own, with headers. */
const visit = (
  { world }: Stage,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Page> =>
  world.visit(
    world.sites.serve('publisher', `/scene${Math.random()}`, {
      headers: { ...html, ...headers },
      body: `<!doctype html><body>${body}`,
    }),
  );

/** Runs once the page is loaded, which it never is while it waits for an image. */
const later = (code: string): string =>
  script(`addEventListener('load', () => setTimeout(() => { ${code} }, 50));`);

/** Asks in two ways. */
const asking = (url: string): string =>
  later(`const image = new Image();
    image.setAttribute('attributionsrc', '');
    image.src = '${url}/';
    fetch('${url}/fetch', { keepalive: true }).catch(() => {});`);

/**
 * By what is not known: a page on which nothing may register by it, whatever becomes known. A policy forbids it, or nobody declared, marked
 * or pressed anything.
 */
export const scenes: Readonly<Record<NotKnownYet, Scene>> = {
  'place document': { play: (stage) => visit(stage, asking(stage.held.origin), NOBODY) },
  'place response': {
    play: async (stage) => {
      // The background hears nothing of the response that becomes the page.
      await stage.world.extension.stopWorker();
      return visit(stage, asking(stage.held.origin), NOBODY);
    },
  },
  'place frame-attribute': {
    play: (stage) => {
      const frame = stage.world.sites.page('frame', asking(stage.held.origin));
      return visit(stage, `<iframe allow="${NONE}" src="${frame}"></iframe>`);
    },
  },
  'place worker': {
    play: async (stage) => {
      // A worker of an earlier page may still be there under its own name.
      const path = `/shared-${new URL(stage.held.origin).port}.js`;
      stage.world.sites.serve('publisher', path, {
        headers: { 'Content-Type': 'text/javascript' },
        body: `onconnect = () => fetch('${stage.held.origin}/').catch(() => {})`,
      });
      return visit(stage, script(`new SharedWorker('${path}')`), NOBODY);
    },
  },
  'beginning unknown': {
    // A redirect leads to the URL that an element declares and never requests.
    play: ({ world, held }) =>
      world.open(
        'publisher',
        script(
          declareAndShow(`${held.origin}/ad`, world.sites.redirect('adtech', `${held.origin}/ad`), 1000),
        ),
      ),
    allows: /^trigger/,
  },
  'beginning missed': {
    // The background did not run when the image was requested, and then learns of a redirect to such a URL.
    play: async ({ world, held }) => {
      const first = await HoldingServer.start({ Location: `${held.origin}/ad` }, 302);
      const page = await world.open(
        'publisher',
        script(declareAndShow(`${held.origin}/ad`, `${first.origin}/`, 1000)),
      );
      await waitFor('the first hop', () => first.requests.length > 0);
      await world.extension.stopWorker();
      first.answer();
      await waitFor('the last hop', () => held.requests.length > 0);
      return page;
    },
    allows: /^trigger/,
  },
  'mark unknown': {
    play: ({ world, held }) => {
      const forged = `#${'0'.repeat(32)}.attribution-reporting=event-source`;
      return world.open(
        'publisher',
        later(`fetch('${held.origin}/${forged}', { keepalive: true }).catch(() => {})`),
      );
    },
  },
  'declaration null': {
    play: ({ world, held }) => world.open('publisher', later(`new Image().src = '${held.origin}/';`)),
    allows: /^trigger/,
  },
  'gesture none': {
    play: ({ world, held }) =>
      world.open(
        'publisher',
        `<a id="it" attributionsrc href="${held.origin}/" target="_blank">x</a>
         ${later('it.click(); setTimeout(() => { location = it.href; }, 200);')}`,
      ),
    allows: /^trigger/,
  },
  'click not-followed': {
    play: async ({ world, held }) => {
      const page = await world.open(
        'publisher',
        `<a id="it" attributionsrc href="${held.origin}/">x</a>
         ${script(`it.onclick = (event) => event.preventDefault(); addEventListener('message', () => setTimeout(() => { location = it.href; }, 5500));`)}`,
      );
      await page.click('#it', { button: 'right' });
      await page.evaluate(() => window.postMessage(''));
      return page;
    },
    allows: /^trigger/,
  },
};

export type Happening = (stage: Stage, page: Page) => Promise<unknown>;

/** Runs code in a page's own world, without waiting for what it starts. A page that is being left may answer never. */
const run = (page: Page, code: string): Promise<unknown> => {
  const started = page
    .evaluate((text) => {
      const element = document.createElement('script');
      element.textContent = `setTimeout(() => { ${text} })`;
      document.documentElement.append(element);
    }, `${pageTools} ${code}`)
    .catch(() => undefined);
  return Promise.race([started, sleep(2000)]);
};

const busy =
  (ms: number): Happening =>
  (_stage, page) =>
    run(page, `busy(${ms});`);

/** What may happen between the request and its answer. */
export const happenings: Readonly<Record<string, Happening>> = {
  'nothing else happens': () => Promise.resolve(),
  ...Object.fromEntries(
    (isLong ? [400, 1500, 3000, 6000] : [1500]).map((ms) => [`its page is busy for ${ms} ms`, busy(ms)]),
  ),
  'its messages are used up': (_stage, page) =>
    run(
      page,
      `for (let id = 0; id < 210; id++) {
         const image = new Image();
         image.setAttribute('attributionsrc', '');
         image.src = 'data:,' + id;
         image.src = '/nothing?' + id;
         document.body.append(image);
       }`,
    ),
  'the background is stopped': ({ world }) => world.extension.stopWorker(),
  'its tab is closed': (_stage, page) => page.close(),
  'its document is opened anew': (_stage, page) =>
    run(page, `document.open(); document.write('<p>new'); document.close();`),
  'its frames are removed': (_stage, page) =>
    run(page, `for (const one of [...document.querySelectorAll('iframe')]) one.remove();`),
};
