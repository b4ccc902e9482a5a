import { spawn, spawnSync } from 'node:child_process';
import path from 'node:path';
import type { Page } from 'puppeteer-core';
import { arrivedReports } from '../../scenarios/demo/arrived-reports';
import { demoSettings, startDemoSites, type DemoSites } from '../../scenarios/demo/sites';
import { FrailCollector } from './helpers/collector';
import { browsersOfRun, calm, useWorld } from './helpers/world';
import { waitFor } from '../../scenarios/kit';

const TWO_DAYS = 172_800;

/**
 * Navigation sources tell 2 925 states apart: 8 trigger data, 3 windows, 3 reports make C(8·3 + 3, 3). With ε = 14 the
 * rate is k/(k − 1 + e^ε), to seven digits.
 */
const navigationRate = Number((2925 / (2924 + Math.exp(14))).toFixed(7));

/** The ad server numbers its sources within a campaign; the rule's house ad knows the campaign only. */
const ofCampaign = (type: string, campaign: string): RegExp =>
  new RegExp(`^${type} source ${campaign}(\\d{6})? on publisher by adtech$`);

// From a click to a report at a collector, package.test.ts goes in both browsers.
describe.each(browsersOfRun)('the demo (%s)', (name) => {
  const world = useWorld(name);

  let collector: FrailCollector;
  let demo: DemoSites;

  beforeAll(async () => {
    collector = await FrailCollector.start();
    demo = await startDemoSites({
      publisherPort: 0,
      shopPort: 0,
      adtechPort: 0,
      arrived: () => arrivedReports(world.extension),
    });
  });

  afterAll(async () => {
    await demo.close();
    await collector.close();
  });

  const follow = async (page: Page, selector: string): Promise<void> => {
    const element = await page.waitForSelector(selector);
    await element?.evaluate((found) => found.scrollIntoView({ block: 'center', behavior: 'instant' }));
    await Promise.all([page.waitForNavigation({ waitUntil: 'load' }), page.click(selector, { delay: 100 })]);
  };

  /** The page's bar shows this step of the guided demo, without a reload. */
  const guidesTo = (page: Page, step: string): Promise<unknown> =>
    waitFor(`the step "${step}"`, () =>
      page.$eval('#tour', (bar, at) => bar.getAttribute('data-step') === at, step),
    );

  /** What the popup of the newest page shows at these places. */
  const popupSays = async (...places: readonly string[]): Promise<readonly (string | null)[]> => {
    const popup = await world.extension.openPage('pages/popup.html');
    const texts: (string | null)[] = [];
    for (const place of places) {
      const found = await popup.waitForSelector(place);
      texts.push((await found?.evaluate(({ textContent }) => textContent)) ?? null);
    }
    await popup.close();
    return texts;
  };

  it('turns impressions and a purchase into one report at the collector, of the ad that was clicked', async () => {
    const { extension } = world;
    await extension.settings({ ...calm, ...demoSettings(demo.origins, collector.origin) });
    const page = await world.visit(demo.origins.publisher);
    const house = await page.waitForSelector('.house-ad');
    await house?.evaluate((found) => found.scrollIntoView({ block: 'center', behavior: 'instant' }));
    const views = ['3003', '4004', '4005'].map(
      (id) => expect.stringMatching(ofCampaign('event', id)) as string,
    );
    expect(await world.waitForRecorded(3)).toEqual(views);
    await guidesTo(page, 'click');
    await follow(page, '#ad-click');
    expect(await world.waitForRecorded(4)).toEqual([
      ...views,
      expect.stringMatching(ofCampaign('navigation', '2002')),
    ]);
    const [click] = await extension.sources();
    await guidesTo(page, 'buy');
    await follow(page, '#buy');
    // One purchase is one conversion and one report, everywhere.
    expect((await world.waitForRecorded(5)).slice(4)).toEqual(['trigger 2 on shop by adtech']);
    expect(await extension.waitForReports(1)).toHaveLength(1);
    expect(await collector.reports()).toEqual([]);
    expect(await popupSays('#triggers', '#pending')).toEqual(['1', '1 report']);

    await guidesTo(page, 'clock');
    await extension.advance('next-report');
    await extension.sendDue();
    await guidesTo(page, 'read');
    expect(await collector.reports()).toEqual([
      {
        attribution_destination: 'http://shop.localhost',
        source_event_id: expect.stringMatching(/^2002\d{6}$/) as unknown,
        trigger_data: '2',
        cursor: expect.any(Number) as unknown,
        source_type: 'navigation',
        randomized_trigger_rate: navigationRate,
        // The first of the default windows of a click ends after two days.
        scheduled_report_time: String(Math.floor(Number(click?.['time']) / 1000) + TWO_DAYS),
        report_id: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/) as unknown,
        kind: 'event-level',
        reporting_origin: demo.origins.adtech,
        report_url: `${demo.origins.adtech}/.well-known/attribution-reporting/report-event-attribution`,
        received_time: expect.any(String) as unknown,
      },
    ]);
    expect(collector.posts).toHaveLength(1);
    const [sent] = await extension.finished();
    expect(sent?.end).toBe('delivered');
    // The link does not lead to a table of one row.
    expect(await popupSays('#pending', '#sent', `#sent a[href$="#/reports/${sent?.report.id}"]`)).toEqual([
      'Nothing',
      'One report sent: see it, and why',
      'see it, and why',
    ]);
    await follow(page, '#tour p a');
    expect(await page.$$eval('.arrived li', (items) => items.map(({ dataset }) => dataset['fake']))).toEqual([
      'false',
    ]);
    await follow(page, '#tour button');
    await guidesTo(page, '');
  });
});

describe('npm start -- --once', () => {
  it('prints the reports of the visit as lines of JSON, and nothing else, and exits with 0', async () => {
    const child = spawn(process.execPath, [path.resolve(__dirname, '../../scripts/start.mjs'), '--once'], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    const code = await new Promise((resolve) => child.on('close', resolve));
    // Beside the code, so that a failure says what went wrong.
    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
    const lines = stdout.split('\n');
    expect(lines.pop()).toBe('');
    const reports = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(reports.length).toBeGreaterThanOrEqual(1);
    for (const report of reports) expect(report['attribution_destination']).toBe('http://shop.localhost');
    // The noise is on: in all but one of four hundred visits the click tells the truth, and the seed is the same each time.
    const ofClick = reports.filter((report) => /^2002\d{6}$/.test(String(report['source_event_id'])));
    expect(ofClick.map((report) => report['randomized_trigger_rate'])).toEqual(
      ofClick.map(() => navigationRate),
    );
    expect(ofClick.length).toBeGreaterThanOrEqual(1);
  });

  // Other systems always have one.
  if (process.platform === 'linux')
    it('is what npm start offers where there is no display, before it sets anything up', () => {
      // So it would fail if it looked for the browser.
      const env: NodeJS.ProcessEnv = { ...process.env, DISPLAY: '', CHROME_PATH: '/nowhere/chrome' };
      delete env['WAYLAND_DISPLAY'];
      const start = path.resolve(__dirname, '../../scripts/start.mjs');
      const { status, stderr } = spawnSync(process.execPath, [start], { env, encoding: 'utf8' });
      expect({ status, stderr }).toEqual({
        status: 1,
        stderr: expect.stringContaining('"npm start -- --once" makes') as unknown,
      });
      // An empty variable is as good as none, also before one that is set.
      const wayland = { ...env, WAYLAND_DISPLAY: 'wayland-0' };
      expect(spawnSync(process.execPath, [start], { env: wayland, encoding: 'utf8' }).stderr).toContain(
        '$CHROME_PATH is /nowhere/chrome, which does not exist.',
      );
    });
});
