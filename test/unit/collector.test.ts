/** @jest-environment ./test/unit/collector-environment.js */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { createCollector } from '../../collector/server';

jest.mock('@electric-sql/pglite', () => (globalThis as { pglite?: unknown }).pglite);

const EVENT_LEVEL = '/.well-known/attribution-reporting/report-event-attribution';
const DEBUG = '/.well-known/attribution-reporting/debug/report-event-attribution';
const VERBOSE = '/.well-known/attribution-reporting/debug/verbose';

const report = {
  attribution_destination: 'https://shop.example',
  randomized_trigger_rate: 0.0024263,
  report_id: '8e2f1c3a-0b1d-4c5e-9f60-718293a4b5c6',
  scheduled_report_time: '1795392000',
  source_event_id: '18446744073709551615',
  source_type: 'navigation',
  trigger_data: '3',
};

interface Line {
  readonly kind: string;
  readonly received_time: string;
  readonly [field: string]: unknown;
}

jest.setTimeout(60_000);

let folder: string;
let app: FastifyInstance;
let origin: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cointoss-collector-'));
  app = await createCollector({ store: join(folder, 'shared') });
  origin = await app.listen({ port: 0, host: '127.0.0.1' });
});

afterAll(async () => {
  await app.close();
  await rm(folder, { recursive: true });
});

const post = (path: string, body: object | string, headers = {}, to = origin): Promise<Response> =>
  fetch(to + path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: typeof body === 'string' || body instanceof Blob ? body : JSON.stringify(body),
  });

const get = (path: string, from = origin): Promise<Response> => fetch(from + path);

const getText = async (path: string): Promise<string> => (await get(path)).text();

let lastId = 0;
const freshReport = (changes: object = {}): typeof report => ({
  ...report,
  report_id: `00000000-0000-4000-8000-${String(++lastId).padStart(12, '0')}`,
  ...changes,
});

async function lines(query = '', from = origin): Promise<Line[]> {
  const response = await get(`/reports${query}`, from);
  return (await response.text())
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);
}

async function counts(): Promise<Record<string, number>> {
  const body = await getText('/');
  return Object.fromEntries(
    [...body.matchAll(/data-count="(\w+)"\s*>\s*([\d,]+)/g)].map(([, name, value]) => [
      name ?? '',
      Number(value?.replace(',', '')),
    ]),
  );
}

describe('taking reports', () => {
  test('an event-level report is kept as it came, fields that are unknown included', async () => {
    const sent = freshReport({ something_new: { a: [1] } });
    expect((await post(EVENT_LEVEL, sent)).status).toBe(200);
    const line = (await lines()).at(-1);
    expect(line).toMatchObject({
      ...sent,
      kind: 'event-level',
      reporting_origin: origin,
      report_url: null,
    });
    expect(Date.now() - Date.parse(line?.received_time ?? '')).toBeLessThan(10_000);
  });

  test('in collector mode the header tells the reporting origin', async () => {
    const url = `https://ads.example:8443${EVENT_LEVEL}`;
    await post(EVENT_LEVEL, freshReport(), { 'Cointoss-Report-Url': url });
    expect((await lines()).at(-1)).toMatchObject({
      reporting_origin: 'https://ads.example:8443',
      report_url: url,
    });
  });

  test.each(['not a URL', 'javascript:alert(1)'])('a Cointoss-Report-Url of %p is refused', async (url) => {
    const response = await post(EVENT_LEVEL, freshReport(), { 'Cointoss-Report-Url': url });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ path: 'Cointoss-Report-Url' });
  });

  test.each([
    ['two destinations', { attribution_destination: ['https://a.example', 'https://b.example'] }],
    ['a value bucket', { trigger_summary_bucket: [10, 4294967295] }],
    ['debug keys', { source_debug_key: '0', trigger_debug_keys: ['1', '18446744073709551615'] }],
    ['a rate of 0', { randomized_trigger_rate: 0 }],
    ['a rate of 1', { randomized_trigger_rate: 1 }],
  ])('%s are taken', async (_name, fields) => {
    const sent = freshReport(fields);
    expect((await post(EVENT_LEVEL, sent)).status).toBe(200);
    expect((await lines()).at(-1)).toMatchObject(sent);
  });

  test('a verbose debug report is a list and has no id', async () => {
    const items = [
      { type: 'source-success', body: { source_event_id: '1' } },
      { type: 'trigger-unknown-error', body: {} },
    ];
    await post(VERBOSE, items);
    expect((await post(VERBOSE, items)).status).toBe(200);
    expect(await lines('?kind=verbose-debug')).toEqual([
      expect.objectContaining({ data: items }),
      expect.objectContaining({ data: items }),
    ]);
  });
});

describe('duplicates', () => {
  test('answer 200, are counted and not kept; the debug copy has the same id and is kept', async () => {
    const before = await counts();
    const sent = freshReport();
    for (const url of [EVENT_LEVEL, EVENT_LEVEL, DEBUG, EVENT_LEVEL]) {
      expect((await post(url, sent)).status).toBe(200);
    }
    const kept = (await lines()).filter((line) => line.report_id === sent.report_id);
    expect(kept.map(({ kind }) => kind)).toEqual(['event-level', 'event-level-debug']);
    const after = await counts();
    expect(after.received).toBe((before.received ?? 0) + 2);
    expect(after.duplicates).toBe((before.duplicates ?? 0) + 2);
  });

  test('that arrive at the same time are one report', async () => {
    const sent = freshReport();
    const responses = await Promise.all(Array.from({ length: 20 }, () => post(EVENT_LEVEL, sent)));
    expect(responses.map(({ status }) => status)).toEqual(Array<number>(20).fill(200));
    expect((await lines()).filter((line) => line.report_id === sent.report_id)).toHaveLength(1);
  });
});

describe('refusing', () => {
  const { report_id: reportId, ...withoutId } = report;
  test.each<[path: string, body: object | string]>([
    ['', []],
    ['', '"report"'],
    ['', '{"report_id":'],
    ['', ''],
    ['report_id', withoutId],
    ['report_id', { ...report, report_id: reportId.toUpperCase() }],
    ['report_id', { ...report, report_id: 7 }],
    ['attribution_destination', { ...report, attribution_destination: 'shop.example' }],
    ['attribution_destination', { ...report, attribution_destination: 'https://shop.example/path' }],
    ['attribution_destination', { ...report, attribution_destination: ['https://shop.example'] }],
    [
      'attribution_destination',
      { ...report, attribution_destination: Array(4).fill('https://shop.example') },
    ],
    ['attribution_destination[1]', { ...report, attribution_destination: ['https://shop.example', null] }],
    ['source_type', { ...report, source_type: 'click' }],
    ['source_event_id', { ...report, source_event_id: 1 }],
    ['source_event_id', { ...report, source_event_id: '18446744073709551616' }],
    ['source_event_id', { ...report, source_event_id: '-1' }],
    ['trigger_data', { ...report, trigger_data: '0x1' }],
    ['trigger_data', { ...report, trigger_data: '' }],
    ['randomized_trigger_rate', { ...report, randomized_trigger_rate: '0.1' }],
    ['randomized_trigger_rate', { ...report, randomized_trigger_rate: 1.1 }],
    ['randomized_trigger_rate', { ...report, randomized_trigger_rate: -0.1 }],
    ['scheduled_report_time', { ...report, scheduled_report_time: 1795392000 }],
    ['scheduled_report_time', { ...report, scheduled_report_time: '1795392000.5' }],
    ['scheduled_report_time', { ...report, scheduled_report_time: '253402300800' }],
    ['source_debug_key', { ...report, source_debug_key: 5 }],
    ['trigger_debug_key', { ...report, trigger_debug_key: '1e3' }],
    ['trigger_debug_keys[0]', { ...report, trigger_debug_keys: [5] }],
    ['trigger_summary_bucket', { ...report, trigger_summary_bucket: [5] }],
    ['trigger_summary_bucket', { ...report, trigger_summary_bucket: [9, 5] }],
    ['trigger_summary_bucket[1]', { ...report, trigger_summary_bucket: [5, 4294967296] }],
  ])('an event-level report is refused at "%s": %j', async (path, body) => {
    const response = await post(EVENT_LEVEL, body);
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({ path, error: expect.stringMatching(/must|missing/) as string });
    expect((await lines()).some((line) => line.report_id === reportId)).toBe(false);
  });

  test.each<[path: string, body: object]>([
    ['', {}],
    ['', []],
    ['[0]', [3]],
    ['[0].type', [{ type: '', body: {} }]],
    [
      '[1].type',
      [
        { type: 'source-success', body: {} },
        { type: 1, body: {} },
      ],
    ],
    ['[0]', [{ type: 'source-success' }]],
  ])('a verbose debug report is refused at "%s": %j', async (path, body) => {
    const response = await post(VERBOSE, body);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ path });
  });

  test('a report that nests too deep is refused, so that all of them can still be read', async () => {
    const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
    const deepest = `[{"type":"a","body":${nested(30)}}]`;
    expect((await post(VERBOSE, deepest)).status).toBe(200);
    for (const levels of [31, 30_000]) {
      const response = await post(VERBOSE, `[{"type":"a","body":${nested(levels)}}]`);
      expect(response.status).toBe(400);
      expect(await response.json()).toEqual({
        path: '',
        error: 'the report must nest at most 32 levels deep',
      });
    }
    expect((await post(EVENT_LEVEL, nested(30_000))).status).toBe(400);
    expect((await get('/')).status).toBe(200);
    expect((await lines('?kind=verbose-debug')).at(-1)).toMatchObject({
      data: JSON.parse(deepest) as object,
    });
  });

  test('what cannot be a report at all is refused and counted', async () => {
    const before = (await counts()).refused ?? 0;
    expect((await post(EVENT_LEVEL, 'x'.repeat(64 * 1024 + 1))).status).toBe(413);
    expect((await post(EVENT_LEVEL, '{}', { 'Content-Type': 'text/plain' })).status).toBe(415);
    const notText = await post(EVENT_LEVEL, new Blob([Buffer.from([0x22, 0xff, 0x22])]));
    expect(await notText.json()).toEqual({ path: '', error: 'the report must be UTF-8' });
    expect((await counts()).refused).toBe(before + 3);
  });
});

describe('reading', () => {
  test('?kind= and ?after= choose; what they do not know is refused', async () => {
    await post(DEBUG, freshReport());
    const kinds = (await lines('?kind=event-level-debug')).map(({ kind }) => kind);
    expect(new Set(kinds)).toEqual(new Set(['event-level-debug']));
    expect(await lines('?after=1000000')).toEqual([]);
    expect((await get('/reports?kind=other')).status).toBe(400);
    expect((await get('/reports?after=x')).status).toBe(400);
  });

  test('more reports than one batch of the download come in order of arrival', async () => {
    const first = freshReport();
    await post(EVENT_LEVEL, first);
    for (let more = 0; more < 1100; more++) await post(EVENT_LEVEL, freshReport());
    const ids = (await lines()).map((line) => line.report_id);
    expect(ids.slice(ids.indexOf(first.report_id))).toHaveLength(1101);
    expect(ids.at(-1)).toBe(`00000000-0000-4000-8000-${String(lastId).padStart(12, '0')}`);
  });

  test('the page escapes what reports say', async () => {
    await post(VERBOSE, [{ type: '<img src=x onerror=alert(1)>', body: { a: '</pre><script>' } }]);
    const response = await get('/');
    const body = await response.text();
    expect(body).toContain('&lt;img src=x onerror=alert(1)&gt;');
    expect(body).not.toContain('<img src=x');
    expect(body).not.toContain('</pre><script>');
    expect(response.headers.get('Content-Security-Policy')).toContain("default-src 'none'");
  });

  test('the page shows a report for people', async () => {
    await post(EVENT_LEVEL, freshReport({ trigger_summary_bucket: [1000, 2499] }));
    const body = await getText('/reports?format=html');
    expect(body).toContain('0.24\u00a0%');
    expect(body).toContain('1,000 to 2,499');
    expect(body).toContain('18446744073709551615');
  });

  test('/healthz says that the store answers', async () => {
    expect(await getText('/healthz')).toBe('{"status":"ok"}');
  });
});

test('after a restart with the same folder everything is still there', async () => {
  const store = join(folder, 'restart');
  const first = await createCollector({ store });
  const firstOrigin = await first.listen({ port: 0, host: '127.0.0.1' });
  expect((await post(EVENT_LEVEL, report, {}, firstOrigin)).status).toBe(200);
  await first.close();

  const second = await createCollector({ store });
  const secondOrigin = await second.listen({ port: 0, host: '127.0.0.1' });
  const kept = await lines('', secondOrigin);
  expect(kept).toEqual([expect.objectContaining({ ...report, reporting_origin: firstOrigin })]);
  expect((await post(EVENT_LEVEL, report, {}, secondOrigin)).status).toBe(200);
  expect(await lines('', secondOrigin)).toEqual(kept);
  await second.close();
});

test('closing waits for no connection that was only opened', async () => {
  const collector = await createCollector({ store: 'memory://' });
  await collector.listen({ port: 0, host: '127.0.0.1' });
  const { port } = collector.server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1');
  await once(collector.server, 'connection');
  const closed = once(socket, 'close');
  await collector.close();
  await closed;
}, 10_000);
