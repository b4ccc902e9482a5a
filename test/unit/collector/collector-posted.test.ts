import type { FastifyInstance } from 'fastify';
import fs from 'node:fs';
import { main } from '../../../cli/main';
import { reach as reachAnswer, summary as summaryAnswer } from '../../../collector/http/answers';
import { slicesBy } from '../../../analysis/estimate/result/campaigns';
import type { Json, JsonObject } from '../../../src/model/json';
import { parse } from '../../../formats/codec/issues';
import { sealPayload } from '../../../formats/reports/seal-in-browser';
import { publicKeys } from '../../../formats/reports/sealed-payload';
import { days, moment } from '../../../src/model/units';
import { Rational } from '../../../src/privacy/rational';
import { sealReport } from '../../../w3c/report';
import { randomFor } from '../../../cli/io/random';
import { sealedReport } from '../helpers/aggregatable';
import { AGGREGATABLE, post } from '../helpers/collector-client';
import { useCommands } from '../helpers/command';
import { temporaryCollector } from '../helpers/empty-store';

const { out, err, pathOf, file } = useCommands();
const NDJSON = { 'Content-Type': 'application/x-ndjson' };
const token = 'correct-horse-battery-staple';
const sourceLogToken = 'only-adds-to-the-source-log';

let app: FastifyInstance;
let origin: string;

beforeAll(async () => {
  app = await temporaryCollector();
  origin = await app.listen({ port: 0, host: '127.0.0.1' });
});

afterAll(() => app.close());

const get = async (path: string): Promise<Json> => (await (await fetch(origin + path)).json()) as Json;

const newest = async (): Promise<number> => Number(((await get('/counts')) as JsonObject)['newest_posted']);

test('a summary of sealed reports comes back with its slices, and the dashboard learns of it', async () => {
  expect(await get('/summaries')).toEqual({ received_time: null, rows: [] });
  expect(await newest()).toBe(0);
  expect(await main(['aggregate', '--new-key', pathOf('keys.json')])).toBe(0);
  const key = parse(JSON.parse(out.join('')) as JsonObject, publicKeys).value?.keys.at(-1);
  if (key === undefined) throw new Error('no key was printed');
  // Three conversions of one campaign, and one of another.
  const url = { 'Cointoss-Report-Url': `https://ads.example${AGGREGATABLE}` };
  for (const campaign of [1n, 1n, 1n, 2n]) {
    const body = await sealedReport(key, [{ key: campaign, value: 20_000 }]);
    expect((await post(origin + AGGREGATABLE, body, url)).status).toBe(200);
  }
  const reports = await (await fetch(`${origin}/reports?kind=aggregatable`)).text();
  const buckets = file('buckets.csv', 'bucket,parent,unit,campaign\n0x1,,20000,spring\n0x2,,20000,a=b\n');
  fs.writeFileSync(pathOf('reports.ndjson'), reports);
  const from = ['--reports', pathOf('reports.ndjson'), '--keys', pathOf('keys.json'), '--buckets', buckets];
  const to = pathOf('summary.ndjson');
  // With ε so large that the noise is 0.
  const options = ['--epsilon', '1e9', '--tree', '--slices', 'campaign', '--output', to];
  expect(await main(['aggregate', ...from, ...options])).toBe(0);

  const answer = await post(`${origin}/summaries`, fs.readFileSync(to, 'utf8'), NDJSON);
  expect([answer.status, await answer.json()]).toEqual([200, { shown: 2 }]);
  const { value, errors } = parse(await get('/summaries'), summaryAnswer);
  expect(errors).toEqual([]);
  const slices = [...slicesBy(value?.rows ?? [], 'campaign')];
  expect(slices.map(([group, { estimate }]) => [group, estimate])).toEqual([
    ['spring', 3],
    ['a=b', 1],
  ]);
  expect(slicesBy(value?.rows ?? [], 'device').size).toBe(0);
  expect(await newest()).toBe(value?.received_time?.getTime());
});

test('a histogram of W3C Attribution comes back with the sums by campaign', async () => {
  expect(await main(['aggregate', '--new-key', pathOf('keys.json')])).toBe(0);
  const key = parse(JSON.parse(out.join('')) as JsonObject, publicKeys).value?.keys.at(-1);
  if (key === undefined) throw new Error('no key was printed');
  const call = { time: moment(Date.UTC(2026, 4, 15)), topLevelSite: 'shop.example', intermediarySite: null };
  const options = {
    ...{ epsilon: Rational.of(4000), histogramSize: 3, maxValue: 6, value: 6, credit: [Rational.ONE] },
    ...{ lookback: days(30), matchValues: new Set<number>() },
    ...{ impressionSites: new Set<string>(), impressionCallers: new Set<string>() },
  };
  const lines: string[] = [];
  // Three conversions of one campaign, of which two saw its second ad, and one of another. Each adds 6.
  for (const bucket of [0, 1, 1, 2]) {
    const histogram = [0, 1, 2].map((one) => (one === bucket ? 6 : 0));
    const report = await sealReport(histogram, call, options, key, sealPayload, randomFor(undefined)(0));
    lines.push(new TextDecoder().decode(report));
  }
  const reports = file('w3c.ndjson', `${lines.join('\n')}\n`);
  const aggregate = async (buckets: string): Promise<number> =>
    main([
      ...['aggregate', 'w3c', '--reports', reports, '--keys', pathOf('keys.json'), '--epsilon', '4000'],
      ...[
        '--buckets',
        file('buckets.csv', buckets),
        '--slices',
        'campaign',
        '--output',
        pathOf('sums.ndjson'),
      ],
    ]);
  const buckets = 'bucket,parent,unit,campaign\n0,,6,spring\n1,,6,spring\n2,,6,autumn\n';
  expect(await aggregate(`${buckets}3,,6,autumn\n`)).toBe(2);
  expect(err.join('')).toContain('bucket must be less than 3, the length of the histogram, was 3');
  expect(await aggregate(buckets)).toBe(0);
  const sums = fs.readFileSync(pathOf('sums.ndjson'), 'utf8');
  expect(await (await post(`${origin}/histograms`, sums, NDJSON)).json()).toEqual({ shown: 2 });
  const { value } = parse(await get('/histograms'), summaryAnswer);
  const found = [...slicesBy(value?.rows ?? [], 'campaign')].map(([group, { estimate }]) => [
    group,
    Math.round(estimate),
  ]);
  expect(found).toEqual([
    ['spring', 3],
    ['autumn', 1],
  ]);
  // A summary is something else.
  expect(((await get('/summaries')) as JsonObject)['rows']).not.toEqual(value?.rows);
});

test('reach comes back without what the dashboard does not show, and replaces what was there', async () => {
  const sources = file('sources.csv', 'user,campaign\na,spring\na,spring\nb,spring\nc,autumn\n');
  out.length = 0;
  expect(await main(['reach', '--sources', sources, '--group-by', 'campaign', '--frequencies', '2'])).toBe(0);
  const before =
    '{"by":"sketch","quantity":"reach","impressions":null,"estimate":9,"low":1,"high":20,"share":null,"share_low":null,"share_high":null}';
  expect((await post(`${origin}/reach`, before, NDJSON)).status).toBe(200);
  expect(await (await post(`${origin}/reach`, out.join('\n'), NDJSON)).json()).toEqual({ shown: 4 });
  const { value, errors } = parse(await get('/reach'), reachAnswer);
  expect(errors).toEqual([]);
  const numbers = value?.rows.map(({ group, impressions, estimate, share }) => [
    group,
    impressions,
    estimate,
    share,
  ]);
  expect(numbers).toEqual([
    [[['campaign', 'spring']], 1, 2, null],
    [[['campaign', 'spring']], 2, 1, 0.5],
    [[['campaign', 'autumn']], 1, 1, null],
    [[['campaign', 'autumn']], 2, 0, 0],
  ]);
});

const SLICE = JSON.stringify({
  ...{ bucket: null, value: null, standard_error: null, low: null, high: null, discovered: null },
  ...{ consistent: 1, consistent_error: 1, consistent_low: 0, consistent_high: 2, slice: 'a=b' },
});

test.each<[string, string, string, number, string]>([
  ['nothing', '/summaries', '', 400, 'must have slices'],
  ['no JSON', '/summaries', `${SLICE}\n{`, 400, 'line 2: '],
  ['an unknown field', '/summaries', SLICE.replace('slice', 'slices'), 400, 'slice'],
  [
    'a negative error',
    '/summaries',
    SLICE.replace('_error":1', '_error":-1'),
    400,
    'line 1: consistent_error',
  ],
  ['a summary without slices', '/summaries', SLICE.replace('"a=b"', 'null'), 400, '--slices'],
  [
    'what aggregate writes without a tree',
    '/summaries',
    '{"bucket":"0x1","value":5}',
    400,
    'must have the field',
  ],
  ['too much', '/summaries', `${SLICE}\n`.repeat(6000), 413, 'large'],
  ['reach of another kind', '/reach', '{"by":"guess"}', 400, 'line 1: by'],
  [
    'frequencies alone',
    '/reach',
    '{"by":"exact","quantity":"frequency","impressions":1,"estimate":1,"low":1,"high":1,"share":null,"share_low":null,"share_high":null}',
    400,
    'rows of reach',
  ],
])('%s is refused, and what was posted stays', async (_, path, body, status, problem) => {
  const before = await get(path);
  const answer = await post(origin + path, body, NDJSON);
  expect(answer.status).toBe(status);
  expect(((await answer.json()) as { readonly error: string }).error).toContain(problem);
  expect(await get(path)).toEqual(before);
});

test('only the owner posts and reads', async () => {
  const guarded = await temporaryCollector({ token, sourceLogToken });
  const address = await guarded.listen({ port: 0, host: '127.0.0.1' });
  const ask = async (method: 'GET' | 'POST', path: string, bearer: string): Promise<number> => {
    const headers = { ...NDJSON, Authorization: `Bearer ${bearer}` };
    return (await fetch(address + path, { method, headers, body: method === 'POST' ? SLICE : null })).status;
  };
  for (const path of ['/summaries', '/histograms', '/reach'])
    expect([await ask('POST', path, sourceLogToken), await ask('GET', path, sourceLogToken)]).toEqual([
      401, 401,
    ]);
  expect([await ask('POST', '/summaries', token), await ask('GET', '/summaries', token)]).toEqual([200, 200]);
  await guarded.close();
});
