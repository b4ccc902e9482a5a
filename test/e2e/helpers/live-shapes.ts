import type { Page } from 'puppeteer-core';
import type { Json, JsonObject } from '../../../src/model/json';
import { defaultSettings } from '../../../formats/settings/settings';
import { epsilon } from '../../../src/model/units';
import { catchDownloads, choose, fill, goTo, press, shown, unfold } from './internals';
import { AGGREGATION_SERVICE } from '../../../w3c/service';
import { newSealingKey, type SealingKey } from './sealing-key';
import { researcher, trialFor } from './trials';
import { drafts, type Visit } from './workbench-shapes';
import { joined, type Work, type WorkCounter } from './work-count';
import { calm, type World } from './world';

/** Visits in one document: to load it takes longer than to show the next view. */
interface Visits {
  readonly file: string;
  readonly visits: readonly Visit[];
}

const rules = (n: number, url: string): readonly JsonObject[] =>
  Array.from({ length: n }, (_, index) => ({
    id: `rule-${index}`,
    matches: [`${url}/*`],
    selector: 'b',
    on: 'visit',
    register: 'trigger',
    reportingOrigin: 'https://adtech.example',
    registration: {
      event_trigger_data: [{ value: { $extract: { selector: null, attribute: null, as: 'integer' } } }],
    },
  }));

/** Equally long for each number, because names of more than 15 characters are no IPv4 addresses. */
const siteOf = (name: string, index: number): string =>
  `https://${name}-${String(index).padStart(6, '0')}.example`;

const sites = (n: number): readonly string[] =>
  Array.from({ length: n }, (_, index) => siteOf('site', index));

/** The device with `n` of all that sites, files and links bring onto it. */
async function fillDevice(world: World, n: number, key: SealingKey): Promise<void> {
  const { extension } = world;
  const page = world.sites.origin('publisher');
  await extension.clear();
  // Impressions of the week of an erasure count for no conversion.
  await extension.advance(14 * 86_400_000);
  await extension.settings({
    ...calm,
    rules: rules(n, page) as never,
    pausedSites: sites(n),
    w3cAttribution: true,
    aggregationKeys: [key.setting],
    budget: {
      ...defaultSettings.budget,
      unit: 'user-publisher',
      epsilon: epsilon(1e6),
      cap: 1000,
      joint: { epsilon: 1e6, reportingSite: 1e6, sourceSite: 1e6, destination: 1e6 },
    } as never,
  });
  const on = { contextOrigin: page, reportingOrigin: 'https://adtech.example' };
  for (let id = 0; id < n; id++) {
    await extension.register('navigation', { source_event_id: String(id), destination: page }, on);
    await extension.register('trigger', { event_trigger_data: [{}] }, on);
    const contextOrigin = siteOf('seen', id);
    await extension.register('event', { destination: page }, { ...on, contextOrigin });
    await extension.w3c.saveImpression(
      { histogramIndex: id, conversionSites: ['shop.example'] },
      { site: new URL(siteOf('news', id)).host },
    );
  }
  // Each is told all that it matched, so more calls would make what is stored grow with the square.
  for (let calls = 0; calls < 2; calls++)
    await extension.w3c.measureConversion(
      { aggregationService: AGGREGATION_SERVICE, histogramSize: n, epsilon: 0.1 },
      { site: 'shop.example' },
    );
}

/** Saves what is on the device, without the truth and as a scenario. */
async function saveAll(page: Page): Promise<void> {
  const downloads = await catchDownloads(page);
  for (const button of ['#export-state', '#export-scenario']) {
    await press(page, button);
    await downloads.next();
  }
  await downloads.end();
}

/** Begins to simulate, which a worker then does, and leaves. */
async function begin(page: Page, button: string): Promise<void> {
  await press(page, button);
  await goTo(page, '#/debug');
}

async function setOptions(page: Page, n: number): Promise<void> {
  const change = (path: string, text: string): Promise<void> => fill(page, `[id="setting-${path}"]`, text);
  await press(page, '[id="setting-aggregationKeys-add"]');
  await change('aggregationKeys[0].key', 'x'.repeat(n));
  await change('pausedSites', sites(n).join('\n'));
  await press(page, '#add-rule');
  await fill(page, '#rule-new', JSON.stringify(rules(n, 'https://shop.example')[0]));
  const settings = { ...calm, rules: rules(n, 'https://shop.example') };
  await choose(page, '#import-settings', JSON.stringify(settings));
  // Importing makes the rules' fields anew.
  await page.waitForFunction(() =>
    document.querySelector<HTMLTextAreaElement>('.rule textarea')?.value.includes('https://shop.example'),
  );
  await page.evaluate(() => document.querySelectorAll<HTMLElement>('.rule button')[1]?.click());
  await page.waitForSelector('.rule-trial');
}

/** Searches for a number, and gets one row more. */
async function searchLog(world: World, page: Page): Promise<void> {
  await fill(page, '#search', '12');
  await world.extension.register(
    'trigger',
    { event_trigger_data: [{}] },
    { contextOrigin: 'https://shop.example', reportingOrigin: 'https://adtech.example' },
  );
  await moveFocus(page, 'th button');
}

/** With the keyboard. */
const moveFocus = (page: Page, selector: string): Promise<void> =>
  page.evaluate((of) => {
    const control = document.querySelector<HTMLElement>(of);
    control?.focus();
    control?.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true }));
  }, selector);

const trialOf = (n: number, version: number): JsonObject =>
  trialFor(100 * 86_400_000, {
    version,
    title: { en: 'x'.repeat(n), de: 'x'.repeat(n) },
    registrations: [
      { name: 'x'.repeat(n), sourceType: 'event', registration: { destination: 'https://shop.example' } },
    ],
    researcher: { name: `Univеrsity of Example ${version}`, contact: 'https://exаmple.example' },
    settings: {
      rules: rules(n + version, 'https://shop.example') as Json,
      collector: 'https://collector.example',
    },
  });

const devicePages = (world: World, n: number): readonly Visits[] => [
  { file: 'popup.html', visits: [{ view: '', act: (page) => press(page, '#pause-here') }] },
  {
    file: 'internals.html',
    visits: [
      { view: '#/w3c' },
      { view: '#/budget' },
      { view: '#/leaves' },
      { view: '#/debug' },
      { view: '#/log', act: (page) => searchLog(world, page) },
      { view: '#/data', act: saveAll },
      { view: '#/worlds', act: (page) => begin(page, '#replay-worlds') },
      // At both sizes more than are listed of mistakes, and more than can be too deep.
      ...drafts(16 * n),
    ],
  },
  { file: 'options.html', visits: [{ view: '', act: setOptions }] },
];

const consentPage: Visits = { file: 'consent.html', visits: [{ view: '' }] };

/**
 * The editor parses in slices of time, and draws a window of the text. A simulation has at most 1,000 results. Preact searches the rows that
 * were there for each new one: of the longest list, 10,000 impressions, these are some million comparisons.
 */
export const boundedOnDevice =
  /^node_modules\/(@codemirror|@lezer|preact\/src\/diff\/children)|^extension\/pages\/simulate\/use-runs/;

/** Runs in a page. How often it asks the background again depends on the machine's speed, not on what it shows. */
function withoutRefresh(): void {
  const wait = globalThis.setTimeout.bind(globalThis);
  const short = (run: () => void, delay = 0): number =>
    delay >= 1000 ? 0 : (wait(run, delay) as unknown as number);
  Object.assign(globalThis, { setTimeout: short });
}

/** Shows everything that a device holds, in one tab. */
export async function measureDevice(
  world: World,
  counterOf: (page: Page) => Promise<WorkCounter>,
): Promise<(n: number) => Promise<Work>> {
  const key = await newSealingKey();
  // The only page: V8 counts the work of all that share a process, also of those that it compiled before.
  const page = await world.extension.page();
  const { href: address } = new URL('internals.html', page.url());
  await page.evaluateOnNewDocument(withoutRefresh);
  const show = async ({ file, visits }: Visits, n: number, counter: WorkCounter): Promise<Work> => {
    // Of another address in the same document, only the fragment would change.
    await page.goto('about:blank');
    await page.goto(new URL(`${file}${visits[0]?.view ?? ''}`, address).href);
    for (const { view, act } of visits) {
      await goTo(page, view);
      await shown(page);
      await unfold(page);
      await act?.(page, n);
      await shown(page);
    }
    return counter.take();
  };
  return async (n) => {
    await world.agreeAnew();
    await world.open('publisher', '<b>1</b>');
    await page.bringToFront();
    await fillDevice(world, n, key);
    const counter = await counterOf(page);
    const works: Work[] = [];
    for (const one of devicePages(world, n)) works.push(await show(one, n, counter));
    for (const version of [1, 2]) {
      const trial = await researcher.sign(trialOf(n, version));
      await world.extension.send({ kind: 'offer-trial', trial });
      works.push(await show(consentPage, n, counter));
      if (version === 1) await world.extension.accept();
    }
    // The consent page must not see that the answers are taken back.
    await page.goto(address);
    return joined(works);
  };
}
