import type { Page } from 'puppeteer-core';
import { lotsOf, seededRandomStreams, seededSecret } from '../../analysis/random/sources';
import { arms, armOf, type Arm } from '../../recording/lift-test';
import { waitFor } from '../../scenarios/kit';
import { defaultSettings } from '../../formats/settings/settings';
import { epsilon, moment, type Site } from '../../src/model/units';
import { browsersOfRun, calm, itInSoak, useWorld } from './helpers/world';

/* Ads of a lift test in real pages: what the person sees, what reports say, and what the page can find out of it. */

const liftTest = { campaign: 'campaign', holdout: 0.5 };
const budget = {
  ...defaultSettings.budget,
  unit: 'user-advertiser',
  period: 365,
  epsilon: epsilon(14),
  cap: 10,
} as const;
const CAMPAIGN = 'spring';
const SIZE = 80;
/** Of the ad that is shown late: larger than all else. */
const LARGE = 240;

const tested = {
  reportingSite: 'http://adtech.localhost' as Site,
  destination: 'http://shop.localhost' as Site,
  name: CAMPAIGN,
};

/** With which a device has the arm now, and would have the other one if the site of the images were that of the sources. */
function seedFor(arm: Arm): string {
  for (let number = 0; ; number++) {
    const seed = JSON.stringify(['lift', `person ${number}`]);
    const lots = lotsOf(seededSecret(seededRandomStreams(seed)));
    const drawn = (reportingSite: string): Arm =>
      armOf(liftTest, budget, { ...tested, reportingSite: reportingSite as Site }, moment(Date.now()), lots);
    if (drawn(tested.reportingSite) === arm && drawn('http://cdn.localhost') !== arm) return seed;
  }
}

/** Chrome's largest contentful paint leaves out images of few bytes. */
const image = (colour: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="${SIZE}" height="${SIZE}"><!--${'x'.repeat(4000)}--><rect width="100%" height="100%" fill="${colour}"/></svg>`;

/** Notes all that browsers tell a page, and asks for the rest when it is called. */
const hostile = `<script>
const notes = new Set();
const note = (...words) => notes.add(words.join(' '));
const path = (url) => String(url ?? '').replace(/^.*[/]/, '');
// When the document itself is loaded and its text painted, and how long tasks and input take, depends on what else the machine does.
const ofTheMachine = ['longtask', 'long-animation-frame', 'event', 'first-input', 'visibility-state', 'navigation', 'paint'];
for (const type of PerformanceObserver.supportedEntryTypes)
  if (!ofTheMachine.includes(type))
    new PerformanceObserver((list) => list.getEntries().filter(({ element }) => element?.nodeName !== 'P').forEach(({ name, url, size, id, element, initiatorType, value, renderTime }) =>
      note(type, path(name), path(url), size, id, element?.id, initiatorType, value, renderTime > 0))).observe({ type, buffered: true });
for (const name in window)
  if (name.startsWith('on') && !/mouse|pointer|scroll|visibility|focus|blur|device|resize/.test(name))
    addEventListener(name.slice(2), ({ type, target }) => { if (target instanceof Element) note('event', type, target.id, target.nodeName); }, true);
new MutationObserver((records) => records.forEach(({ type, target, attributeName }) => note(type, target.nodeName, attributeName)))
  .observe(document, { attributes: true, childList: true, subtree: true, characterData: true });
const listening = EventTarget.prototype.addEventListener;
EventTarget.prototype.addEventListener = function (...given) { note('listens', given[0]); return Reflect.apply(listening, this, given); };
customElements.define('own-ad', class extends HTMLElement { constructor() { super(); this.internals = this.attachInternals(); } });
addEventListener('dragstart', (event) => {
  note('drag', event.dataTransfer.getData('text/html'), event.dataTransfer.getData('text/plain'));
  event.preventDefault();
});
const attach = Element.prototype.attachShadow;
Element.prototype.attachShadow = function (init) { const tree = Reflect.apply(attach, this, [init]); note('attached'); window.found = tree; return tree; };
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
async function asked() {
  const host = document.querySelector('#ad');
  const at = host.getBoundingClientRect();
  note('box', at.width, at.height, host.shadowRoot, window.found?.innerHTML, host.innerHTML, host.outerHTML);
  for (const one of document.querySelectorAll('[data-lift-campaign]')) {
    note('tree', one.id, one.internals?.shadowRoot?.innerHTML, one.getHTML?.({ serializableShadowRoots: true }), one.innerHTML);
    for (const inner of one.querySelectorAll('*')) {
      const { width, height } = inner.getBoundingClientRect();
      note('inner', inner.nodeName, inner.shadowRoot, inner.style.cssText, width, height);
      try { inner.attachShadow({ mode: 'open' }); note('attached'); } catch (error) { note('refused', error.name); }
    }
  }
  document.querySelector('#late').style.display = 'block';
  await pause(500);
  note('style', JSON.stringify([...getComputedStyle(host)].map((name) => [name, getComputedStyle(host).getPropertyValue(name)])));
  for (let x = 1; x < 80; x += 13)
    for (let y = 1; y < 80; y += 13) note('point', document.elementsFromPoint(at.x + x, at.y + y).map(({ nodeName, id }) => nodeName + id));
  for (const act of [() => host.attachShadow({ mode: 'open' }), () => document.images.length, () => getSelection().selectAllChildren(host), () => String(getSelection()),
    () => JSON.stringify(localStorage), () => JSON.stringify(sessionStorage), () => document.cookie, () => document.getAnimations().length,
    () => document.caretRangeFromPoint?.(at.x + 5, at.y + 5)?.startContainer.nodeName, () => window.frames.length])
    try { note('act', act()); } catch (error) { note('act', error.name); }
  note('databases', (await indexedDB.databases()).length, (await window.caches?.keys() ?? []).length);
  await new Promise((resolve) => {
    try {
      new IntersectionObserver(([{ isVisible, intersectionRatio }]) => { note('seen', isVisible, intersectionRatio); resolve(); },
        { trackVisibility: true, delay: 100 }).observe(host);
    } catch { resolve(); }
  });
  note('answer', await (async () => { try { return JSON.stringify(await chrome.runtime.sendMessage({ kind: 'lift-ad' })); } catch { return 'none'; } })());
}
function noted() {
  return [...notes].sort();
}
function selectAll() {
  getSelection().setBaseAndExtent(document.querySelector('#before'), 0, document.querySelector('#after'), 1);
}
</script>`;

describe.each(browsersOfRun)('a lift test (%s)', (name) => {
  const world = useWorld(name);

  const withSeed = (arm: Arm): Promise<unknown> =>
    world.extension.settings({
      liftTest,
      budget,
      debug: {
        enabled: true,
        noise: false,
        delay: true,
        seed: seedFor(arm),
        debugReports: false,
        privateNetworks: false,
      },
    });

  const imageOf = (colour: string): string =>
    world.sites.serve('cdn', `/${colour}.svg`, {
      headers: { 'Content-Type': 'image/svg+xml' },
      body: image(colour),
    });

  /**
   * The ad of the campaign is red, the other one blue.
   * @param without what the element has where no test is: it may be painted before the answer of the background comes
   */
  const pageWithAd = (more = '', without = ''): string => {
    const { sites } = world;
    const ad = sites.source(
      'adtech',
      {
        source_event_id: '7',
        destination: sites.origin('shop'),
        priority: '1',
        filter_data: { campaign: [CAMPAIGN] },
        trigger_data: [0, 1],
        trigger_data_matching: 'exact',
        max_event_level_reports: 1,
      },
      { path: '/ad' },
    );
    const host = (id: string, left: number, size: number, inner: string, tag = 'div', style = ''): string =>
      `<${tag} id="${id}" style="position: absolute; left: ${left}px; top: 100px; ${style}" data-lift-campaign="${CAMPAIGN}"
      data-lift-reporting-origin="${sites.origin('adtech')}"
      data-lift-destination="${sites.origin('shop')}" data-lift-size="${size}x${size}"
      data-lift-exposed="${imageOf('red')}" data-lift-holdout="${imageOf('blue')}">${inner}</${tag}>`;
    const tree = '<template shadowrootmode="closed" shadowrootserializable><slot></slot></template>';
    return sites.page(
      'news',
      [
        more,
        '<p id="before">before</p>',
        host('ad', 100, SIZE, without),
        host('own', 200, SIZE, '', 'own-ad'),
        host('declared', 300, SIZE, tree),
        host('late', 400, LARGE, '', 'div', 'display: none'),
        '<p id="after" style="margin-top: 400px">after</p>',
        `<img attributionsrc="${ad}">`,
      ].join(''),
      '/news',
    );
  };

  /** In the middle of the ad, as a person sees it: red, green and blue. */
  const colourIn = async (page: Page, left = 100): Promise<string> => {
    const clip = { x: left + SIZE / 2, y: 100 + SIZE / 2, width: 4, height: 4 };
    const picture = await page.screenshot({ encoding: 'base64', clip });
    const colours: Readonly<Record<string, string>> = { '255,0,0': 'red', '0,0,255': 'blue' };
    const [red, green, blue] = await page.evaluate(async (data) => {
      const bitmap = await createImageBitmap(await (await fetch(`data:image/png;base64,${data}`)).blob());
      const context = new OffscreenCanvas(4, 4).getContext('2d');
      context?.drawImage(bitmap, 0, 0);
      return [...(context?.getImageData(1, 1, 1, 1).data ?? [])];
    }, picture);
    return colours[`${red},${green},${blue}`] ?? '';
  };

  const seen = (page: Page, left = 100): Promise<string> =>
    waitFor('the ad to be shown', async () => (await colourIn(page, left)) || null, { interval: 200 });

  /** As a person takes what they selected to another window. */
  const dragSelection = async (page: Page): Promise<void> => {
    await page.evaluate('selectAll()');
    const at = await (await page.waitForSelector('#before'))?.boundingBox();
    if (!at) throw new Error('the text is not shown');
    await page.mouse.move(at.x + 15, at.y + at.height / 2);
    await page.mouse.down();
    await page.mouse.move(at.x + 200, at.y + 60, { steps: 10 });
    await waitFor('the drag', () => page.evaluate(`[...notes].some((one) => one.startsWith('drag'))`));
    await page.mouse.up();
  };

  test.each(arms)(
    'the person of the arm %s sees its ad, and the report says the arm by its data',
    async (arm) => {
      await withSeed(arm);
      const page = await world.visit(pageWithAd());
      expect(await seen(page)).toBe(arm === 'exposed' ? 'red' : 'blue');
      await world.waitForRecorded(1);
      const pixel = world.sites.trigger('adtech', {
        event_trigger_data: [
          { trigger_data: '2', filters: { arm: ['none'] } },
          { trigger_data: '0', filters: { arm: ['exposed'] } },
          { trigger_data: '1', filters: { arm: ['holdout'] } },
        ],
      });
      await world.open('shop', `<img src="${pixel}">`);
      await world.waitForRecorded(2);
      await world.extension.deliverAll();
      const [report] = await world.sites.waitForReports(1);
      expect(report?.body).toMatchObject({
        source_event_id: '7',
        trigger_data: arm === 'exposed' ? '0' : '1',
      });
    },
  );

  test('a page and the server of the ads find no difference between the arms', async () => {
    const found: unknown[] = [];
    const url = pageWithAd(hostile);
    for (const arm of arms) {
      await withSeed(arm);
      const before = world.sites.received().length;
      const page = await world.visit(url);
      for (const left of [100, 200, 300])
        expect(await seen(page, left)).toBe(arm === 'exposed' ? 'red' : 'blue');
      await page.evaluate('asked()');
      expect(await seen(page, 400)).toBe(arm === 'exposed' ? 'red' : 'blue');
      await dragSelection(page);
      const notes = (await page.evaluate('noted()')) as string[];
      const requests = world.sites
        .received()
        .slice(before)
        .map(({ path, headers }) => `${path} ${Object.keys(headers).join(' ')}`)
        .sort();
      found.push({ notes, requests });
      // The page does look, and both images were asked for.
      expect(notes).toContainEqual(expect.stringMatching(/^point DIVad/));
      expect(notes).toContainEqual(expect.stringMatching(/^drag .*before[^]*after/));
      expect(requests.filter((one) => one.includes('.svg'))).toHaveLength(2);
      await world.visit('about:blank');
    }
    expect(found[1]).toEqual(found[0]);
  });

  itInSoak(
    'a test that ended is over for the next one, also if the background was stopped before it could end it',
    async () => {
      const { extension, sites } = world;
      await withSeed('exposed');
      await world.visit(pageWithAd());
      await world.waitForRecorded(1);
      for (const change of [{ liftTest: null }, { liftTest }]) await extension.settings(change);
      await extension.stopWorker();
      const pixel = sites.trigger('adtech', {
        event_trigger_data: [{ trigger_data: '0', filters: { arm: ['exposed', 'holdout'] } }],
      });
      await world.open('shop', `<img src="${pixel}">`);
      await world.waitForRecorded(2);
      expect(await extension.reports()).toEqual([]);
    },
  );

  itInSoak('without a test, the page shows what it has', async () => {
    await world.extension.settings(calm);
    const page = await world.visit(pageWithAd('', 'waiting'));
    expect(await page.evaluate(`document.querySelector('#ad').innerText`)).toBe('waiting');
  });
});
