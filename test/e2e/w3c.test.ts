import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Page } from 'puppeteer-core';
import { accept } from '../../cli/io/input';
import { replayCalls } from '../../analysis/scenario/calls/replay-calls';
import { parseScenario } from '../../analysis/scenario/scenario';
import { chromiumLimits } from '../../src/model/limits';
import { waitFor } from '../../scenarios/kit';
import type { Json } from '../../src/model/json';
import { openPayload } from '../../formats/reports/seal-in-browser';
import { histogramIn, readReport } from '../../w3c/report';
import { AGGREGATION_SERVICE } from '../../w3c/service';
import { openView, shows } from './helpers/internals';
import { newSealingKey, type SealingKey } from './helpers/sealing-key';
import { browsersOfRun, calm, itInSoak, useWorld } from './helpers/world';

/* `navigator.attribution` in real pages. */

const IMPRESSION = `navigator.attribution.saveImpression({ histogramIndex: 2, conversionSites: ['shop.localhost'] })`;
const CONVERSION = `navigator.attribution.measureConversion({
  aggregationService: ${JSON.stringify(AGGREGATION_SERVICE)}, histogramSize: 4, epsilon: 0.5 })`;

/** A page whose button runs a script, and which then says how that ended. */
const button = (
  script: string,
  more = '',
): string => `${more}<button id="go">go</button><output id="said"></output>
<script>
const said = (text) => { document.querySelector('#said').textContent = text };
document.querySelector('#go').onclick = () => (${script}).then(
  (result) => said(result.report === undefined ? 'saved' : new TextDecoder().decode(result.report)),
  (error) => said(error.constructor.name + ' ' + error.name));
</script>`;

const said = async (page: Page): Promise<string> => {
  await page.waitForFunction(`document.querySelector('#said').textContent !== ''`);
  return page.evaluate(`document.querySelector('#said').textContent`) as Promise<string>;
};

describe.each(browsersOfRun)('navigator.attribution (%s)', (name) => {
  const world = useWorld(name);
  let sealing: SealingKey;

  beforeAll(async () => {
    sealing = await newSealingKey();
  });
  beforeEach(async () => {
    await world.extension.settings({
      w3cAttribution: true,
      aggregationKeys: [sealing.setting],
      debug: { ...calm.debug, enabled: true },
    });
    await nextEpoch();
  });

  /** Nothing of the epoch in which something was erased is attributed. */
  const nextEpoch = async (): Promise<void> => {
    await world.extension.send({ kind: 'advance-clock', by: 8 * 86_400_000 });
  };

  const press = async (site: string, script: string, more?: string): Promise<string> => {
    const page = await world.open(site, button(script, more));
    await page.click('#go');
    return said(page);
  };

  const histogramOf = async (report: string): Promise<readonly number[] | null> => {
    const { value } = readReport(JSON.parse(report) as Json);
    const payload =
      value === null ? null : await openPayload(value.sealed, value.contextText, sealing.secret);
    return value === null || payload === null ? null : histogramIn(payload, value.context);
  };

  test('from an impression and a conversion to a sealed report, its reasons and a noisy sum', async () => {
    expect(await press('news', IMPRESSION)).toBe('saved');
    const reports = [await press('shop', CONVERSION), await press('shop', CONVERSION)];
    expect(await histogramOf(reports[0] ?? '')).toEqual([0, 0, 1, 0]);
    const { calls, impressions, budgets } = await world.extension.w3c.view();
    expect(impressions).toMatchObject([{ site: 'news.localhost', histogramIndex: 2 }]);
    expect(calls.map(({ call, caller }) => [call, caller])).toEqual([
      ['saveImpression', 'news.localhost'],
      ['measureConversion', 'shop.localhost'],
      ['measureConversion', 'shop.localhost'],
    ]);
    expect(calls[1]?.outcome).toMatchObject({
      kind: 'measured',
      holds: [[2, 1]],
      why: {
        unmatched: {},
        matched: [
          {
            impressions: [impressions[0]?.id],
            budgets: [
              { shortage: 'site-budget', site: 'shop.localhost', left: 1_000_000, asked: 500_000 },
              { shortage: 'global-budget', site: null, left: 8_000_000, asked: 500_000 },
              { shortage: 'impression-site-quota', site: 'news.localhost', left: 4_000_000, asked: 500_000 },
            ],
          },
        ],
      },
    });
    expect(budgets.find(({ kind }) => kind === 'site')).toMatchObject({ left: 0 });
    const folder = await mkdtemp(path.join(tmpdir(), 'w3c-'));
    try {
      const [keys, lines] = [path.join(folder, 'keys.json'), path.join(folder, 'reports.ndjson')];
      await writeFile(keys, JSON.stringify(sealing.file), { mode: 0o600 });
      await writeFile(lines, `${reports.join('\n')}\n`);
      const command = path.resolve(__dirname, '../../cli/cointoss.mjs');
      const sum = ['aggregate', 'w3c', '--reports', lines, '--keys', keys, '--epsilon', '0.5'];
      const { stdout } = await promisify(execFile)(process.execPath, [command, ...sum]);
      const rows = stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Json);
      expect(rows).toMatchObject(
        [0, 1, 2, 3].map((bucket) => ({ bucket, standard_error: expect.closeTo(5.64) as number })),
      );
      // Nothing is added up twice.
      await expect(promisify(execFile)(process.execPath, [command, ...sum])).rejects.toThrow('are spent');
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  itInSoak(
    'what pages called is a scenario that replays with the histograms of the sealed reports',
    async () => {
      await world.extension.clear();
      await nextEpoch();
      expect(await press('news', IMPRESSION)).toBe('saved');
      const framed = `<iframe src="${world.sites.page('ads', button(IMPRESSION))}" allow="save-impression"></iframe>`;
      const frames = (await world.open('news', framed)).frames();
      const inner = frames.find((one) => one.url().includes('ads.localhost'));
      await inner?.click('#go');
      await inner?.waitForFunction(`document.querySelector('#said').textContent === 'saved'`);
      const shared = CONVERSION.replace(
        'histogramSize: 4',
        'histogramSize: 4, value: 3, maxValue: 3, credit: [1, 1]',
      );
      const reports = [await press('shop', shared), await press('shop', CONVERSION)];
      const held = await Promise.all(reports.map(histogramOf));
      expect(held[0]).toEqual([0, 0, 3, 0]);
      const document = await world.extension.exportScenario();
      const { w3c } = accept('exported', parseScenario(document, chromiumLimits));
      expect(w3c.calls.map(({ kind }) => kind)).toEqual([
        'erase',
        'saveImpression',
        'saveImpression',
        'measureConversion',
        'measureConversion',
      ]);
      expect(w3c.calls[3]).toMatchObject({ credit: [expect.any(Number), expect.any(Number)] });
      const again = replayCalls(w3c, { random: null });
      expect(again.map(({ histogram }) => [0, 1, 2, 3].map((bucket) => histogram[bucket] ?? 0))).toEqual(
        held,
      );
      expect(again).toEqual(w3c.histograms);
    },
  );

  itInSoak('in debug mode, the page says what the aggregation service would answer', async () => {
    expect(await press('news', IMPRESSION)).toBe('saved');
    await press('shop', CONVERSION);
    const page = await openView(world.extension, '#/w3c', '.w3c-call');
    await page.evaluate(() => {
      for (const call of document.querySelectorAll<HTMLDetailsElement>('.w3c-call')) call.open = true;
    });
    // ε = 0.5 of values up to 1 gives noise of the scale 4.
    await shows(page, 'main', /bucket 2: 1, with noise of a standard error of 5\.64/);
  });

  test('a frame calls as its own site, and only where the policies let it', async () => {
    const frame = (allow: string): string =>
      `<iframe src="${world.sites.page('ads', button(IMPRESSION))}" allow="${allow}"></iframe>`;
    const ask = async (allow: string): Promise<string> => {
      const page = await world.open('news', frame(allow));
      const inner = page.frames().find((one) => one.url().includes('ads.localhost'));
      await inner?.click('#go');
      await inner?.waitForFunction(`document.querySelector('#said').textContent !== ''`);
      return (await inner?.evaluate(`document.querySelector('#said').textContent`)) as string;
    };
    expect(await ask('')).toBe('saved');
    expect(await ask("save-impression 'none'")).toBe('DOMException NotAllowedError');
    const { impressions, calls } = await world.extension.w3c.view();
    expect(impressions).toMatchObject([{ site: 'news.localhost', intermediarySite: 'ads.localhost' }]);
    expect(calls.at(-1)?.outcome).toMatchObject({ kind: 'rejected', reason: 'permissions-policy' });
  });

  test('rejects as the draft says, and needs an activation', async () => {
    for (const [script, error] of [
      ['navigator.attribution.saveImpression()', 'TypeError TypeError'],
      ['navigator.attribution.saveImpression({ histogramIndex: 10000 })', 'RangeError RangeError'],
      [
        `navigator.attribution.saveImpression({ histogramIndex: 1, conversionSites: ['a b'] })`,
        'DOMException SyntaxError',
      ],
      [
        `navigator.attribution.measureConversion({ aggregationService: 'https://other.example', histogramSize: 1 })`,
        'ReferenceError ReferenceError',
      ],
      [`navigator.attribution.saveImpression.call({}, { histogramIndex: 1 })`, 'TypeError TypeError'],
      [
        `navigator.attribution.saveImpression({ histogramIndex: 1, conversionSites: Array(9999).fill('a.localhost') })`,
        'RangeError RangeError',
      ],
    ] as const)
      expect([script, await press('news', script)]).toEqual([script, error]);
    const tooLong = (await world.extension.w3c.view()).calls.at(-1);
    expect(tooLong?.outcome).toMatchObject({ kind: 'rejected', reason: 'too-long' });
    // The press was used, and the script leads to another site.
    const page = await world.open('news', button(IMPRESSION));
    await page.click('#go');
    await said(page);
    const other = world.sites.page('other', button(IMPRESSION));
    await Promise.all([page.waitForNavigation(), page.evaluate(`location.href = ${JSON.stringify(other)}`)]);
    await page.evaluate(`document.querySelector('#go').click()`);
    expect(await said(page)).toBe('DOMException NotAllowedError');
    expect((await world.extension.w3c.view()).calls.at(-1)?.outcome).toMatchObject({
      reason: 'not-activated',
    });
  });

  itInSoak('in a pause, calls succeed, and nothing is saved or reported', async () => {
    await world.extension.settings({ paused: true });
    expect(await press('news', IMPRESSION)).toBe('saved');
    const report = await press('shop', CONVERSION);
    expect(await histogramOf(report)).toEqual([0, 0, 0, 0]);
    expect(await world.extension.w3c.view()).toMatchObject({ impressions: [], budgets: [], calls: [] });
    // What a page can measure of it is that of one with a value.
    await world.extension.settings({ paused: false });
    expect(await press('news', IMPRESSION)).toBe('saved');
    const other = await press('shop', CONVERSION);
    expect(await histogramOf(other)).toEqual([0, 0, 1, 0]);
    expect(report.length).toBe(other.length);
  });

  itInSoak('erasing takes it along, and can be undone', async () => {
    await press('news', IMPRESSION);
    await press('shop', CONVERSION);
    const before = await world.extension.w3c.view();
    await world.extension.send({
      kind: 'clear',
      scope: { kind: 'sites', sites: ['https://news.localhost'] },
    });
    expect(await world.extension.w3c.view()).toMatchObject({ impressions: [], calls: [{}] });
    await world.extension.send({ kind: 'undo-clear' });
    expect(await world.extension.w3c.view()).toEqual(before);
    await world.extension.clear();
    expect(await world.extension.w3c.view()).toMatchObject({ impressions: [], budgets: [], calls: [] });
  });

  test('headers call it, too, and send the report; Clear-Site-Data clears', async () => {
    const { sites } = world;
    const pixel = (headers: Record<string, string>): string => sites.pixel('ads', { headers });
    const see = async (site: string, headers: Record<string, string>): Promise<void> => {
      const page = await world.open(site, button(IMPRESSION));
      await page.click('#go');
      await page.evaluate(
        `new Promise((done) => { const i = new Image(); i.onload = done; i.src = ${JSON.stringify(pixel(headers))} })`,
      );
    };
    await see('news', { 'Save-Impression': 'histogram-index=3, conversion-sites=("shop.localhost")' });
    const isSaved = async (): Promise<boolean> =>
      (await world.extension.w3c.view()).impressions.some(
        ({ intermediarySite }) => intermediarySite === 'ads.localhost',
      );
    await waitFor('the impression', isSaved);
    const to = sites.serve('ads', '/report', {
      headers: { 'Access-Control-Allow-Headers': 'content-type' },
      body: '',
    });
    await see('shop', {
      'Measure-Conversion': `aggregation-service="${AGGREGATION_SERVICE}", histogram-size=4, impression-callers=("ads.localhost"), report-url="${to}"`,
    });
    const report = await waitFor('the report', () =>
      Promise.resolve(sites.received('ads', '/report').find(({ method }) => method === 'POST') ?? null),
    );
    expect(await histogramOf(report.body)).toEqual([0, 0, 0, 1]);
    await see('other', { 'Clear-Site-Data': '"impressions"' });
    await waitFor('the impression to go', async () => !(await isSaved()));
  });

  test('off, pages have nothing of it', async () => {
    await world.extension.settings({ w3cAttribution: false });
    const page = await world.open('news', '');
    expect(await page.evaluate(`'attribution' in navigator || 'Attribution' in window`)).toBe(false);
  });
});
