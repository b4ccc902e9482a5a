import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'puppeteer-core';
import type { EstimateResultJson } from '../../analysis/estimate/result/estimate-result';
import { compareExperiment } from '../../analysis/experiment/compare-example';
import { main } from '../../cli/main';
import { waitFor } from '../../scenarios/kit';
import { useCommands } from '../unit/helpers/command';
import { problemsOf } from './helpers/axe';
import { choose, clipboardOf, fill, goTo, press, shows, textOf, typeInto } from './helpers/internals';
import { StaticSite } from './helpers/static-site';
import { browsersOfRun, isLong, itInSoak, useWorld } from './helpers/world';

const root = path.resolve(__dirname, '../..');
const CASE = path.join(root, 'test/conformance/cases/windows-half-open.json');
const header = { destination: 'https://shop.example', max_event_level_reports: 2, trigger_data: [0, 1, 2] };

/** An address for every view, and what it shows once it is there. */
const tools = [
  ['#/home', '.lead'],
  ['#/workbench', ':has(#registration) #suggestions'],
  ['#/data', '#open-file'],
  ['#/estimates', '#sources-file'],
  ['#/people', '#people-needed'],
  ['#/toss', '#toss-odds'],
  ['#/know', '#know-after'],
  ['#/attacks', '#attack-success'],
  ['#/cheating', '#cheating-paid'],
  ['#/worlds', '#replay-worlds'],
] as const;

/** Those that the extension has as well, where pages-access.test.ts looks at them. */
const ofExtension = ['#/workbench', '#/data', '#/worlds'];

/** As `tools`, once CASE is open. `first` is the link of the first row of the view before. */
const ofFile = [
  ['#/overview', '#pending'],
  ['#/sources', 'tr.item'],
  ['first', '.json'],
  ['first/why', '#source-account'],
  ['first/timeline', 'svg .mark'],
  ['first/states', '#state-number'],
  ['#/triggers', 'tr.item'],
  ['first', '.checks'],
  ['#/reports', 'tr.item'],
  ['first', '.json'],
  ['#/refused', '.empty'],
  ['#/budget', 'tr.item'],
  ['first', 'h1'],
  ['#/log', 'tr.item'],
  ['first', '.tabs'],
  ['#/attribution', 'h1'],
] as const;

const { out, file } = useCommands();

/** What a command prints, and its exit code. */
async function command(...argv: readonly string[]): Promise<{ code: number; printed: unknown }> {
  out.length = 0;
  const code = await main(argv);
  return { code, printed: JSON.parse(out.join('')) };
}

/** Whether all files are kept. */
const isActive = async (): Promise<boolean> =>
  (await navigator.serviceWorker.ready).active?.state === 'activated';

let site: StaticSite;

beforeEach(async () => {
  site = await StaticSite.serve(path.join(root, 'dist/site'), '/any/path/');
});
afterEach(() => site.close());

describe.each(browsersOfRun)('the site, whose requests are heard (%s)', (name) => {
  // Only this test listens: where a service worker answers, `page.goto` may then wait without end for what the browser tells of the answer.
  const world = useWorld(name, { puppeteer: { networkEnabled: true } });

  it('asks for nothing elsewhere, and leaves nothing for axe-core to complain of', async () => {
    const page = await world.browser.newPage();
    const asked: string[] = [];
    // axe-core itself looks at a font that it brings along.
    page.on('request', (request) => request.url().startsWith('data:') || asked.push(request.url()));
    await page.goto(site.address);
    await page.waitForSelector('h1');
    await page.waitForFunction(isActive);
    const found: Record<string, readonly string[]> = {};
    const visited: string[] = [];
    const check = async (address: string, awaited: string): Promise<void> => {
      visited.push(address);
      await goTo(page, address);
      await page.waitForSelector(awaited);
      // Of a file it shows the views of the extension, too.
      const isOwn = tools.some(([tool]) => tool === address) && !ofExtension.includes(address);
      if (!isLong && !isOwn) return;
      const problems = await problemsOf(page, name);
      if (problems.length > 0) found[address] = problems;
    };
    for (const [address, awaited] of tools) await check(address, awaited);
    await goTo(page, '#/data');
    await page.waitForSelector('#open-file');
    await choose(page, '#open-file', readFileSync(CASE, 'utf8'));
    await page.waitForSelector('#open-banner');
    let first = '';
    for (const [address, awaited] of ofFile) {
      await check(address.replace('first', first), awaited);
      if (awaited === 'tr.item')
        first = await page.$eval('tr.item a', (link) => link.getAttribute('href') ?? '');
    }
    const views = await page.$$eval('nav a', (links) => links.map((link) => link.getAttribute('href') ?? ''));
    expect(views.filter((view) => !visited.includes(view))).toEqual([]);
    expect(found).toEqual({});
    await goTo(page, '#/home');
    await page.waitForSelector('.cards a');
    const stored = await page.$eval('.cards a[href$=".html"]', ({ href }) => href);
    await page.evaluate((address) => void (location.href = address), stored);
    const isTitle = (title: unknown): boolean => document.querySelector('h1')?.textContent === title;
    await page.waitForFunction(isTitle, {}, compareExperiment['title']);
    expect(asked).toContain(site.address);
    expect(asked.filter((url) => !url.startsWith(site.address))).toEqual([]);
  });
});

describe.each(browsersOfRun)('the site (%s)', (name) => {
  const world = useWorld(name);

  /** Without its server. */
  const offline = async (address: string): Promise<Page> => {
    const page = await world.visit(site.address);
    await page.waitForFunction(isActive);
    await site.close();
    await page.goto('about:blank');
    await page.goto(site.address + address);
    return page;
  };

  it('loads less than 305 KB, and answers in the workbench before the editor is there', async () => {
    // A page that keeps no files for later shows what one view takes.
    const page = await world.browser.newPage();
    await page.evaluateOnNewDocument(() =>
      Object.defineProperty(navigator.serviceWorker, 'register', { value: () => Promise.resolve() }),
    );
    const release = site.hold('editor.js');
    await page.goto(site.address);
    await page.waitForSelector('.lead');
    expect(site.compressed()).toBeLessThan(90_000);
    await goTo(page, '#/workbench');
    await page.waitForSelector('#suggestions');
    const written = (): Promise<string> => page.$eval('textarea.editor-text', ({ value }) => value);
    expect(await written()).toMatch(/"destination"/);
    await fill(page, '#knob-epsilon', '1');
    await waitFor('the new ε', async () => /"event_level_epsilon": 1/.test(await written()));
    // What is typed meanwhile counts, and the person who types stays where they are.
    await page.focus('.editor-text');
    await fill(page, '.editor-text', '{"destination": "https://shop.example", "trigger_data": [0]}');
    await shows(page, '#figure-states', '20');
    expect(site.compressed()).toBeLessThan(210_000);
    await page.$eval('textarea.editor-text', (field) => field.setSelectionRange(3, 7));
    release();
    await page.waitForSelector('#registration');
    await shows(page, '#registration', /"trigger_data": \[0\]/);
    await waitFor('the focus in the editor', () =>
      page.$eval('#registration', (editor) => document.activeElement === editor),
    );
    expect(await page.evaluate(() => String(getSelection()))).toBe('esti');
    // The quick minimizer of `npm test` makes an eighth more of it.
    expect(site.compressed()).toBeLessThan(isLong ? 305_000 : 341_000);
  });

  it('gives offline what the commands give for a header, from a link', async () => {
    const text = JSON.stringify(header);
    const source = file('header.json', text);
    const states = await command('states', source, '--source-type', 'event');
    const validated = await command('validate', source, '--source', '--source-type', 'event');
    const link = new URLSearchParams({ as: 'event', json: Buffer.from(text).toString('base64url') });
    const page = await offline(`#/workbench?${link.toString()}`);
    await shows(page, '#valid', 'This header is valid. It registers an impression.');
    const { states: count, randomized_trigger_rate: rate } = states.printed as Record<string, unknown>;
    await shows(page, '#figure-states', String(count));
    expect(await page.$eval('#figure-rate', (figure) => figure.getAttribute('title'))).toBe(String(rate));
    await page.click('#effective summary');
    const effective = JSON.parse((await textOf(page, '#effective pre')) ?? '') as unknown;
    expect({ errors: [], warnings: [], value: effective }).toEqual(validated.printed);
    await typeInto(page, '#registration', '{"destination": 7}');
    const refused = await command('validate', file('bad.json', '{"destination": 7}'), '--source');
    const [{ path: place, message }] = (refused.printed as { errors: { path: string; message: string }[] })
      .errors as [{ path: string; message: string }];
    await shows(page, '.issues', new RegExp(`${place}.*${message}`));
    await shows(page, '#valid', null);
  });

  it('replays a scenario offline as the command does, and says why', async () => {
    const scenario = readFileSync(CASE, 'utf8');
    const replayed = await command('replay', CASE);
    const { reports } = replayed.printed as { reports: readonly unknown[] };
    const page = await offline('#/data');
    await page.waitForSelector('#open-file');
    await choose(page, '#open-file', scenario);
    await shows(page, '#open-banner', new RegExp(`It sent ${reports.length} reports, as the file states\\.`));
    expect(replayed.code).toBe(0);
    await goTo(page, '#/triggers');
    await page.waitForSelector('tr.item');
    await page.click('tr.item a');
    await shows(page, '#why-sentence', /./);
    await goTo(page, '#/sources');
    await page.waitForSelector('tr.item');
    await goTo(
      page,
      `${String(await page.$eval('tr.item a', (link) => link.getAttribute('href')))}/timeline`,
    );
    await page.waitForSelector('svg .mark');
    await goTo(page, '#/data');
    await page.waitForSelector('#open-file');
    await choose(page, '#open-file', scenario.replace('"trigger_data": "2"', '"trigger_data": "3"'));
    await shows(page, '#difference', /The first difference: the file states \{.*the replay sent \{/);
  });

  itInSoak('replays an opened scenario in parallel worlds, offline, and opens one from a link', async () => {
    const page = await offline('#/data');
    await page.waitForSelector('#open-file');
    await choose(page, '#open-file', readFileSync(CASE, 'utf8'));
    await page.waitForSelector('#open-banner');
    await goTo(page, '#/worlds');
    await page.waitForSelector('#replay-worlds');
    await press(page, '#replay-worlds');
    await shows(page, '#worlds-result', /^In your world, the advertiser estimates /);
    await goTo(page, '#/sources');
    await page.waitForSelector('tr.item a');
    await press(page, 'tr.item a');
    await page.waitForSelector('#copy-link');
    const link = await clipboardOf(page, '#copy-link');
    expect(link).toMatch(/^http:\/\/localhost:\d+\/any\/path\/#\/data\?file=[\w-]+$/);
    await page.goto('about:blank');
    await page.goto(link);
    await page.waitForSelector('#open-banner');
    await goTo(page, '#/sources');
    await page.waitForFunction(() => document.querySelectorAll('tr.item').length === 1);
  });

  itInSoak('says how many people a trial needs, as the command does', async () => {
    const page = await world.visit(`${site.address}#/people`);
    await page.waitForSelector('#people-epsilon');
    await fill(page, '#people-epsilon', '8');
    const argv = ['--source-type', 'event', '--epsilon', '8', '--rate', '0.02', '--within', '0.01'];
    const { printed } = await command('power', ...argv, '--runs', '200', '--seed', 'lab');
    const { people } = printed as { readonly people: number };
    await shows(page, '#people-needed', new RegExp(`^With ${people} people, 80 % .* 1 percentage point\\.$`));
    await page.select('#people-aim', 'best');
    await shows(page, '#people-needed', /^With [\d,]+ people in all, 80 % /);
    await page.waitForSelector('.estimate-line circle');
  });

  itInSoak('tosses for many people, at once for those who want nothing to move', async () => {
    const page = await world.visit(`${site.address}#/toss`);
    await page.waitForSelector('#toss-many');
    // Nothing moves, so that all tosses are there in the next frame. Firefox cannot emulate the preference.
    await page.evaluate(() => {
      const real = matchMedia.bind(globalThis);
      Object.defineProperty(globalThis, 'matchMedia', {
        value: (query: string) => (query.includes('reduced-motion') ? { matches: true } : real(query)),
      });
    });
    await fill(page, '#toss-epsilon', '8');
    await shows(page, '#toss-odds', /with probability 99\.9 %/);
    await press(page, '#toss-many');
    // At ε = 8, the standard error is 0.04 %, a tenth of what is allowed.
    await shows(
      page,
      '#toss-result',
      /interval is (9\.[6-9]|10)[\d.]* % \([\d.]+ % to [\d.]+ %\)\. The truth is 10 %\.$/,
    );
    const fit = (): Promise<boolean> =>
      page.$$eval('.scroll-x', (places) =>
        places.every(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth),
      );
    await page.setViewport({ width: 320, height: 640 });
    await waitFor('the drawings to fit a phone', fit);
    await goTo(page, '#/know');
    await page.waitForSelector('#know-after');
    await waitFor('the curve to fit a phone', fit);
    await shows(page, '#know-after', 'Of 100 people whose report says that they bought, 5.26 really did.');
    await fill(page, '#know-epsilon', '14');
    await shows(page, '#know-more', /^After 0 reports/);
  });

  it('estimates offline what the command estimates, and names the row with a mistake', async () => {
    const sources = Array.from({ length: 40 }, (_, index) => ({
      source_event_id: String(index),
      reporting_origin: 'https://adtech.example',
      source_type: 'event',
      destination: 'https://shop.example',
      time: '2026-01-01T00:00:00Z',
      configuration: 'views',
      registration: { destination: 'https://shop.example', event_level_epsilon: 2 },
      campaign: index % 2 === 0 ? 'autumn' : 'spring',
    }));
    const reports = sources.slice(0, 15).map(({ source_event_id, reporting_origin, source_type }) => ({
      kind: 'event-level',
      report_id: `00000000-0000-4000-8000-0000000000${source_event_id.padStart(2, '0')}`,
      reporting_origin,
      source_event_id,
      source_type,
      attribution_destination: 'https://shop.example',
      trigger_data: '1',
      randomized_trigger_rate: 0.1,
      // Thirty days after the source.
      scheduled_report_time: '1769817600',
    }));
    const estimated = await command(
      'estimate',
      '--sources',
      file('sources.ndjson', sources),
      '--reports',
      file('reports.ndjson', reports),
      '--group-by',
      'campaign',
    );
    const { configurations } = estimated.printed as EstimateResultJson;
    const expected = configurations.flatMap(({ groups }) =>
      groups.flatMap(({ estimates }) => estimates.map(({ estimate }) => String(estimate))),
    );
    expect(expected.length).toBeGreaterThan(5);
    const page = await offline('#/estimates');
    await page.waitForSelector('#sources-file');
    const asText = (rows: readonly object[]): string => rows.map((row) => JSON.stringify(row)).join('\n');
    await choose(page, '#sources-file', asText(sources));
    await choose(page, '#reports-file', asText(reports));
    await fill(page, '#group-by', 'campaign');
    await page.waitForSelector('details .estimates');
    const shown = await page.$$eval('[data-estimate]', (rows) =>
      rows.map((row) => row.getAttribute('data-estimate')),
    );
    expect(shown).toEqual(expected);
    // Half of autumn's sources have the same number of reports as those of spring, but for one.
    const groups = await page.$$eval('#totals tbody tr', (rows) =>
      rows.map((row) => [row.dataset['group'], row.querySelector('td')?.textContent]),
    );
    expect(groups).toEqual([
      ['autumn', '1–2'],
      ['spring', '1–2'],
    ]);
    expect(await problemsOf(page, name)).toEqual([]);
    const { totals } = estimated.printed as EstimateResultJson;
    const conversionsOf = (campaign: string): number =>
      totals
        .find(({ group }) => group['campaign'] === campaign)
        ?.estimates.find(({ quantity }) => quantity === 'conversions')?.unbiased ?? NaN;
    const arms = { autumn: 'exposed', spring: 'holdout' } as const;
    await choose(
      page,
      '#sources-file',
      asText(sources.map((row) => ({ ...row, campaign: arms[row.campaign as keyof typeof arms] }))),
    );
    await page.waitForSelector('#lift');
    const caused = await page.$eval('#lift td', ({ textContent }) => parseFloat(textContent));
    // Half of the people were held out.
    expect(caused).toBeCloseTo(conversionsOf('autumn') - conversionsOf('spring'), 0);
    // Devices may have drawn the arms instead: then the trigger data say them, and the groups do not matter.
    await page.select('#lift-arms', '1,0');
    const byData = await command(
      'estimate',
      ...['--sources', file('sources.ndjson', sources), '--reports', file('reports.ndjson', reports)],
      ...['--holdout', '0.5', '--arms', '1,0'],
    );
    const { lift } = byData.printed as {
      readonly lift: { readonly event_level: { readonly caused: { readonly interval: readonly number[] } } };
    };
    const [low = NaN, high = NaN] = lift.event_level.caused.interval;
    await shows(page, '#lift td', new RegExp(`\\(${low.toFixed(1)} to ${high.toFixed(1)}\\)$`));
    await choose(page, '#reports-file', `${asText(reports)}\n{"kind": "event-level"}`);
    await shows(page, '#estimates-problem', /^Reports, line 16: .*must have the field/);
  });
});
