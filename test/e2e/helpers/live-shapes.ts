import type { Page } from 'puppeteer-core';
import type { Json, JsonObject } from '../../../src/model/json';
import { defaultSettings } from '../../../formats/settings/settings';
import { epsilon } from '../../../src/model/units';
import { toBase64Url } from '../../../formats/codec/base64-url';
import { catchDownloads, choose, clipboardOf, fill, goTo, press, shown, typeInto, unfold } from './internals';
import { AGGREGATION_SERVICE } from '../../../w3c/service';
import { newSealingKey, type SealingKey } from './sealing-key';
import { researcher, trialFor } from './trials';
import { joined, type Work, type WorkCounter } from './work-count';
import { calm, type World } from './world';

/** A page of the extension, and what a person does there. */
interface Stop {
  readonly path: string;
  readonly act?: (page: Page, n: number) => Promise<unknown>;
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

const sites = (n: number): readonly string[] =>
  Array.from({ length: n }, (_, index) => `https://site-${index}.example`);

/** The device with `n` of all that sites, files and links bring onto it. */
async function fillDevice(world: World, n: number, key: SealingKey): Promise<void> {
  const { extension } = world;
  const page = world.sites.origin('publisher');
  await extension.clear();
  await extension.settings({
    ...calm,
    rules: rules(n, page) as never,
    pausedSites: sites(n) as never,
    w3cAttribution: true,
    aggregationKeys: [key.setting],
    budget: {
      ...defaultSettings.budget,
      unit: 'user-publisher',
      epsilon: epsilon(1e6),
      joint: { epsilon: 1e6, reportingSite: 1e6, sourceSite: 1e6, destination: 1e6 },
    } as never,
  });
  const on = { contextOrigin: page, reportingOrigin: 'https://adtech.example' };
  for (let id = 0; id < n; id++) {
    await extension.register('navigation', { source_event_id: String(id), destination: page }, on);
    await extension.register('trigger', { event_trigger_data: [{}] }, on);
    const contextOrigin = `https://site-${id}.example`;
    await extension.register('event', { destination: page }, { ...on, contextOrigin });
    const conversionSites = sites(n).map((site) => new URL(site).host);
    await extension.w3c.saveImpression(
      { histogramIndex: id, conversionSites: [...conversionSites, 'shop.example'] },
      { site: `news-${id}.example` },
    );
  }
  for (let calls = 0; calls < n / 4; calls++)
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
  await change('attribution', `["${'x'.repeat(n)}"]`);
  await change('pausedSites', sites(n).join('\n'));
  await press(page, '#add-rule');
  await fill(page, '#rule-new', JSON.stringify(rules(n, 'https://shop.example')[0]));
  const settings = { ...calm, rules: rules(n, 'https://shop.example') };
  await choose(page, '#import-settings', JSON.stringify(settings));
  await page.evaluate(() => document.querySelectorAll<HTMLElement>('.rule button')[1]?.click());
  await page.waitForSelector('.rule-trial');
}

const devicePages: readonly Stop[] = [
  { path: 'popup.html', act: (page) => press(page, '#pause-here') },
  { path: 'internals.html#/w3c' },
  { path: 'internals.html#/budget' },
  { path: 'internals.html#/leaves' },
  { path: 'internals.html#/debug' },
  { path: 'internals.html#/data', act: saveAll },
  { path: 'internals.html#/worlds', act: (page) => begin(page, '#replay-worlds') },
  { path: 'options.html', act: setOptions },
];

const encoded = (text: string): string => toBase64Url(new TextEncoder().encode(text));

/** A link to the workbench with two drafts. */
const benchOf = (as: string, draft: Json): string => {
  const json = encoded(JSON.stringify(draft));
  return `internals.html#/workbench?as=${as}&json=${json}&kept-as=${as}&kept-json=${json}`;
};

const draftSource = (n: number): Json => ({
  destination: 'https://shop.example',
  event_report_windows: { end_times: [3600, 86_400] },
  max_event_level_reports: 2,
  unknown: Array<number>(n).fill(0),
  filter_data: { x: Array.from({ length: n }, (_, index) => String(index)) },
});

async function useBench(page: Page, n: number): Promise<void> {
  await page.waitForSelector('.cm-content');
  await press(page, '#swap');
  for (const [knob, value] of Object.entries({ windows: 2, triggerData: 2, buckets: 1, epsilon: 2 }))
    await fill(page, `#knob-${knob}`, String(value));
  await page.evaluate(() => {
    const key = new KeyboardEvent('keydown', { key: 'ArrowLeft', bubbles: true });
    document.querySelector('.window-bar .handle')?.dispatchEvent(key);
  });
  await clipboardOf(page, '#copy-markdown');
  await typeInto(page, '#registration', `{"unknown": "${'x'.repeat(n)}", "event_level`);
  await page.waitForSelector('.cm-tooltip-autocomplete');
}

const drafts = (n: number): readonly Stop[] => [
  { path: benchOf('navigation', { ...(draftSource(n) as JsonObject), filter_data: {} }), act: useBench },
  { path: benchOf('navigation', draftSource(n)) },
  {
    path: benchOf('trigger', {
      event_trigger_data: Array.from({ length: n }, () => ({ trigger_data: 'x' })),
    }),
  },
];

const trialOf = (n: number, version: number): JsonObject =>
  trialFor(86_400_000, {
    version,
    title: { en: 'x'.repeat(n), de: 'x'.repeat(n) },
    researcher: { name: `Univеrsity of Example ${version}`, contact: 'https://exаmple.example' },
    settings: {
      rules: rules(n + version, 'https://shop.example') as Json,
      collector: 'https://collector.example',
    },
  });

/** Runs each shape on the device, in one tab. */
export async function measureDevice(
  world: World,
  counterOf: (page: Page) => Promise<WorkCounter>,
): Promise<(n: number) => Promise<Work>> {
  await world.open('publisher', '<b>1</b>');
  const key = await newSealingKey();
  const page = await world.extension.openPage('pages/internals.html');
  await page.bringToFront();
  const counter = await counterOf(page);
  const show = async (stops: readonly Stop[], n: number): Promise<readonly Work[]> => {
    const all: Work[] = [];
    for (const { path, act } of stops) {
      await counter.take();
      // Of another address in the same document, only the fragment would change.
      await page.goto('about:blank');
      await page.goto(new URL(path, counter.address).href);
      await shown(page);
      await unfold(page);
      await act?.(page, n);
      await shown(page);
      all.push(await counter.take());
    }
    return all;
  };
  return async (n) => {
    await fillDevice(world, n, key);
    const works = [...(await show([...devicePages, ...drafts(n)], n))];
    for (const version of [1, 2]) {
      await world.extension.send({
        kind: 'offer-trial',
        trial: await researcher.sign(trialOf(n, version)),
      });
      works.push(...(await show([{ path: 'consent.html' }], n)));
      if (version === 1) await world.extension.accept();
    }
    works.push(...(await show([{ path: 'internals.html#/leaves' }, { path: 'options.html' }], n)));
    await world.agreeAnew();
    return joined(works);
  };
}
