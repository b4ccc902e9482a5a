import type { FastifyInstance } from 'fastify';
import type { CollectorOptions } from '../../../collector/options';
import { rowsOf } from '../../../collector/dashboard/client/group-rows';
import type { EstimateResultJson } from '../../../analysis/estimate/result/estimate-result';
import { EVENT_LEVEL, freshReport, metric, post } from '../helpers/collector-client';
import { temporaryCollector } from '../helpers/empty-store';
import { isLong } from '../helpers/is-long';
import { TokenTrial } from '../helpers/tokens';

/** Each takes a request. */
const SOURCES = isLong ? 2000 : 400;
const DAY = 24 * 3_600_000;
const ADS = 'https://ads.example';
/** Long ago enough that all reports are due. */
const registered = 1000 * Math.floor(Date.now() / 1000) - 20 * DAY;

const open: FastifyInstance[] = [];
afterAll(() => Promise.all(open.map((app) => app.close())));

async function start(options: Partial<CollectorOptions>): Promise<string> {
  const app = await temporaryCollector({ rateLimit: 1e6, ...options });
  open.push(app);
  const origin = await app.listen({ port: 0, host: '127.0.0.1' });
  const rows = Array.from({ length: SOURCES }, (_, id) => ({
    source_event_id: String(id),
    reporting_origin: ADS,
    destination: 'https://shop.example',
    source_type: 'event',
    time: new Date(registered).toISOString(),
    registration: { trigger_data: [0, 1], event_report_windows: { end_times: [86_400] } },
    // Three outputs: noise replaces 0.15 of them.
    epsilon: Math.log(18),
  }));
  const log = rows.map((row) => JSON.stringify(row)).join('\n');
  const logged = await post(`${origin}/sources`, log, { 'Content-Type': 'application/x-ndjson' });
  expect(await logged.json()).toMatchObject({ stored: SOURCES });
  return origin;
}

const reportOf = (id: number, data: number): object =>
  freshReport({
    source_event_id: String(id),
    source_type: 'event',
    trigger_data: String(data),
    randomized_trigger_rate: 0.15,
    scheduled_report_time: String(Math.floor((registered + DAY) / 1000)),
  });

/** Noise alone makes as many reports of each kind as it leaves sources without one. */
const NOISE = 0.05 * SOURCES;
/** A bit more than noise makes: people who converted. */
const HONEST = 3 * NOISE;
const honest = Array.from({ length: HONEST }, (_, index) => [index * 6, index < 2 * NOISE ? 0 : 1] as const);
const invented = Array.from({ length: SOURCES }, (_, id) => [id, 1] as const);

async function send(
  origin: string,
  reports: readonly (readonly [id: number, data: number])[],
  tokenFor: (() => string) | null,
): Promise<Readonly<Record<number, number>>> {
  const statuses: Record<number, number> = {};
  for (let at = 0; at < reports.length; at += 50)
    await Promise.all(
      reports.slice(at, at + 50).map(async ([id, data]) => {
        const { status } = await post(origin + EVENT_LEVEL, reportOf(id, data), {
          'Cointoss-Report-Url': `${ADS}${EVENT_LEVEL}`,
          ...(tokenFor === null ? {} : { Authorization: tokenFor() }),
        });
        statuses[status] = (statuses[status] ?? 0) + 1;
      }),
    );
  return statuses;
}

const shop = [{ group: 'https://shop.example', sources: SOURCES, reports: SOURCES + HONEST }];

/** What the dashboard shows beside the counts of a destination. */
async function shownAt(
  origin: string,
): Promise<ReturnType<typeof rowsOf>[number]['conversions'] | undefined> {
  const estimates = await fetch(`${origin}/estimates?group=destination`);
  const statistics = { groups: shop } as unknown as Parameters<typeof rowsOf>[0];
  return rowsOf(statistics, (await estimates.json()) as EstimateResultJson)[0]?.conversions;
}

async function estimatesAt(origin: string): Promise<EstimateResultJson['configurations'][number]> {
  const result = (await (await fetch(`${origin}/estimates`)).json()) as EstimateResultJson;
  const [configuration] = result.configurations;
  if (configuration === undefined) throw new Error(JSON.stringify(result));
  return configuration;
}

test('forged reports of all sources onto honest ones of some: without tokens they are stored, and the estimate is refused', async () => {
  const origin = await start({});
  expect(await send(origin, honest, null)).toEqual({ 200: HONEST });
  expect(await send(origin, invented, null)).toEqual({ 200: SOURCES });
  const { mismatches, groups } = await estimatesAt(origin);
  expect(mismatches).toMatchObject([
    { about: 'reports', side: 'at-most', value: 0, expected: NOISE, observed: 0 },
  ]);
  expect(groups[0]?.estimates[1]).toMatchObject({
    quantity: 'conversions',
    estimate: null,
    interval: [null, null],
  });
  // Unknown, which is not 0.
  expect(await shownAt(origin)).toMatchObject({ counted: SOURCES, estimate: null });
});

test('with tokens required each forged report is refused, and the estimate is that of the honest ones', async () => {
  const trial = new TokenTrial();
  const origin = await start({ tokens: trial.options() });
  expect(await send(origin, honest, await trial.signer())).toEqual({ 200: HONEST });
  expect(await send(origin, invented, null)).toEqual({ 401: SOURCES });
  const { mismatches, groups } = await estimatesAt(origin);
  expect(mismatches).toEqual([]);
  expect(groups[0]?.estimates[1]).toMatchObject({ quantity: 'conversions', observed: HONEST });
  expect(groups[0]?.estimates[1]?.estimate).toBeCloseTo((HONEST - 2 * NOISE) / 0.85, 6);
  expect(await metric(origin, 'cointoss_refused_total')).toMatchObject({ 'reason="token-missing"': SOURCES });
});
