import { TargetType, type Page, type Target } from 'puppeteer-core';
import { waitFor } from '../../scenarios/kit';
import { source } from './helpers/registrations';
import { browsersOfRun, useWorld, type World } from './helpers/world';

/** As a person clicks: the button of the mouse stays down for a moment. */
const human = { delay: 120 };
/** As long as a loaded machine, or a background that must start, may take to set the rule that announces a pressed link. */
const slow = { delay: 1000 };

const clicked = 'navigation source 1 on publisher by adtech';
const redirected = 'navigation source 2 on publisher by adtech';

/**
 * The shop's pages and, by letter, the addresses: A registers source 1 when asked in the background, H is on the way to
 * the shop and registers source 2.
 */
function serve({ sites }: World): (html: string) => string {
  const shop = sites.origin('shop');
  const landing = sites.page('shop', 'Welcome');
  const urls = new Map([
    ['A', sites.serve('adtech', '/a', { headers: source(1, shop) })],
    ['S', landing],
    ['H', sites.serve('adtech', '/hop', { status: 302, headers: { Location: landing, ...source(2, shop) } })],
  ]);
  return (html) => html.replace(/\b[ASH]\b/g, (letter) => urls.get(letter) ?? letter);
}

const link = (attributionSrc: string, href: string, more = ''): string =>
  `<a id="it" ${attributionSrc} href="${href}" ${more}>Buy</a>`;

const area = (attributionSrc: string, href: string): string =>
  `<img id="it" usemap="#map" width="200" height="100" alt="" src="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' width='200' height='100'/%3E">
   <map name="map"><area ${attributionSrc} href="${href}" shape="rect" coords="0,0,200,100"></map>`;

type Case = readonly [title: string, body: string, recorded: readonly string[]];

/** The registrations from one real click on #it, beside those of helpers/ways.ts. */
const clicks: readonly Case[] = [
  ['a link with a URL, whose own way redirects', link('attributionsrc="A"', 'H'), [clicked, redirected]],
  [
    'the picture in a link',
    `<a attributionsrc="A" href="S"><img id="it" width="90" height="90" alt=""></a>`,
    [clicked],
  ],
  ['an area whose own way redirects', area('attributionsrc', 'H'), [redirected]],
];

/** What happens on the page without a person's doing, or is no link with the attribute. */
const idle: readonly (readonly [title: string, body: string])[] = [
  [
    'a script clicks the link when the page loads',
    `${link('attributionsrc="A"', 'H')}<script>onload = () => setTimeout(() => it.click())</script>`,
  ],
  [
    'a script dispatches pointer and mouse events on the link',
    `${link('attributionsrc="A"', 'H')}
     <script>
       onload = () => setTimeout(() => {
         for (const type of ['pointerdown', 'mousedown', 'mouseup', 'pointerup', 'click'])
           it.dispatchEvent(new PointerEvent(type, { bubbles: true, cancelable: true, composed: true }));
       });
     </script>`,
  ],
  [
    'a script opens a window when the page loads',
    `<script>onload = () => setTimeout(() => open('H', '_self', 'attributionsrc=A'))</script>`,
  ],
];

describe.each(browsersOfRun)('clicks (%s)', (name) => {
  const world = useWorld(name);

  const clickIt = (page: Page, how: object = human): Promise<void> => page.click('#it', how);

  it.each(clicks)('register a navigation source of %s', async (_title, body, recorded) => {
    const withUrls = serve(world);
    const page = await world.open('publisher', withUrls(body));
    await clickIt(page);
    expect(await world.waitForRecorded(recorded.length)).toEqual(recorded);
    const [request] = world.sites.received('adtech', '/a');
    // ARA, "set Attribution Reporting headers".
    if (recorded.includes(clicked)) {
      expect(request?.headers).toMatchObject({ 'attribution-reporting-eligible': 'navigation-source' });
    }
  });

  it.each(idle)('of nobody register nothing: %s', async (_title, body) => {
    const withUrls = serve(world);
    await world.open('publisher', withUrls(body));
    await waitFor('the way to the shop', () => world.sites.received('adtech', '/hop').length > 0);
    // Afterwards a real one does, and is alone.
    const page = await world.open('publisher', withUrls(link('attributionsrc="A"', 'S')));
    await clickIt(page);
    expect(await world.waitForRecorded(1)).toEqual([clicked]);
    expect(world.sites.received('adtech', '/a')).toHaveLength(1);
  });

  it('on a link without attributionsrc, or that the page cancels, register nothing', async () => {
    const withUrls = serve(world);
    await clickIt(await world.open('publisher', withUrls(link('', 'H'))));
    await waitFor('the way to the shop', () => world.sites.received('adtech', '/hop').length > 0);
    await clickIt(
      await world.open('publisher', withUrls(link('attributionsrc="A"', 'S', 'onclick="return false"'))),
    );
    await clickIt(await world.open('blog', withUrls(link('attributionsrc="A"', 'S'))));
    expect(await world.waitForRecorded(1)).toEqual(['navigation source 1 on blog by adtech']);
    expect(world.sites.received('adtech', '/a')).toHaveLength(1);
  });

  it('let each origin register one set of attribution scopes', async () => {
    const { sites, extension } = world;
    const shop = sites.origin('shop');
    const urlOf = (site: string, id: number, value: string): string =>
      sites.serve(site, `/${id}`, {
        headers: source(id, shop, { attribution_scopes: { limit: 2, values: [value] } }),
      });
    const urls = [urlOf('adtech', 1, 'a'), urlOf('adtech', 2, 'b'), urlOf('other', 3, 'b')].join(' ');
    const hop = sites.redirect('adtech', sites.page('shop', 'Welcome'), {
      headers: source(4, shop, { attribution_scopes: { limit: 2, values: ['c'] } }),
    });
    await clickIt(await world.open('publisher', link(`attributionsrc="${urls}"`, hop)));
    await waitFor('two refusals', async () => {
      const log = await extension.trace();
      return (
        log.filter((entry) => entry.kind === 'ignored' && entry.reason.code === 'other-scopes').length === 2
      );
    });
    const recorded = await world.waitForRecorded(2);
    expect(recorded.map((one) => one.replace(/.* by /, '')).sort()).toEqual(['adtech', 'other']);
  });

  /** The background sleeps when it is idle, so it has heard of the page. */
  const sleeps = async (): Promise<void> => {
    await world.extension.overview();
    await world.extension.stopWorker();
  };

  /** Resolves once the background runs. Chrome drops the message of a document that is gone before; Firefox keeps it. */
  const hasStarted = async (): Promise<void> => {
    if (name !== 'chrome') return;
    const isWorker = (target: Target): boolean => target.type() === TargetType.SERVICE_WORKER;
    const worker = await (await world.browser.waitForTarget(isWorker, { timeout: 60_000 })).worker();
    await worker?.evaluate(() => undefined);
  };

  it('register their source although the background slept until the pointer came, however short the press', async () => {
    const page = await world.open('publisher', serve(world)(link('attributionsrc', 'H')));
    await sleeps();
    await page.hover('#it');
    await hasStarted();
    await clickIt(page, {});
    expect(await world.waitForRecorded(1)).toEqual([redirected]);
  });

  it('wake the background that sleeps when a person goes there by the keyboard', async () => {
    const page = await world.open('publisher', serve(world)(link('attributionsrc', 'H')));
    await sleeps();
    await page.focus('#it');
    await hasStarted();
    await page.keyboard.press('Enter');
    expect(await world.waitForRecorded(1)).toEqual([redirected]);
  });

  it('are announced to the server on the way, in time for it to answer', async () => {
    const withUrls = serve(world);
    await clickIt(await world.open('publisher', withUrls(link('attributionsrc', 'H'))), slow);
    await world.waitForRecorded(1);
    const [request] = world.sites.received('adtech', '/hop');
    expect(request?.headers).toMatchObject({ 'attribution-reporting-eligible': 'navigation-source' });
  });

  it('are announced at a URL with a wildcard in it, too', async () => {
    const { sites } = world;
    const headers = { ...source(1, sites.origin('shop')), Location: sites.page('shop', 'Welcome') };
    const hop = sites.serve('adtech', '/a*z', { status: 302, headers });
    await clickIt(await world.open('publisher', link('attributionsrc', hop)), slow);
    await world.waitForRecorded(1);
    const [request] = sites.received('adtech', '/a*z');
    expect(request?.headers).toMatchObject({ 'attribution-reporting-eligible': 'navigation-source' });
  });
});
