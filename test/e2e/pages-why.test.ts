import path from 'node:path';
import type { Page } from 'puppeteer-core';
import { accept, readJson } from '../../cli/input';
import { chromiumLimits } from '../../src/model/limits';
import { defaultSettings } from '../../src/model/settings';
import { seededRandomSource } from '../../src/privacy/random-source';
import { parseScenario } from '../../analysis/scenario/scenario';
import { replay } from '../../analysis/scenario/replay';
import type { Snapshot } from '../../extension/pages/snapshot/snapshot';
import { snapshotToJson } from '../../extension/pages/snapshot/snapshot-json';
import { MemoryStore } from '../../analysis/store/memory-store';
import { choose, goTo, press, shows } from './helpers/internals';
import { browsersOfRun, useWorld } from './helpers/world';

const folder = path.resolve(__dirname, '../conformance/cases');

/** The store's content after a scenario. */
async function snapshotOf(name: string): Promise<Snapshot> {
  const file = path.join(folder, `${name}.json`);
  const store = new MemoryStore();
  await replay(accept(file, parseScenario(readJson(file), chromiumLimits)), {
    noise: false,
    random: (stream) => seededRandomSource('why', stream),
    store,
  });
  return store.read(async (tx) => ({
    time: 0,
    clockAhead: 0,
    truth: true,
    settings: defaultSettings,
    tables: {
      sources: await tx.table('sources').latest(Infinity),
      reports: await tx.table('reports').latest(Infinity),
      finished: await tx.table('finished').latest(Infinity),
      rateLimits: await tx.table('rateLimits').latest(Infinity),
      spends: await tx.table('spends').latest(Infinity),
      log: await tx.table('log').latest(Infinity),
    },
  }));
}

/** Each scenario, what of it came to nothing first, and the check that must be marked. */
const causes: readonly (readonly [scenario: string, check: string, table: 'triggers' | 'refused'])[] = [
  // Conversions.
  ['reporting-origin-must-match-exactly', 'matching-source', 'triggers'],
  ['scopes-none-matches', 'matching-source', 'triggers'],
  ['filters-every-key-must-match', 'filters', 'triggers'],
  ['not-filters-no-value-in-common', 'filters', 'triggers'],
  ['filters-lookback-window-and-value-must-both-hold', 'filters', 'triggers'],
  ['noised-with-reports', 'source-not-noised', 'triggers'],
  ['event-trigger-data-none-matches', 'event-trigger-data-filters', 'triggers'],
  ['event-trigger-data-empty', 'event-trigger-data', 'triggers'],
  ['dedup-before-sending', 'deduplication-key', 'triggers'],
  ['trigger-data-exact-custom', 'trigger-data', 'triggers'],
  ['trigger-data-empty-set', 'trigger-data', 'triggers'],
  ['windows-start-time', 'report-window-started', 'triggers'],
  ['windows-passed-after-the-last-end', 'report-window-open', 'triggers'],
  ['max-event-level-reports-zero', 'reports-of-source', 'triggers'],
  ['replacement-not-by-lower-priority', 'priority-over-report', 'triggers'],
  ['limit-attributions', 'attributions-per-pair', 'triggers'],
  ['limit-attribution-reporting-origins', 'attributing-origins', 'triggers'],
  ['limit-reports-per-destination', 'pending-reports', 'triggers'],
  ['noised-without-reports', 'source-not-noised-to-nothing', 'triggers'],
  ['flexible-maximum-reached-by-a-final-report', 'reports-of-source', 'triggers'],
  ['flexible-maximum-of-lower-priority', 'priority-over-conversions', 'triggers'],
  // Sources.
  ['trigger-state-cardinality', 'trigger-state-cardinality', 'refused'],
  ['channel-capacity-navigation', 'channel-capacity', 'refused'],
  ['scopes-max-event-states-limit', 'event-states', 'refused'],
  ['scopes-channel-capacity-event', 'scopes-channel-capacity', 'refused'],
  ['limit-sources-per-origin', 'sources-of-origin', 'refused'],
  ['limit-reporting-origins-per-site', 'origins-per-site', 'refused'],
  ['limit-destinations-per-minute', 'destinations-per-minute', 'refused'],
  ['limit-destinations-per-day', 'destinations-per-day', 'refused'],
  ['limit-destinations-priority-refuses-the-new', 'unexpired-destinations', 'refused'],
  ['limit-destinations-per-minute-of-all-is-hidden', 'destinations-of-all', 'refused'],
  ['limit-source-reporting-origins-is-hidden', 'origins-per-destination', 'refused'],
];

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

  it.each(causes)('of %s marks "%s"', async (scenario, check, table) => {
    const snapshot = await snapshotOf(scenario);
    const first = [...snapshot.tables.log]
      .sort((a, b) => a.id - b.id)
      .find((entry) =>
        table === 'triggers'
          ? entry.kind === 'trigger' && entry.decision.kind === 'dropped'
          : entry.kind === 'source' && entry.decision.kind === 'rejected',
      );
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

  it('lists every source that was considered, and what it lost by', async () => {
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

  it('says of a source why it has no report yet, and when the next can come', async () => {
    const snapshot = await snapshotOf('windows-start-time');
    const [source] = snapshot.tables.sources;
    await open(snapshot);
    await goTo(page, `#/sources/${source?.id ?? 0}/why`);
    await shows(page, '#source-account', /made no report \(report window not started\)/);
  });
});
