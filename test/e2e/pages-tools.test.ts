import type { Page } from 'puppeteer-core';
import { waitFor } from '../../scenarios/kit';
import { seedJourneys } from '../../scenarios/demo/journeys';
import { chromiumLimits } from '../../src/model/limits';
import type { Json } from '../../src/model/json';
import { defaultSettings, type Settings } from '../../formats/settings/settings';
import { epsilon } from '../../src/model/units';
import { seededRandomSource } from '../../analysis/random/sources';
import { replay } from '../../analysis/scenario/replay';
import { parseScenario } from '../../analysis/scenario/scenario';
import {
  catchDownloads,
  choose,
  fill,
  goTo,
  openView,
  press,
  shows,
  textOf,
  typeInto,
} from './helpers/internals';
import { problemsOf, violations } from './helpers/axe';
import { creditsOf, eventLinesOf } from './helpers/compared-credits';
import { FrailCollector } from './helpers/collector';
import { browsersOfRun, calm, isLong, itInSoak, useWorld } from './helpers/world';

const HOUR = 3_600_000;

const bareOf = (channel: string | undefined): string => (channel ?? '').replace('https://', '');

/** The marks and words of the timeline that touch others of their kind. */
function overprinted(): readonly string[] {
  return ['.mark', 'text'].flatMap((kind) => {
    const all = [...document.querySelectorAll(`.scroll-x svg ${kind}`)];
    const boxes = all.map((one) => one.getBoundingClientRect());
    return all.flatMap((one, index) =>
      boxes.some(
        ({ left, right, top, bottom }, other) =>
          other !== index &&
          left < (boxes[index]?.right ?? 0) &&
          right > (boxes[index]?.left ?? 0) &&
          top < (boxes[index]?.bottom ?? 0) &&
          bottom > (boxes[index]?.top ?? 0),
      )
        ? [one.textContent]
        : [],
    );
  });
}

describe.each(browsersOfRun)('tools of the pages (%s)', (name) => {
  const world = useWorld(name);
  let collector: FrailCollector;

  beforeAll(async () => {
    collector = await FrailCollector.start();
  });
  beforeEach(() => world.extension.settings({ collector: collector.origin }));
  afterAll(() => collector.close());

  const register = (
    as: 'navigation' | 'event' | 'trigger',
    header: object,
    contextOrigin = as === 'trigger' ? 'https://shop.example' : 'https://news.example',
  ): Promise<unknown> =>
    world.extension.register(as, header, { contextOrigin, reportingOrigin: 'https://adtech.example' });

  const source = (id: number, more: object = {}): object => ({
    source_event_id: String(id),
    destination: 'https://shop.example',
    ...more,
  });
  const trigger = { event_trigger_data: [{ trigger_data: '1' }] };

  /** The internals page at a view. */
  const open = (address: string, awaited: string): Promise<Page> =>
    openView(world.extension, address, awaited);

  const received = async (count: number): Promise<readonly string[]> => {
    const before = collector.posts.length;
    await waitFor(
      `${count} reports at the collector`,
      async () => (await collector.reports()).length >= count,
    ).catch(() => expect({ posts: before }).toEqual(`${count} reports`));
    return (await collector.reports()).map((report) => String(report['source_event_id']));
  };

  itInSoak('switch debug mode on, and the clock, noise and delay are there', async () => {
    await world.extension.settings({ debug: { ...calm.debug, enabled: false } });
    const page = await open('#/debug', '#debug-enabled');
    await shows(page, '#force-state', null);
    await press(page, '#debug-enabled');
    await page.waitForSelector('#debug-noise');
    await shows(page, '#banner', 'noise off');
    await press(page, '#debug-noise');
    await shows(page, '#banner', null);
    await press(page, '#debug-delay');
    await shows(page, '#banner', 'delay off');
    await press(page, '#debug-delay');
    await fill(page, '#debug-seed', 'heads');
    await press(page, '#save-seed');
    await shows(page, '#banner', 'noise seeded');
    await fill(page, '#force-state', '17');
    await press(page, '#force');
    await shows(page, '#banner', 'noise seeded · state 17 forced for the next source');
    await register('navigation', source(1));
    await shows(page, '#banner', 'noise seeded');
    const [kept] = await world.extension.sources();
    expect(kept).toMatchObject({ noise: { kind: 'replaced', state: '17' } });
    expect((await world.extension.trace())[0]).toMatchObject({
      debug: [{ id: 'noise-seeded' }, { id: 'state-forced' }],
    });
  });

  it('turn the clock by any time, to the next window, to the next report, and back; the report arrives', async () => {
    await register('navigation', source(21));
    await register('trigger', trigger);
    const page = await open('#/debug', '#next-window');
    await fill(page, '#advance-amount', '90');
    await fill(page, '#advance-unit', '60000');
    await press(page, '#advance-any');
    await shows(page, '#banner', /clock 2 hours ahead/);
    await press(page, '#next-window');
    await shows(page, '#banner', /clock 2 days ahead/);
    expect(await received(1)).toContain('21');
    await register('trigger', trigger);
    await shows(page, '#send-pending', 'Send all now');
    await waitFor('the next report', () =>
      page.$eval('[data-advance="next-report"]', (button) => !(button as HTMLButtonElement).disabled),
    );
    await press(page, '[data-advance="next-report"]');
    await shows(page, '#banner', /clock 7 days ahead/);
    await received(2);
    await press(page, '#reset-clock');
    await shows(page, '#banner', /^noise off · records up to 2 days ahead of the clock/);
  });

  itInSoak('refuse to turn the clock where nothing would run any more', async () => {
    const page = await open('#/debug', '#advance-amount');
    await fill(page, '#advance-amount', '100000000');
    await fill(page, '#advance-unit', '86400000');
    expect(await page.$eval('#advance-any', (button) => (button as HTMLButtonElement).disabled)).toBe(true);
    await expect(world.extension.advance(1e15)).rejects.toThrow('within 100 years');
    expect((await world.extension.overview()).clockAhead).toBe(0);
  });

  itInSoak('send one report now, or all, and the attempts with their answers are on its page', async () => {
    await register('navigation', source(31));
    await register('navigation', source(32, { destination: 'https://books.example' }));
    await register('trigger', trigger);
    await register('trigger', trigger, 'https://books.example');
    const before = (await collector.reports()).length;
    const [report] = await world.extension.waitForReports(2);
    const page = await open(`#/reports/${String(report?.['id'])}`, '#send-now');
    collector.mood = { kind: 'answers', status: 503 };
    await press(page, '#send-now');
    await shows(page, 'main', /HTTP 503/);
    await shows(page, '.definitions', /retrying/);
    collector.mood = { kind: 'well' };
    await press(page, '#send-now');
    await shows(page, '.definitions', /sent/);
    expect(await received(before + 1)).toHaveLength(before + 1);
    await goTo(page, '#/debug');
    await page.waitForSelector('#send-pending');
    await press(page, '#send-pending');
    await received(before + 2);
  });

  itInSoak('link a replaced report to the one that took its place', async () => {
    await register('navigation', source(41, { max_event_level_reports: 1 }));
    await register('trigger', trigger);
    const [first] = await world.extension.waitForReports(1);
    await world.extension.advance(1000);
    await register('trigger', { event_trigger_data: [{ trigger_data: '2', priority: '9' }] });
    const [second] = await world.extension.reports();
    const page = await open(`#/reports/${String(first?.['id'])}`, '.definitions');
    await shows(page, '.definitions', /replaced/);
    await shows(
      page,
      `.definitions a[href="#/reports/${String(second?.['id'])}"]`,
      `Report ${String(second?.['id'])}`,
    );
  });

  itInSoak('show the states both ways, and the true one', async () => {
    await register('navigation', source(51));
    await register('trigger', trigger);
    const [kept] = await world.extension.sources();
    const page = await open(`#/sources/${String(kept?.['id'])}/states`, '#state-number');
    await shows(page, '#states', '2925');
    // One report of trigger data 1 in the first window. Without noise, it is the output, with which the page opens.
    await shows(page, '#true-state', /^\d+$/);
    const truth = await textOf(page, '#true-state');
    const isTruth = (): Promise<boolean> =>
      page.$eval('#state-number', (field, number) => (field as HTMLInputElement).value === number, truth);
    await waitFor('the number', isTruth);
    await fill(page, '#state-number', '0');
    const cell = 'button[aria-label="trigger data 1, window 1: 0 reports"]';
    await page.waitForSelector(cell);
    await press(page, cell);
    await waitFor('the number again', isTruth);
    await fill(page, '#state-number', '2925');
    await shows(page, '#state-problem', 'must be a whole number from 0 to 2924');
    await fill(page, '#state-number', '0');
    await page.waitForSelector('button[aria-label="trigger data 1, window 1: 0 reports"]');
    await shows(page, '.definitions', /0\.00242632216798340871725092725913/);
  });

  itInSoak('draw the timeline of a source', async () => {
    await register('navigation', source(61));
    await world.extension.advance(HOUR);
    await register('trigger', trigger);
    await world.extension.advance('next-report');
    await received(1);
    const [kept] = await world.extension.sources();
    const page = await open(`#/sources/${String(kept?.['id'])}/timeline`, '.scroll-x svg .mark.sent');
    const drawn = await page.$$eval('.scroll-x svg .mark', (marks) =>
      marks.map((mark) => mark.getAttribute('class')),
    );
    expect(drawn.sort()).toEqual(['mark credited', 'mark sent', 'mark true-report']);
    expect(await page.$$eval('svg .band', (bands) => bands.length)).toBe(3);

    // Three fake reports that are due at the same time.
    await world.extension.send({ kind: 'force-state', state: '2924' });
    await register('navigation', source(62));
    const forced = (await world.extension.sources()).find(({ id }) => id !== kept?.['id']);
    await goTo(page, `#/sources/${String(forced?.['id'])}/timeline`);
    await waitFor('three marks', () =>
      page.$$eval('.scroll-x .mark.fake-report', (marks) => marks.length === 3),
    );
    for (const width of [1280, 320]) {
      await page.setViewport({ width, height: 640 });
      await waitFor(`the timeline in ${width} px`, () =>
        page.$eval('.scroll-x', (holder) => holder.scrollWidth <= Math.max(320, holder.clientWidth)),
      );
      expect(await page.evaluate(overprinted)).toEqual([]);
    }
    await page.setViewport({ width: 1280, height: 800 });
  });

  it('erase everything, a site, or a time, and take it back', async () => {
    await register('event', source(71));
    await register('event', source(72, { destination: 'https://books.example' }), 'https://blog.example');
    const page = await open('#/data', '#erase-site');
    const kept = async (): Promise<number> => (await world.extension.sources()).length;
    const erased = async (left: number): Promise<void> => {
      await waitFor(`${left} sources`, async () => (await kept()) === left);
      await shows(page, '#toast', /Undo/);
      await press(page, '#undo');
      await waitFor('all to be back', async () => (await kept()) === 2);
    };
    await fill(page, '#erase-site', 'blog.example');
    await press(page, 'form:has(#erase-site) button');
    await erased(1);
    await fill(page, '#erase-site', 'nobody.example');
    await press(page, 'form:has(#erase-site) button');
    await shows(page, '#toast', /Nothing was recorded about nobody\.example/);
    await press(page, '#clear');
    await erased(0);
    const local = (time: number): string =>
      new Date(time - new Date().getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
    await fill(page, '#erase-from', local(Date.now() - HOUR));
    await fill(page, '#erase-to', local(Date.now() + HOUR));
    await press(page, 'form:has(#erase-from) button');
    await erased(0);
    expect((await world.extension.trace()).length).toBe(2);
  });

  it('save everything without the truth unless asked, and open it read-only', async () => {
    await register('navigation', source(81));
    await register('trigger', trigger);
    const page = await open('#/data', '#export-state');
    const download = await catchDownloads(page);
    await press(page, '#export-state');
    const without = await download.next();
    expect(without).not.toContain('trigger-data');
    expect(JSON.parse(without)).toMatchObject({ truth: false, tables: { log: [{ kind: 'source' }] } });
    await press(page, '#with-truth');
    await press(page, '#export-state');
    const everything = await download.next();
    expect(JSON.parse(everything)).toMatchObject({ truth: true, tables: { log: [{}, { kind: 'trigger' }] } });

    await choose(page, '#open-file', '{"format":"something"}');
    await shows(page, '#file-problem', /format must be "cointoss-snapshot"/);
    await world.extension.clear();
    await choose(page, '#open-file', everything);
    await shows(page, '#sources', '1');
    await goTo(page, '#/triggers');
    await shows(page, '.data', /credited/);
    await press(page, '#open-banner button');
    await goTo(page, '#/triggers');
    await shows(page, '.empty', /No conversions yet/);
    await download.end();
  });

  itInSoak('export a table as filtered', async () => {
    await register('event', source(91));
    await register('event', source(92, { destination: 'https://books.example' }));
    const page = await open('#/sources', 'tr.item');
    const download = await catchDownloads(page);
    await fill(page, '#search', 'books');
    await shows(page, '#count', '1 of 2 sources');
    const saveAs = async (format: string): Promise<string> => {
      await page.evaluate(() => {
        for (const menu of document.querySelectorAll('details.menu'))
          (menu as HTMLDetailsElement).open = menu.textContent.startsWith('Export');
      });
      await waitFor('the menu', () =>
        page.evaluate((label) => {
          const button = [...document.querySelectorAll<HTMLElement>('.sheet button')].find(
            ({ textContent }) => textContent === label,
          );
          button?.click();
          return button !== undefined;
        }, format),
      );
      return download.next();
    };
    const csv = await saveAs('CSV');
    expect(csv.trim().split('\r\n')).toHaveLength(2);
    expect(csv).toMatch(/^id,time,event_id,.*\r\n\d+,\d{4}-.*,92,event,/);
    const json = JSON.parse(await saveAs('JSON')) as object[];
    expect(json).toMatchObject([{ event_id: '92', destinations: 'https://books.example' }]);
    await download.end();
  });

  it('check a registration while it is typed, say what it comes to, and register it', async () => {
    const page = await open('#/workbench', '#registration');
    await shows(page, '#figure-states', '2925');
    await typeInto(
      page,
      '#registration',
      '{"destination": "https://shop.example", "max_event_level_reports": 21}',
    );
    await waitFor('the mistake to be marked', () =>
      page.$eval('.cm-lintRange-error', ({ textContent }) => textContent === '21').catch(() => false),
    );
    await shows(page, 'main', /max_event_level_reports must be an integer from 0 to 20, was 21/);
    await typeInto(page, '#registration', '{"destination": "https://shop.example", "source_event_id": "5"}');
    await fill(page, '#knob-windows', '1');
    await shows(page, '#figure-states', '165');
    await fill(page, '#knob-epsilon', '1');
    await shows(page, '#figure-rate', '0.989694');
    await fill(page, '#register-as', 'event');
    await shows(page, '#figure-bits', /bits/);
    // The address is the link: it opens the same again.
    const address = await page.evaluate(() => location.hash);
    await goTo(page, '#/overview');
    await page.waitForSelector('#pending');
    await goTo(page, address);
    await waitFor('the same registration', async () =>
      /"event_level_epsilon": 1/.test((await textOf(page, '#registration')) ?? ''),
    );
    await press(page, '#register');
    await world.extension.waitForSources(1);
    expect((await world.extension.sources())[0]).toMatchObject({
      sourceType: 'event',
      registration: { sourceEventId: '5' },
    });
  });

  itInSoak('complete a registration, and suggest its summary buckets', async () => {
    const page = await open('#/workbench', '#registration');
    await typeInto(page, '#registration', '{"destination": "https://shop.example", "event_level');
    await shows(page, '.cm-tooltip-autocomplete', /event_level_epsilon/);
    await page.evaluate(() =>
      document
        .querySelector('.cm-tooltip-autocomplete li')
        ?.dispatchEvent(new MouseEvent('mousedown', { bubbles: true, cancelable: true })),
    );
    await shows(page, '#registration', '{"destination": "https://shop.example", "event_level_epsilon": 14');
    await typeInto(
      page,
      '#registration',
      '{"destination": "https://shop.example", "event_level_epsilon": 3, "trigger_data": [0], "event_report_windows": {"end_times": [2592000]}}',
    );
    await shows(page, '#suggestions tbody tr:nth-child(2)', /^5, 50 best3yes67\.46/);
    await fill(page, '#suggestion-prior', '0.9, 0.2');
    await shows(page, '#suggestion-problem', /prior/);
    await fill(page, '#suggestion-prior', '0.9, 0.05, 0.03, 0.015, 0.005');
    await page.waitForSelector('#suggestions');
    await press(page, '#suggestions tbody tr:nth-child(2) button');
    await shows(page, '#registration', /"summary_buckets": \[\s*5,\s*50\s*\]/);
    await shows(page, '#figure-states', '3');
  });

  itInSoak('save what happened as a scenario that replays', async () => {
    await register('navigation', source(111));
    await register('trigger', trigger);
    const page = await open('#/data', '#export-scenario');
    const download = await catchDownloads(page);
    await press(page, '#export-scenario');
    const file = await download.next();
    await download.end();
    const { value, errors } = parseScenario(JSON.parse(file) as Json, chromiumLimits);
    expect(errors).toEqual([]);
    if (value === null) throw new Error('it must be a scenario');
    const reports = await replay(value, {
      noise: false,
      random: (stream) => seededRandomSource('unused', stream),
    });
    expect(reports).toMatchObject([{ payload: { source_event_id: '111', trigger_data: '1' } }]);
  });

  itInSoak('show on the overview how much of the budget is left', async () => {
    // What units lost in earlier tests counts.
    await world.extension.clear();
    await world.extension.settings({ budget: { ...defaultSettings.budget, epsilon: epsilon(20) } });
    const page = await open('#/overview', '#budget-left');
    await shows(page, '#budget-left', /Each privacy unit may lose ε\s=\s20/);
    await register('navigation', source(121));
    await shows(page, '#budget-left', /can still lose ε\s=\s6\./);
    await page.waitForSelector('.budget-account');
    await world.extension.settings({ budget: defaultSettings.budget });
  });

  itInSoak('say in plain words what was sent, as it was sent', async () => {
    await register('navigation', source(101));
    await register('trigger', trigger);
    await world.extension.advance('next-report');
    await waitFor('the report', async () => (await world.extension.finished()).length === 1);
    const page = await open('#/leaves', '.sent');
    await shows(page, '.sent p', /ad number 101, and later something of kind 1 happened on shop\.example/);
    await shows(
      page,
      '.sent pre',
      /^POST http:\/\/collector\.localhost.*Cointoss-Report-Url: https:\/\/adtech\.example/s,
    );
  });

  itInSoak('show credits learned from the log, those of `cointoss simulate compare`', async () => {
    const page = await open('#/attribution', '#channel-column');
    await shows(page, '#learned', /^There is no journey to learn from yet, and it takes 30 /);
    await seedJourneys(world.extension);
    await shows(page, '#learned', 'Learned from 74 journeys with 19 conversions.');
    const log = eventLinesOf(await world.extension.trace());
    for (const column of isLong ? ['campaign', 'reporting_origin'] : ['campaign']) {
      await fill(page, '#channel-column', column);
      const expected = await creditsOf(log, column);
      await shows(page, '#learned-credits tbody th', bareOf(expected[0]?.[0]));
      const shown = await page.$$eval('#learned-credits tbody tr', (rows) =>
        rows.map(({ cells }) => [...cells].map(({ textContent }) => textContent)),
      );
      expect(shown).toEqual(expected.map(([channel, ...credits]) => [bareOf(channel), ...credits]));
    }
    // The totals first, then the campaigns.
    const [totals, ...campaigns] = await page.$$eval('#campaign-credits tbody tr', (rows) =>
      rows.map(({ cells }) => [...cells].map(({ textContent }) => textContent)),
    );
    expect(totals?.[0]).toBe('all conversions');
    expect(campaigns.length).toBeGreaterThan(1);
    const [, ofFirst] = totals ?? [];
    expect(campaigns.reduce((sum, [, credit]) => sum + Number(credit), 0)).toBeCloseTo(Number(ofFirst), 1);
    expect(await problemsOf(page, name)).toEqual([]);
    await shows(page, 'main', /^(?!.*deduplication key)/s);
    await world.extension.settings({ debug: { ...calm.debug, enabled: false } });
    await shows(page, '#learned', 'Learned from 74 journeys with 20 conversions.');
    await shows(page, 'main', /deduplication key.*Switch on debug mode/s);
    await goTo(page, '#/data');
    await page.waitForSelector('#export-state');
    const download = await catchDownloads(page);
    await press(page, '#export-state');
    await choose(page, '#open-file', await download.next());
    await shows(page, '#sources', /^\d+$/);
    await goTo(page, '#/attribution');
    await shows(
      page,
      '#learned',
      /^The file was saved without the truth, so its conversions are not in it\.$/,
    );
    await press(page, '#open-banner button');
    await download.end();
  });

  itInSoak('keep a setting that is not valid in its field, with where and what', async () => {
    const page = await world.extension.openPage('pages/options.html');
    await page.waitForSelector('[id="setting-collector"]');
    await fill(page, '[id="setting-collector"]', 'ftp://nowhere');
    await shows(
      page,
      '[id="setting-collector-problem"]',
      /^collector: must be null, or an origin with https/,
    );
    expect(await world.extension.send({ kind: 'get-settings' })).toMatchObject({
      collector: collector.origin,
    });
    await fill(page, '[id="setting-collector"]', 'https://collector.example');
    await shows(page, '#message', 'Collector: saved.');
    await fill(page, '[id="setting-pausedSites"]', 'https://a.example\nnot a site');
    await shows(page, '[id="setting-pausedSites-problem"]', /^pausedSites\[1\]: must be a site/);
    await press(page, '#reset-settings');
    await shows(page, '#message', 'All settings are back to their defaults.');
    expect(await world.extension.send({ kind: 'get-settings' })).toMatchObject({
      collector: null,
      debug: { enabled: false },
    });
    await choose(page, '#import-settings', '{"deliveryProfile": "chrome", "debug": {"noise": "yes"}}');
    await shows(page, '#message', /debug\.noise: must be true or false/);
    await choose(page, '#import-settings', '{"settings": {"deliveryProfile": "chrome"}}');
    await shows(page, '#message', /settings: is not a known field/);
    await choose(page, '#import-settings', '{"deliveryProfile": "chrome"}');
    await shows(page, '#message', 'The settings from the file are now active.');
    expect(await world.extension.send({ kind: 'get-settings' })).toMatchObject({ deliveryProfile: 'chrome' });
  });

  it('ask for models, mechanisms, budgets, owners and keys field by field', async () => {
    const third = 1 / 3;
    const prior = [third, third, 1 - 2 * third];
    await world.extension.settings({
      labelNoise: { kind: 'rr-on-bins', values: [0, 1, 10], prior, loss: 'squared' },
    });
    const page = await world.extension.openPage('pages/options.html');
    const field = (path: string): string => `[id="setting-${path}"]`;
    const stored = (): Promise<unknown> => world.extension.send({ kind: 'get-settings' });
    await page.waitForSelector(field('attribution'));

    await fill(page, field('attribution'), 'exponential');
    await shows(page, '#message', 'Model: saved.');
    expect(await stored()).toMatchObject({ attribution: { kind: 'exponential', epsilon: 1, gap: null } });
    // What is not valid yet stays in its fields, and nothing is saved.
    await fill(page, field('attribution.score'), 'reciprocal');
    await shows(page, field('attribution-problem'), /gap/);
    expect(await stored()).toMatchObject({ attribution: { score: 'linear' } });
    await fill(page, field('attribution.gap'), '2,5');
    await shows(page, field('attribution-problem'), null);
    // The problem is gone before the change is stored.
    await waitFor('the model', async () => {
      const { attribution } = (await stored()) as Settings;
      return attribution.kind === 'exponential' && attribution.gap === 2.5;
    });
    expect(await stored()).toMatchObject({ attribution: { score: 'reciprocal', gap: 2.5 } });

    // A number is shown as a person writes it, and another field leaves it as it is.
    const valueOf = (path: string): Promise<string> =>
      page.$eval(field(path), (one) => (one as HTMLTextAreaElement).value);
    expect(await valueOf('labelNoise.prior')).toBe('0.333333\n0.333333\n0.333333');
    await fill(page, field('labelNoise.loss'), 'absolute');
    await shows(page, '#message', 'Mechanism: saved.');
    await fill(page, field('labelNoise.prior'), '0.333333\n0.333333\n0.333333');
    expect(await stored()).toMatchObject({ labelNoise: { loss: 'absolute', prior } });

    await press(page, field('budget.joint'));
    await page.waitForSelector(field('budget.joint.sourceSite'));
    await fill(page, field('budget.joint.sourceSite'), '1');
    await shows(page, '#message', 'Joint budget: saved.');
    // What is entered while a change is on its way stays, with what is wrong with it.
    await page.evaluate(async () => {
      for (const [name, text] of [
        ['reportingSite', '3'],
        ['sourceSite', '9'],
      ] as const) {
        const one = document.getElementById(`setting-budget.joint.${name}`) as HTMLInputElement;
        one.value = text;
        for (const kind of ['input', 'change']) one.dispatchEvent(new Event(kind, { bubbles: true }));
        await new Promise((resolve) => setTimeout(resolve));
      }
    });
    await waitFor('the first change', async () => {
      const { budget } = (await stored()) as Settings;
      return budget.joint?.reportingSite === 3;
    });
    await shows(page, field('budget.joint-problem'), /^budget\.joint/);
    expect(await valueOf('budget.joint.sourceSite')).toBe('9');
    await fill(page, field('budget.joint.sourceSite'), '2,000');
    await shows(page, field('budget.joint-problem'), /without separators between thousands/);
    expect(await stored()).toMatchObject({ budget: { joint: { sourceSite: 1 } } });
    await fill(page, field('budget.joint.sourceSite'), '1,0');
    await waitFor('the value in force', async () => (await valueOf('budget.joint.sourceSite')) === '1');
    // An entry without sites is not saved. What is removed leaves the focus in the list.
    await press(page, field('budget.owners-add'));
    await press(page, field('budget.owners-add'));
    await page.waitForSelector(field('budget.owners[1]'));
    expect(await stored()).toMatchObject({ budget: { owners: [] } });
    const focused = (): Promise<string> => page.evaluate(() => document.activeElement?.id ?? '');
    await press(page, field('budget.owners[1]-remove'));
    expect(await focused()).toBe('setting-budget.owners[0]-remove');
    await press(page, field('budget.owners[0]-remove'));
    expect(await focused()).toBe('setting-budget.owners-add');
    await press(page, field('budget.owners-add'));
    await page.waitForSelector(field('budget.owners[0]'));
    await fill(page, field('budget.owners[0]'), 'https://ads.example\nhttps://pixel.example');
    await shows(page, '#message', 'Owners of reporting sites: saved.');
    await press(page, field('aggregationKeys-add'));
    await shows(page, field('aggregationKeys-problem'), /^aggregationKeys\[0\]\.key: /);
    await waitFor('what was entered', async () => {
      const { budget } = (await stored()) as Settings;
      return budget.joint?.sourceSite === 1 && budget.owners[0]?.length === 2 ? budget : null;
    }).then((budget) =>
      expect(budget).toMatchObject({
        joint: { epsilon: 4, reportingSite: 3, sourceSite: 1, destination: 2 },
        owners: [['https://ads.example', 'https://pixel.example']],
      }),
    );
    expect(await violations(page)).toEqual([]);
    await page.setViewport({ width: 320, height: 640 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
    await world.extension.settings(defaultSettings);
  });

  it('try a recording rule on the open tab', async () => {
    const { sites } = world;
    await world.open('shop', '<p class="total">€ 12,50</p><p class="total">€ 3,00</p>');
    const page = await world.extension.openPage('pages/options.html');
    await page.waitForSelector('#add-rule');
    // What is typed as soon as the field is there stays.
    const typed = await page.evaluate(async () => {
      document.querySelector<HTMLElement>('#add-rule')?.click();
      let field: HTMLTextAreaElement | null = null;
      for (let turn = 0; field === null && turn < 1000; turn++)
        field = await Promise.resolve().then(() => document.querySelector('[id="rule-new"]'));
      if (field === null) return null;
      field.value = '{';
      field.dispatchEvent(new Event('input', { bubbles: true }));
      await new Promise((resolve) => setTimeout(resolve, 300));
      return field.value;
    });
    expect(typed).toBe('{');
    const rule = {
      id: 'total',
      matches: [`${sites.origin('shop')}/*`],
      selector: '.total',
      on: 'click',
      register: 'trigger',
      reportingOrigin: sites.origin('adtech'),
      registration: { event_trigger_data: [{ value: { $extract: { as: 'money' } } }] },
    };
    await fill(page, '[id="rule-new"]', JSON.stringify({ ...rule, on: 'hover' }));
    await shows(page, '[id="rule-new-problems"]', /^on must be "viewable" or "click"/);
    await fill(page, '[id="rule-new"]', JSON.stringify(rule));
    await shows(page, '[id="rule-new-problems"]', '');
    await page.$$eval('.rule button', (buttons) =>
      buttons.find(({ textContent }) => textContent === 'Test on the open tab')?.click(),
    );
    await shows(page, '.rule-trial', /the rule applies to this page; 2 elements match.*"value": 1250/s);
    expect(await world.extension.trace()).toEqual([]);
  });
});
