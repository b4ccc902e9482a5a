import type { Page } from 'puppeteer-core';
import { waitFor } from '../../scenarios/kit';
import { epsilon, probability } from '../../src/model/units';
import { source, trigger } from './helpers/registrations';
import { browsersOfRun, calm, itInSoak, useWorld } from './helpers/world';

/** The participants' configuration: real noise, with a seed so that results are predictable. */
const seeded = { ...calm.debug, enabled: true, noise: true, delay: true, seed: 'trial', debugReports: false };

const MINUTE = 60_000;

describe.each(browsersOfRun)('a field trial (%s)', (name) => {
  const world = useWorld(name, { seed: 'trial' });

  /** The bodies of the reports that came to the ad server. */
  async function collected(count: number): Promise<Readonly<Record<string, unknown>>[]> {
    return waitFor(`${count} reports at the ad server`, async () => {
      const finished = await world.extension.finished();
      const sent = finished.filter(({ end }) => end === 'delivered');
      return sent.length >= count
        ? sent.map(({ report }) => (report as { body: Readonly<Record<string, unknown>> }).body)
        : null;
    });
  }

  async function see(id: number, more: object = {}): Promise<void> {
    const url = world.sites.serve('adtech', `/ad-${id}`, {
      headers: source(id, world.sites.origin('shop'), more),
    });
    await world.open('publisher', `<img attributionsrc="${url}">`);
  }

  async function convert(more: object = {}): Promise<void> {
    const url = world.sites.serve('adtech', '/convert', { headers: trigger(0, more) });
    await world.open('shop', `<img src="${url}">`);
  }

  /** The internals page at one of its views. */
  async function internals(view: string): Promise<Page> {
    const page = await world.extension.openPage('pages/internals.html');
    await page.evaluate((hash) => (location.hash = hash), `#/${view}`);
    return page;
  }

  /** Empty while there is none. */
  const text = async (page: Page, selector: string): Promise<string> =>
    (await page.$$eval(selector, (elements) => elements.map((element) => element.textContent))).join(' ');

  it('with exponential attribution credits one click, keeps the others, and spends for both', async () => {
    world.sites.serve('adtech', '/.well-known/attribution-reporting/report-event-attribution', {
      status: 200,
    });
    // What units lost in earlier tests counts.
    await world.extension.clear();
    await world.extension.settings({
      attribution: {
        kind: 'exponential',
        epsilon: epsilon(4),
        score: 'linear',
        unit: 'minutes',
        tau: 5,
        gap: null,
      },
      budget: {
        unit: 'user-publisher',
        period: 30,
        epsilon: epsilon(40),
        delta: probability(0),
        attributionEpsilon: epsilon(12),
        cap: 2,
        joint: null,
        owners: [],
      },
      // With this seed the choice falls on a source that is within budget.
      debug: { ...seeded, seed: 'second' },
    });
    await see(1, { event_level_epsilon: 14 });
    await world.waitForRecorded(1);
    await world.extension.advance(10 * MINUTE);
    await see(2);
    await world.waitForRecorded(2);
    await see(3);
    await world.waitForRecorded(3);
    await convert();
    await world.waitForRecorded(4);

    // The third is over the cap: it is kept, and answers with noise alone.
    const overBudget = (await world.extension.sources()).filter((source) => source.overBudget === true);
    expect(overBudget.map(({ registration }) => registration.sourceEventId)).toEqual(['3']);
    const [entry] = (await world.extension.trace()).filter(({ kind }) => kind === 'trigger');
    expect(entry?.checks.find(({ id }) => id === 'attribution')).toMatchObject({
      values: { how: 'private', model: 'exponential', epsilon: 4 },
    });
    await world.extension.deliverAll();
    const [body] = await collected(1);
    expect(['1', '2']).toContain(body?.['source_event_id']);

    const budget = await internals('budget');
    await waitFor('the account', async () => (await text(budget, '.budget-accounts')).includes('publisher'));
    // Twice ε = 14 of noise, and half of ε = 4 for each of the three candidates.
    const accounts = await text(budget, '.budget-accounts');
    expect(accounts).toMatch(/ε\s=\s28.*ε\s=\s6 of 12 for attribution/);
    expect(accounts).toContain('2 impressions, by basic composition');
    // What attribution chose is hidden by the noise of the reports.
    expect(await text(budget, '#joint-loss')).toMatch(
      /at most ε\s=\s28 of what .* The budget sets no limit to it/,
    );
    const attribution = await internals('attribution');
    await waitFor('the comparison', async () => (await attribution.$('table.models')) !== null);
    expect(await text(attribution, '#utility')).toMatch(
      /^With these settings \(ε\s=\s4, linear score, τ\s=\s5 minutes\)/,
    );
    expect(await attribution.$$eval('table.models tbody tr', (rows) => rows.length)).toBe(8);
  });

  itInSoak('with noise on bins reports a number for each source, whether it converted or not', async () => {
    world.sites.serve('adtech', '/.well-known/attribution-reporting/report-event-attribution', {
      status: 200,
    });
    await world.extension.settings({
      labelNoise: { kind: 'rr-on-bins', values: [0, 1, 10], prior: [0.5, 0.3, 0.2], loss: 'squared' },
      debug: seeded,
    });
    const valued = {
      trigger_specs: [
        {
          trigger_data: [0],
          summary_operator: 'value_sum',
          summary_buckets: [1, 10],
          event_report_windows: { end_times: [3600] },
        },
      ],
      max_event_level_reports: 2,
      event_level_epsilon: 4,
    };
    await see(1, valued);
    await world.waitForRecorded(1);
    await convert({ value: 25 });
    await world.waitForRecorded(2);
    await see(2, valued);
    await world.waitForRecorded(3);
    // The truth is held back until the window closes.
    expect((await world.extension.reports()).every(({ event }) => (event as { held: boolean }).held)).toBe(
      true,
    );
    await world.extension.deliverAll();

    const bodies = await collected(2);
    expect(bodies.map((body) => body['source_event_id']).sort()).toEqual(['1', '2']);
    for (const body of bodies) {
      expect(typeof body['noisy_value']).toBe('number');
      expect(body).not.toHaveProperty('trigger_summary_bucket');
    }
    const sources = await world.extension.sources();
    expect(sources.map(({ noise }) => (noise as { kind: string }).kind)).toEqual(['drawn', 'drawn']);
    const page = await internals('budget');
    await waitFor('the accounts', async () => /ε\s=\s4/.test(await text(page, '.budget-accounts')));
    expect(await text(page, '#budget-rule')).toContain('nothing is refused');
  });
});
