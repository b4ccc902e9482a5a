import type { Page } from 'puppeteer-core';
import type { Snapshot } from '../../extension/pages/data/snapshot/snapshot';
import { snapshotToJson } from '../../extension/pages/data/snapshot/snapshot-json';
import { causes, firstDropped, snapshotOf } from '../unit/helpers/causes';
import { choose, goTo, press, shows } from './helpers/internals';
import { browsersOfRun, isLong, itInSoak, useWorld } from './helpers/world';

/** test/unit/extension/why.test.ts tries all of them without a browser. */
const some = [
  'filters-every-key-must-match',
  'noised-with-reports',
  'dedup-before-sending',
  'limit-attributions',
  'channel-capacity-navigation',
  'limit-destinations-per-minute',
];
const tried = isLong ? causes : causes.filter(([scenario]) => some.includes(scenario));

describe.each(browsersOfRun)('the "why" view (%s)', (name) => {
  const world = useWorld(name);
  let page: Page;

  const open = async (snapshot: Snapshot): Promise<void> => {
    page = await world.extension.page();
    await goTo(page, '#/data');
    await page.waitForSelector('#open-file');
    await choose(page, '#open-file', JSON.stringify(snapshotToJson(snapshot)));
    await page.waitForSelector('#open-banner');
  };

  afterEach(async () => {
    await press(page, '#open-banner button');
    await shows(page, '#open-banner', null);
  });

  it.each(tried)('of %s marks "%s"', async (scenario, check, table) => {
    const snapshot = await snapshotOf(scenario);
    const first = firstDropped(snapshot.tables.log, table);
    await open(snapshot);
    await goTo(page, `#/${table}/${first?.id ?? 0}`);
    await page.waitForSelector('.checks');
    const steps = await page.$$eval('.check', (elements) =>
      elements.map((element) => {
        const { check: named, outcome, deciding } = (element as HTMLElement).dataset;
        return { check: named, outcome, deciding };
      }),
    );
    const deciding = steps.filter((step) => step.deciding === 'true');
    expect(deciding).toMatchObject([{ check, outcome: 'failed' }]);
    // Earlier checks passed; later ones were not reached.
    const index = steps.findIndex((step) => step.deciding === 'true');
    expect(new Set(steps.slice(0, index).map((step) => step.outcome))).toEqual(
      new Set(index === 0 ? [] : ['passed']),
    );
    expect(new Set(steps.slice(index + 1).map((step) => step.outcome))).toEqual(
      new Set(index + 1 === steps.length ? [] : ['not-reached']),
    );
    const links = await page.$$eval('.check.deciding a', (found) => found.map(({ href }) => href));
    expect(links).toEqual([
      expect.stringMatching(/^https:\/\/(wicg\.github\.io|github\.com\/WICG)\/attribution-reporting-api/),
    ]);
  });

  itInSoak('lists every source that was considered, and what it lost by', async () => {
    const snapshot = await snapshotOf('source-priority-before-recency');
    const trigger = snapshot.tables.log.find((entry) => entry.kind === 'trigger');
    await open(snapshot);
    await goTo(page, `#/triggers/${trigger?.id ?? 0}`);
    await page.waitForSelector('[data-verdict]');
    const verdicts = await page.$$eval('[data-verdict]', (rows) =>
      rows.map((row) => (row as HTMLElement).dataset['verdict']),
    );
    expect(verdicts).toEqual(['chosen', 'lower-priority']);
  });

  itInSoak('says of a source why it has no report yet, and when the next can come', async () => {
    const snapshot = await snapshotOf('windows-start-time');
    const [source] = snapshot.tables.sources;
    await open(snapshot);
    await goTo(page, `#/sources/${source?.id ?? 0}/why`);
    await shows(page, '#source-account', /made no report \(report window not started\)/);
  });
});
