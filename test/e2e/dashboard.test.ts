import { parse as parseCsv } from 'csv-parse/sync';
import type { FastifyInstance } from 'fastify';
import puppeteer, { type Browser, type Page } from 'puppeteer-core';
import { fillWithDemo } from '../../collector/demo/fill';
import { simulateMonth, truthOfDemo } from '../../collector/demo/simulate-month';
import type { EstimateResultJson } from '../../analysis/estimate/result/estimate-result';
import { incomparable, liftByTriggerData } from '../../analysis/estimate/lift/lift-by-trigger-data';
import { temporaryCollector } from '../unit/helpers/empty-store';
import type { TruthAnswer } from '../../collector/http/answers';
import type { Statistics } from '../../collector/store/statistics';
import { browserOptions } from '../../scenarios/kit/launch';
import { waitFor } from '../../scenarios/kit';
import { sidewaysProblemsOf, violations as violationsOf } from './helpers/axe';
import { thrifty } from './helpers/thrifty';
import { isLong, itInSoak } from './helpers/world';
import { EVENT_LEVEL, freshReport, post, VERBOSE } from '../unit/helpers/collector-client';

const token = 'correct-horse-battery-staple';
const WINDOW = { width: 1280, height: 900 };

let browser: Browser;

beforeAll(async () => {
  // `openPage` listens to requests.
  const options = thrifty({ browser: 'chrome', puppeteer: { networkEnabled: true } });
  browser = await puppeteer.launch(browserOptions({ browser: 'chrome', puppeteer: options }));
});

afterAll(() => browser.close());

/**
 * The page must not break its security policy, throw, or contact another origin.
 * @param languages of the reader, as the browser sends and tells them
 */
async function openPage(problems: string[], origin: string, languages = 'en-US,en'): Promise<Page> {
  const context = await browser.createBrowserContext();
  const page = await context.newPage();
  const client = await page.createCDPSession();
  const userAgent = await browser.userAgent();
  await client.send('Emulation.setUserAgentOverride', { userAgent, acceptLanguage: languages });
  await page.setViewport(WINDOW);
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text());
  });
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(origin) && !url.startsWith('data:')) problems.push(`asked for ${url}`);
  });
  return page;
}

const SCHEMES = ['light', 'dark'] as const;

/** The problems that axe-core finds on the page. */
async function violations(page: Page): Promise<readonly string[]> {
  const found: string[] = [];
  for (const scheme of SCHEMES) {
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
    found.push(...(await violationsOf(page, scheme)).map((problem) => `${scheme} ${problem}`));
  }
  return found;
}

/** As `violations`, of a view with little on it: only in `npm run soak`, because each takes a second of processor time. */
const violationsOfLittle = async (page: Page): Promise<readonly string[]> => (isLong ? violations(page) : []);

const textOf = (page: Page, selector: string): Promise<string> =>
  page.$eval(selector, (element) => element.textContent);

const numberOf = async (page: Page, selector: string): Promise<number> =>
  Number((await textOf(page, selector)).replaceAll(',', ''));

/** The numbers of a group in the table of groups. */
const cellsOf = (page: Page, group: string): Promise<readonly string[]> =>
  page.$$eval(`tr[data-group="${group}"] td`, (cells) => cells.map((cell) => cell.textContent));

/** A row that `cointoss aggregate --tree --slices campaign` writes. */
const postedSlice = (campaign: string, estimate: number, error: number): string =>
  JSON.stringify({
    ...{ bucket: null, value: null, standard_error: null, low: null, high: null, discovered: null },
    ...{ consistent: estimate, consistent_error: error, slice: `campaign=${campaign}` },
    ...{ consistent_low: estimate - 2 * error, consistent_high: estimate + 2 * error },
  });

describe('the dashboard', () => {
  /** Each view is computed from all of them. */
  const month = { users: isLong ? 60 : 20, seed: 'test' };
  let truth: ReturnType<typeof truthOfDemo> | null = null;
  let app: FastifyInstance;
  let origin: string;
  let page: Page;
  const problems: string[] = [];

  beforeAll(async () => {
    app = await temporaryCollector({
      debugReports: true,
      prepare: async (store) => {
        await fillWithDemo(store, await simulateMonth(month));
      },
      truth: () => (truth ??= truthOfDemo(month)),
    });
    origin = await app.listen({ port: 0, host: '127.0.0.1' });
    // One for all tests, because a new one takes as long as what most of them do.
    page = await openPage(problems, origin);
  });

  afterAll(async () => {
    await page.browserContext().close();
    await app.close();
  });

  afterEach(async () => {
    await page.goto('about:blank');
    await page.emulateMediaFeatures([]);
    await page.setViewport(WINDOW);
    const found = problems.splice(0);
    if (found.length > 0) throw new Error(found.join('\n'));
  });

  const get = async <T>(address: string): Promise<T> => (await fetch(origin + address)).json() as Promise<T>;

  const goTo = async (address: string): Promise<void> => {
    await page.goto(origin + address);
    await settled();
  };

  const settled = (): Promise<unknown> => page.waitForSelector('main[aria-busy="false"] .plot');

  it('asks for what its script needs first while that loads, and for all else once', async () => {
    await goTo('/');
    const asked = await page.evaluate(() =>
      performance
        .getEntriesByType('resource')
        .filter((entry) => entry instanceof PerformanceResourceTiming)
        .map(({ name, startTime, responseEnd }) => ({
          path: new URL(name).pathname,
          startTime,
          responseEnd,
        })),
    );
    const of = (path: string): readonly (typeof asked)[number][] =>
      asked.filter((entry) => entry.path === path);
    const [script] = of('/assets/dashboard.js');
    const [dimensions] = of('/dimensions');
    const others = ['/statistics', '/estimates', '/reports', '/summaries', '/histograms', '/reach'].flatMap(
      of,
    );
    expect(dimensions?.startTime).toBeLessThan(script?.responseEnd ?? 0);
    // What is older than the counts in this answer would be shown as current.
    for (const { startTime } of others)
      expect(startTime).toBeGreaterThanOrEqual(dimensions?.responseEnd ?? Infinity);
    expect(of('/counts')).toEqual([]);
    // Once: a page that is fetched again asks for all of it again.
    expect([of('/dimensions').length, others.length]).toEqual([1, 6]);
  });

  it('draws as many reports as there are, each group in its own colour', async () => {
    await goTo('/?group=destination');
    const statistics = await get<Statistics>('/statistics?group=destination');
    expect(await numberOf(page, '#figure-reports')).toBe(statistics.reports);
    expect(await numberOf(page, '#figure-sources')).toBe(statistics.sources);
    // Heights are to one another as numbers are.
    const drawn = await page.$$eval('main > .chart .plot rect', (bars) => {
      const heights: Record<string, number> = {};
      for (const bar of bars) {
        const fill = bar.getAttribute('fill') ?? '';
        heights[fill] = (heights[fill] ?? 0) + Number(bar.getAttribute('height'));
      }
      return heights;
    });
    const total = Object.values(drawn).reduce((sum, height) => sum + height, 0);
    statistics.groups.forEach(({ reports }, index) => {
      const share = (drawn[`var(--series-${index + 1})`] ?? 0) / total;
      expect(share).toBeCloseTo(reports / statistics.reports, 5);
    });
  });

  it('draws estimates where the collector says they are', async () => {
    await goTo('/?group=campaign');
    const { configurations } = await get<EstimateResultJson>('/estimates?group=campaign');
    const noisy = configurations.find(({ epsilon }) => epsilon === 1);
    const rows = (noisy?.groups ?? [])
      .slice(1)
      .flatMap(({ estimates }) => estimates.filter(({ quantity }) => quantity === 'conversions'))
      .sort((a, b) => Number(b.observed) - Number(a.observed));
    expect(rows.length).toBeGreaterThan(1);
    const chart = `#configuration-${noisy?.configuration.slice(0, 8) ?? ''} .chart:first-of-type`;
    const places = await page.$$eval(`${chart} .plot circle`, (circles) =>
      circles.map((circle) => Number(circle.getAttribute('cx'))),
    );
    // Raw counts come first, estimates after them; a place is a linear function of the number.
    const numbers = [
      ...rows.map(({ observed }) => Number(observed)),
      // Without an estimate there is no dot.
      ...rows.flatMap(({ estimate }) => estimate ?? []),
    ];
    expect(places).toHaveLength(numbers.length);
    const [n0, n1] = [Math.min(...numbers), Math.max(...numbers)];
    const [p0, p1] = [Math.min(...places), Math.max(...places)];
    const placeOf = (number: number): number => p0 + ((number - n0) / (n1 - n0)) * (p1 - p0);
    numbers.forEach((number, index) => {
      expect(places[index]).toBeCloseTo(placeOf(number), 1);
    });
    const ends = await page.$$eval(`${chart} .plot g[stroke="var(--interval)"] line`, (lines) =>
      lines.map((line) => ['x1', 'x2'].map((end) => Number(line.getAttribute(end)))),
    );
    expect(ends).toHaveLength(rows.length);
    rows.forEach(({ interval }, index) => {
      interval.forEach((end, side) => expect(ends[index]?.[side]).toBeCloseTo(placeOf(Number(end)), 1));
    });
    await page.click(`${chart} summary`);
    const table = await page.$$eval(`${chart} tbody tr`, (all) =>
      all.map((row) => Array.from(row.children, ({ textContent }) => textContent)),
    );
    expect(table.map(([, raw]) => raw)).toEqual(rows.map(({ observed }) => String(observed)));
    // The tip of each row has the numbers that its row of the table has.
    const dots = await page.$$(`${chart} .plot circle`);
    for (const [index, [name = '', ...cells]] of table.entries()) {
      await dots[index]?.hover();
      const tip = await (
        await page.waitForFunction(
          (selector: string, begins: string) => {
            const lines = Array.from(document.querySelectorAll(selector), ({ textContent }) =>
              textContent.replace('\u200b', ''),
            );
            return lines[0] === begins ? lines.join('\n') : null;
          },
          {},
          `${chart} .plot [aria-label="tip"] tspan`,
          name,
        )
      ).jsonValue();
      for (const cell of cells.slice(0, 4)) expect(tip).toContain(cell);
    }
  });

  itInSoak('ranks campaigns first, and shows in a demo what happened beside the estimates', async () => {
    await goTo('/?group=campaign');
    const tables = await page.$$eval('main > section > .fitting table', (all) => all.map(({ id }) => id));
    expect(tables[0]).toBe('ranking');
    // Those without a rank come last.
    const worst = await page.$$eval('#ranking tbody tr', (rows) =>
      rows.map((row) => Number(row.querySelector('td')?.textContent.split('–').at(-1) || Infinity)),
    );
    expect(worst.length).toBeGreaterThan(4);
    expect([...worst].sort((a, b) => a - b)).toEqual(worst);
    expect(await textOf(page, '#ranking thead')).not.toContain('True');
    await page.click('#truth');
    await page.waitForFunction(() => document.querySelector('#ranking thead')?.textContent.includes('True'));
    const happened = await get<TruthAnswer>('/truth?group=campaign');
    const campaign = await page.$eval('#ranking tbody tr', ({ dataset }) => dataset['ranked']);
    const conversions = happened.groups
      .filter(({ group }) => group === campaign)
      .reduce((sum, one) => sum + one.conversions, 0);
    const shown = await page.$eval('#ranking', (table) => {
      const titles = [...table.querySelectorAll('thead th')].map(({ textContent }) => textContent);
      const place = titles.findIndex((title) => title.includes('True'));
      return table.querySelector('tbody tr')?.children[place]?.textContent ?? '';
    });
    if (shown !== '–') expect(Number(shown.replaceAll(',', ''))).toBeLessThanOrEqual(conversions);
    expect(new URL(page.url()).searchParams.get('truth')).toBe('true');
  });

  it('filters and groups by address, menu and keyboard, and goes back', async () => {
    await goTo('/?group=device');
    await page.focus('.menu summary');
    await waitFor('the menu of campaigns', async () => {
      const title = await page.evaluate(() => document.activeElement?.textContent ?? '');
      if (title.startsWith('Campaign')) return true;
      await page.keyboard.press('Tab');
      return false;
    });
    await page.keyboard.press('Enter');
    await page.waitForSelector('.menu[open] input');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Space');
    await page.waitForFunction(() => location.search.includes('is.campaign='));
    await page.keyboard.press('Escape');
    expect(await page.evaluate(() => document.activeElement?.textContent)).toMatch(/^Campaign \(1\)/);
    await settled();
    const chosen = new URL(page.url()).searchParams.get('is.campaign') ?? '';
    const statistics = await get<Statistics>(
      `/statistics?${new URLSearchParams({ 'is.campaign': chosen }).toString()}`,
    );
    await waitFor(
      'the numbers',
      async () => (await numberOf(page, '#figure-reports')) === statistics.reports,
    );
    await page.select('#group', 'publisher');
    await page.waitForSelector('tr[data-group="https://news.example"]');
    expect(new URL(page.url()).searchParams.get('group')).toBe('publisher');
    await page.goBack();
    await page.waitForSelector('tr[data-group="phone"]');
    await page.goBack();
    const all = await get<Statistics>('/statistics');
    await waitFor('all', async () => (await numberOf(page, '#figure-reports')) === all.reports);
  });

  itInSoak('downloads what the filters leave, in each format', async () => {
    await goTo('/?is.campaign=Spring+sale&group=device');
    const links = await page.$$eval('.downloads a', (anchors) => anchors.map(({ href }) => href));
    expect(links).toHaveLength(12);
    const { reports, sources } = await get<Statistics>('/statistics?is.campaign=Spring+sale');
    for (const link of links) {
      const file = await page.evaluate(async (href) => {
        const response = await fetch(href);
        return { status: response.status, bytes: [...new Uint8Array(await response.arrayBuffer())] };
      }, link);
      expect(file.status).toBe(200);
      const bytes = Buffer.from(file.bytes);
      const { pathname, searchParams } = new URL(link);
      if (searchParams.get('format') === 'parquet') {
        expect(bytes.subarray(-4).toString()).toBe('PAR1');
        continue;
      }
      const rows =
        searchParams.get('format') === 'csv'
          ? parseCsv(bytes, { columns: true }).length
          : bytes.toString().trim().split('\n').length;
      if (pathname === '/reports') expect(rows).toBe(reports);
      else if (pathname === '/estimates') expect(rows).toBeGreaterThan(40);
      else expect(rows).toBe(sources);
    }
  });

  it('shows what comes while it is open, and not while it is paused', async () => {
    await goTo('/');
    const say = (type: string): Promise<Response> =>
      post(origin + VERBOSE, [{ type, body: { a: '</pre><script>' } }]);
    await say('<img src=x onerror=alert(1)>');
    await page.waitForFunction(() => document.querySelector('#latest')?.textContent.includes('<img src=x'));
    expect(await page.$('#latest img')).toBeNull();
    await page.click('#pause');
    await page.waitForFunction(() => document.querySelector('[role=status]')?.textContent === 'Paused');
    await say('while-paused');
    await page.click('#pause');
    await page.waitForFunction(() => document.querySelector('#latest')?.textContent.includes('while-paused'));
  });

  itInSoak('marks the report that a link names, and says so when it is not among the latest', async () => {
    const lines = (await (await fetch(`${origin}/reports?kind=event-level&latest=40`)).text())
      .trim()
      .split('\n');
    const { report_id: id } = JSON.parse(lines.at(-1) ?? '') as { readonly report_id: string };
    await goTo(`/#report=${encodeURIComponent(id)}`);
    expect(
      await page.$$eval('#latest tr.linked', (rows) => rows.map(({ dataset }) => dataset['report'])),
    ).toEqual([id]);
    const sees = await page.$eval('#latest tr.linked', (row) => {
      const { top, bottom } = row.getBoundingClientRect();
      return top >= 0 && bottom <= innerHeight;
    });
    expect(sees).toBe(true);
    expect(await page.$('#not-among-latest')).toBeNull();
    await goTo('/?group=device#report=unknown');
    await page.waitForSelector('#not-among-latest');
    expect(await page.$('#latest tr.linked')).toBeNull();
  });

  itInSoak(
    'shows what was posted of a summary report and of reach, beside event-level estimates',
    async () => {
      await goTo('/?group=campaign&truth=true');
      const best = await page.$eval('#ranking tbody tr', ({ dataset }) => dataset['ranked'] ?? '');
      const warnings = (): Promise<readonly string[]> =>
        page.$$eval('section:has(#ranking) .warn', (all) => all.map(({ textContent }) => textContent));
      const headers = { 'Content-Type': 'application/x-ndjson' };
      const arms = [postedSlice('exposed', 75, 1), postedSlice('holdout', 50, 1)];
      // The second is the first in another spelling.
      const others = [postedSlice('only summed', 5, 1), postedSlice('Only Summed', 7, 1)];
      const summary = [postedSlice(best, 1234, 0.01), ...others, ...arms].join('\n');
      expect(await warnings()).toEqual([]);
      expect((await post(`${origin}/summaries`, summary, headers)).status).toBe(200);
      await goTo('/?group=campaign&truth=true');
      const cells = (name: string): Promise<readonly string[]> =>
        page.$$eval(`#ranking tr[data-ranked="${name}"] td`, (all) => all.map((cell) => cell.textContent));
      expect(await cells(best)).toContain('1,234 (1,233.98 to 1,234.02)');
      const [rank, rate] = await cells('only summed');
      expect([rank, rate]).toEqual(['–', '–']);
      expect(await cells('only summed')).toContain('5 (3 to 7)');
      expect(await warnings()).toEqual([
        'One group or several? Their names differ only in how they are written: "only summed", "Only Summed". Each is estimated separately.',
      ]);
      const lift = (): Promise<readonly string[]> =>
        page.$$eval('#lift tbody :is(th, td)', (all) => all.map((cell) => cell.textContent));
      // As many were held out as not: 75 − 50 conversions are due to the ads, half as many again.
      expect(await lift()).toEqual([
        'Summary report',
        expect.stringMatching(/^25 \(/),
        expect.stringMatching(/^50\s%/),
      ]);
      await page.$eval('#holdout', (field) => {
        (field as HTMLInputElement).value = '25';
        field.dispatchEvent(new Event('input', { bubbles: true }));
      });
      await page.waitForFunction(() =>
        document.querySelector('#lift tbody td')?.textContent.startsWith('-75'),
      );
      const people = {
        by: 'sketch',
        quantity: 'reach',
        impressions: null,
        low: 90,
        high: 110,
        campaign: best,
      };
      const share = { share: 0.4, share_low: 0.3, share_high: 0.5 };
      const reach = [
        { ...people, estimate: 100, share: null, share_low: null, share_high: null },
        { ...people, quantity: 'at-least', impressions: 2, estimate: 40, ...share },
      ];
      const lines = reach.map((row) => JSON.stringify(row)).join('\n');
      expect((await post(`${origin}/reach`, lines, headers)).status).toBe(200);
      await goTo('/?group=campaign');
      const numbers = await page.$$eval('#reach td', (all) => all.map((cell) => cell.textContent));
      expect(numbers).toEqual(['100', '90 to 110', expect.stringMatching(/^40: 40\s% \(30\s% to 50\s%\)$/)]);
      await goTo('/?group=device');
      expect(await textOf(page, '#summary')).toContain('sums by campaign');
      await goTo('/?group=campaign&is.source_type=event');
      expect(await textOf(page, '#summary')).toContain('cannot be filtered');
    },
  );

  itInSoak('compares the arms that devices drew, by the trigger data that the reader names', async () => {
    await goTo('/?group=campaign');
    expect(await page.$('#lift-arms')).toBeNull();
    const { configurations } = await get<EstimateResultJson>('/estimates');
    const wanted = { exposed: 1, holdout: 0 };
    for (const { configuration } of configurations) {
      const chosen = `is.configuration=${encodeURIComponent(configuration)}`;
      const estimates = await get<EstimateResultJson>(`/estimates?${chosen}`);
      if (incomparable(estimates, wanted) !== null) continue;
      const found = liftByTriggerData(estimates, wanted, 0.5);
      if (found === null) continue;
      await goTo(`/?group=campaign&${chosen}`);
      expect(await page.$('#lift')).toBeNull();
      // Nothing says yet that there is a test.
      expect(await page.$eval('#lift-arms', (select) => select.checkVisibility())).toBe(false);
      await page.click('summary:has(#lift-title)');
      expect(await page.$eval('#lift-arms', (select) => select.checkVisibility())).toBe(true);
      // What an opened card holds has its gaps, as in other cards.
      const gap = await page.$eval('#lift-arms', (select) => {
        const text = select.closest('.card')?.querySelector('.small');
        return (text?.getBoundingClientRect().top ?? 0) - select.getBoundingClientRect().bottom;
      });
      expect(gap).toBeGreaterThan(5);
      await page.select('#lift-arms', '1,0');
      const shown = await page.$$eval('#lift td', (all) => all.map((cell) => cell.textContent));
      const numbers = (text = ''): number[] =>
        (text.replaceAll(',', '').match(/-?\d+(\.\d+)?/g) ?? []).map(Number);
      const { estimate, interval } = found.caused;
      // Without more digits than the interval warrants.
      const close = (value: number): unknown => expect.closeTo(value, 0) as unknown;
      expect(numbers(shown[1])).toEqual([estimate, ...interval].map(close));
      expect(numbers(shown[2])[0]).toBeCloseTo(100 * (found.lift ?? NaN), 0);
      expect(await violationsOfLittle(page)).toEqual([]);
      return;
    }
    throw new Error('no configuration reports two trigger data');
  });

  itInSoak('says so when nothing is like what was chosen', async () => {
    await page.goto(`${origin}/?is.campaign=none`);
    await page.waitForFunction(() =>
      document.querySelector('main')?.textContent.includes('No sources match'),
    );
    expect(await violationsOfLittle(page)).toEqual([]);
  });

  itInSoak('says why the collector refuses a view, and that it is not the connection', async () => {
    // Chrome tells of each refused request.
    const forgive = (message: { text(): string }): void => {
      if (message.text().includes('400 (Bad Request)')) problems.pop();
    };
    page.on('console', forgive);
    await page.goto(`${origin}/?group=`);
    await page.waitForSelector('#failure');
    expect(await textOf(page, '#failure')).toMatch(/could not answer this view: .*group.*1 character/);
    expect(await textOf(page, '.live .chip')).toBe('An error. Trying again …');
    expect(await violationsOfLittle(page)).toEqual([]);
    await page.goto('about:blank');
    page.off('console', forgive);
  });

  itInSoak('speaks the language of the browser, in words, numbers and dates', async () => {
    const german = await openPage(problems, origin, 'de-AT,de,en');
    await german.goto(`${origin}/?group=destination&truth=true`);
    await german.waitForSelector('main[aria-busy="false"] .plot');
    expect(await german.$eval('html', ({ lang }) => lang)).toBe('de');
    expect(await german.title()).toBe('Cointoss-Collector');
    expect(await textOf(german, '#ranking-title')).toBe('Ziel nach Anteil der Quellen mit Conversion');
    // The first month of 2026, and numbers with a comma and a dot.
    const rows = await german.$$eval('#ranking tbody tr', (all) => all.map((row) => row.textContent));
    expect(rows.join()).toMatch(/\d,\d+\u00a0%/);
    expect(await textOf(german, '#latest td')).toMatch(/^\d\d\.\d\d\.2026, \d\d:\d\d:\d\d$/);
    const ticks = await german.$$eval('main > .chart .plot text', (all) => all.map((one) => one.textContent));
    expect(ticks.join()).toMatch(/\d+\. Jän/);
    const text = await textOf(german, 'main');
    for (const word of ['Schätzung', 'Verzögerung', 'Ausgabezustände', 'Randomized Response'])
      expect(text).toContain(word);
    expect(text.match(/\b(the|of|and|reports|sources|estimate|window)\b/g)).toBeNull();
    // The widest table is tried below.
    if (isLong) {
      await german.$$eval('.menu:first-of-type summary, .numbers summary', (summaries) =>
        summaries.forEach((summary) => summary.click()),
      );
      expect(await sidewaysProblemsOf(german)).toEqual([]);
    }
    await german.browserContext().close();
  });

  it.each([
    '/?truth=true',
    ...(isLong
      ? ['/?group=configuration&quantity=conversion-rate&likelihood=true&is.source_type=event']
      : []),
  ])('leaves nothing for axe-core to complain of, and no word is cut: %s', async (address) => {
    await goTo(address);
    await page.$$eval('.menu:first-of-type summary, .numbers summary', (summaries) =>
      summaries.forEach((summary) => summary.click()),
    );
    expect(await violations(page)).toEqual([]);
    expect(await sidewaysProblemsOf(page)).toEqual([]);
    if (!isLong) return;
    // Colours are the same in a narrow window.
    await page.setViewport({ width: 320, height: 640 });
    expect(await violationsOf(page)).toEqual([]);
  });

  itInSoak('has room for all columns of the campaigns in German on a small screen', async () => {
    const slice = {
      ...{ slice: 'campaign=Audio books', bucket: null, value: null, standard_error: null },
      ...{ low: null, high: null, discovered: null },
      ...{ consistent: 120.5, consistent_error: 12, consistent_low: 97, consistent_high: 144 },
    };
    const headers = { 'Content-Type': 'application/x-ndjson' };
    for (const path of ['/summaries', '/histograms'])
      expect((await post(origin + path, slice, headers)).status).toBe(200);
    const german = await openPage(problems, origin, 'de,en');
    await german.goto(`${origin}/?group=campaign&truth=true`);
    await german.waitForSelector('main[aria-busy="false"] #ranking');
    expect(await german.$$eval('#ranking thead th', (all) => all.length)).toBe(13);
    expect(await german.$$eval('.stacked #ranking', (all) => all.length)).toBe(0);
    expect(await sidewaysProblemsOf(german)).toEqual([]);
    await german.browserContext().close();
  });
});

describe('with a token and an empty store', () => {
  let app: FastifyInstance;
  let origin: string;

  // Again for each try, because the test begins with an empty store.
  beforeEach(async () => {
    app = await temporaryCollector({ token });
    origin = await app.listen({ port: 0, host: '127.0.0.1' });
  });

  afterEach(() => app.close());

  // What the collector keeps of each, tests in Node try.
  const postedTo = isLong ? ['/summaries', '/histograms'] : ['/summaries'];
  itInSoak.each(postedTo)('shows what was posted to %s before any source', async (path) => {
    const problems: string[] = [];
    const page = await openPage(problems, origin);
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/x-ndjson' };
    await page.goto(origin);
    await page.type('#token', token);
    await page.keyboard.press('Enter');
    await page.waitForSelector('#nothing');
    const posted = [postedSlice('spring', 40, 2), postedSlice('autumn', -1, 2)].join('\n');
    expect((await post(origin + path, posted, headers)).status).toBe(200);
    await page.waitForSelector('#ranking');
    expect(await page.$eval('#group', (menu) => (menu as HTMLSelectElement).value)).toBe('campaign');
    const rows = await page.$$eval('#ranking tbody tr', (all) =>
      all.map((row) =>
        [...row.cells].map(({ textContent }) => textContent).filter((text) => /\d/.test(text)),
      ),
    );
    // Nothing else is known, and no sum is below 0.
    expect(rows).toEqual([
      ['40 (36 to 44)', '0 sources'],
      ['0 (0 to 4)', '0 sources'],
    ]);
    expect(await violationsOfLittle(page)).toEqual([]);
    expect(problems).toEqual([]);
    await page.browserContext().close();
  });

  itInSoak('counts the buckets that reports of sums name, which are no conversions', async () => {
    const problems: string[] = [];
    const page = await openPage(problems, origin);
    const spec = { trigger_data: [0], summary_operator: 'value_sum', summary_buckets: [5, 100] };
    const source = {
      source_event_id: '1',
      reporting_origin: 'https://ads.example',
      destination: 'https://shop.example',
      source_type: 'navigation',
      time: '2026-01-01T00:00:00Z',
      registration: { max_event_level_reports: 2, trigger_specs: [spec] },
    };
    await post(`${origin}/sources`, source, {
      Authorization: `Bearer ${token}`,
      'Content-Type': 'application/x-ndjson',
    });
    await page.goto(origin);
    await page.type('#token', token);
    await page.keyboard.press('Enter');
    await page.waitForSelector('.configuration');
    const titles = await textOf(page, '.configuration');
    expect(titles).toContain('Buckets reached by');
    expect(titles).not.toContain('Conversions by');
    expect(problems).toEqual([]);
    await page.browserContext().close();
  });

  it('asks for the token, then says what to do', async () => {
    const problems: string[] = [];
    const page = await openPage(problems, origin);
    await page.goto(`${origin}/?group=campaign`);
    expect(new URL(page.url()).pathname).toBe('/login');
    expect(await violationsOfLittle(page)).toEqual([]);
    await page.type('#token', token);
    await page.keyboard.press('Enter');
    await page.waitForSelector('#nothing');
    expect(await textOf(page, '#nothing')).toContain('npx cointoss collect --demo');
    expect(await violationsOfLittle(page)).toEqual([]);
    expect(await sidewaysProblemsOf(page)).toEqual([]);
    // Sources come, then a report of another one.
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/x-ndjson' };
    const source = {
      source_event_id: '1',
      reporting_origin: 'https://ads.example',
      destination: 'https://shop.example',
      source_type: 'event',
      time: '2026-01-01T00:00:00Z',
      registration: {},
      campaign: 'over',
    };
    await post(`${origin}/sources`, source, headers);
    const open = { ...source, source_event_id: '2', time: new Date().toISOString(), campaign: 'open' };
    await post(`${origin}/sources`, open, headers);
    await page.waitForFunction(() =>
      document.querySelector('main')?.textContent.includes('No reports of these'),
    );
    expect(await violationsOfLittle(page)).toEqual([]);
    expect(await cellsOf(page, 'over')).toEqual(['1', '0', '0', '–', '0 (0 to 0.95)']);
    // Reports may still come, so their number is not known to be 0.
    expect(await cellsOf(page, 'open')).toEqual(['1', '0', '–', '–', '–']);
    await post(origin + EVENT_LEVEL, freshReport());
    await page.waitForSelector('main > .chart rect');
    expect(await numberOf(page, '#figure-unusable')).toBe(1);
    expect(problems).toEqual([]);
    // The session ends.
    const context = page.browserContext();
    await context.deleteCookie(...(await context.cookies()));
    await page.waitForFunction(() => document.querySelector('[role=status]')?.textContent === 'Logged out.');
    await page.browserContext().close();
  });
});
