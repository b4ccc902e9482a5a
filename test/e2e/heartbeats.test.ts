import type { EstimateResultJson } from '../../analysis/estimate/result/estimate-result';
import { waitFor, type Row } from '../../scenarios/kit';
import { FrailCollector } from './helpers/collector';
import { source } from './helpers/registrations';
import { browsersOfRun, calm, isLong, useWorld } from './helpers/world';

const HEARTBEATS = 60;
const ADS = 10;

/** With two trigger data and one window there are r + 1 states with r reports, so noise alone sends two reports on average. */
const HEARTBEAT = { max_event_level_reports: 3, event_level_epsilon: 0 };

const HEARTBEAT_SITE = 'https://heartbeat.example';

// What they say of lost reports, tests in Node try.
(isLong ? describe : describe.skip).each(browsersOfRun)('heartbeats (%s)', (name) => {
  const world = useWorld(name, { seed: 'heartbeats' });
  let collector: FrailCollector;

  // A new one for each try, because the estimate counts everything that was stored.
  beforeEach(async () => {
    collector = await FrailCollector.start();
  });
  afterEach(() => collector.close());

  /** Ads and heartbeats of one page, as their server logs them. */
  async function seen(): Promise<readonly Row[]> {
    const { sites, extension } = world;
    const registrations = Array.from({ length: HEARTBEATS + ADS }, (_, id) =>
      id < HEARTBEATS
        ? { ...HEARTBEAT, destination: HEARTBEAT_SITE }
        : { event_level_epsilon: 1, destination: sites.origin('shop') },
    );
    const images = registrations.map(({ destination, ...more }, id) => {
      const url = sites.serve('adtech', `/view-${id}`, { headers: source(id, destination, more) });
      return `<img attributionsrc="${url}">`;
    });
    await world.open('publisher', images.join(''));
    await world.waitForRecorded(images.length);
    const times = new Map(
      (await extension.sources()).map(({ registration, time }) => [
        (registration as { readonly sourceEventId: string }).sourceEventId,
        new Date(Number(time)).toISOString(),
      ]),
    );
    return registrations.map((registration, id) => ({
      source_event_id: String(id),
      reporting_origin: sites.origin('adtech'),
      source_type: 'event',
      destination: registration.destination,
      time: times.get(String(id)),
      registration: { source_event_id: String(id), ...registration },
    }));
  }

  it('send noise alone, and the collector sees from it how many reports are lost', async () => {
    collector.mood = { kind: 'loses' };
    await world.extension.settings({
      collector: collector.origin,
      debug: { ...calm.debug, enabled: true, noise: true, delay: true, seed: 'heartbeats' },
    });
    const sources = await seen();
    const { extension, sites } = world;
    const waiting = (await extension.reports()).length;
    const conversion = await extension.register('trigger', '{ "event_trigger_data": [{}] }', {
      contextOrigin: HEARTBEAT_SITE,
      reportingOrigin: sites.origin('adtech'),
    });
    // A heartbeat's reports are drawn with the source, so the conversion adds none.
    expect(conversion).toMatchObject({ decision: { kind: 'dropped', reason: 'trigger-event-noise' } });
    expect(await extension.reports()).toHaveLength(waiting);
    await extension.deliverAll();
    await waitFor('all reports to be sent', async () => (await extension.reports()).length === 0);
    const logged = await collector.ask('/sources', {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-ndjson' },
      body: sources.map((row) => JSON.stringify(row)).join('\n'),
    });
    expect(logged.status).toBe(200);

    const sent = collector.posts.map(({ body }) => JSON.parse(body) as Row);
    const beats = sent.filter((row) => row['attribution_destination'] === HEARTBEAT_SITE);
    expect(beats.every((row) => row['randomized_trigger_rate'] === 1)).toBe(true);
    // The number of a heartbeat's reports has the mean 2 and the variance 1, so 6 standard deviations are 46.
    expect(Math.abs(beats.length - 2 * HEARTBEATS)).toBeLessThan(46);

    const arrived = (await collector.reports()).filter(
      (row) => row['attribution_destination'] === HEARTBEAT_SITE,
    ).length;
    expect(arrived).toBeLessThan(beats.length);
    const asOf = new Date(Date.now() + 90 * 86_400_000).toISOString();
    const answer = await collector.ask(`/estimates?as_of=${asOf}`);
    const { sources: counted, configurations } = (await answer.json()) as EstimateResultJson;
    expect(counted).toMatchObject({ read: HEARTBEATS + ADS, used: ADS, heartbeats: HEARTBEATS });
    const lost = configurations[0]?.lost_reports;
    expect(lost).toMatchObject({ from: 'heartbeats', fits: true });
    expect(lost?.rate).toBeCloseTo(1 - arrived / (2 * HEARTBEATS), 9);
  });
});
