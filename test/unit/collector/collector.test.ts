import { once } from 'node:events';
import { connect, type AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { createCollector } from '../../../collector/server';
import { temporaryCollector } from '../helpers/empty-store';
import {
  AGGREGATABLE,
  aggregatable,
  DEBUG,
  EVENT_LEVEL,
  freshReport,
  linesAt,
  metric,
  post as postTo,
  report,
  VERBOSE,
  type Line,
} from '../helpers/collector-client';
import { describeRows } from '../helpers/collector-stores';

const servedKey = { id: 'a', key: new Uint8Array(32).fill(7) };

const inDays = (days: number): string => String(Math.floor(Date.now() / 1000) + days * 86_400);

describeRows((stores) => {
  let app: FastifyInstance;
  let origin: string;

  beforeAll(async () => {
    app = await createCollector({
      store: await stores().fresh(),
      debugReports: true,
      aggregationKeys: [servedKey],
    });
    origin = await app.listen({ port: 0, host: '127.0.0.1' });
  });

  afterAll(() => app.close());

  const post = (path: string, body: object | string, headers = {}, to = origin): Promise<Response> =>
    postTo(to + path, body, headers);

  const get = (path: string, from = origin): Promise<Response> => fetch(from + path);

  const getText = async (path: string): Promise<string> => (await get(path)).text();

  const lines = (query = '', from = origin): Promise<Line[]> => linesAt(`${from}/reports${query}`);

  const counts = async (): Promise<Record<string, number>> =>
    (await get('/counts')).json() as Promise<Record<string, number>>;

  describe('taking reports', () => {
    test('an event-level report is kept as it came', async () => {
      const [sent, before] = [freshReport(), Date.now()];
      expect((await post(EVENT_LEVEL, sent)).status).toBe(200);
      const after = Date.now();
      const line = (await lines()).at(-1);
      expect(line).toMatchObject({
        ...sent,
        kind: 'event-level',
        reporting_origin: origin,
        report_url: null,
      });
      const received = Date.parse(line?.received_time ?? '');
      expect(received).toBeGreaterThanOrEqual(before);
      expect(received).toBeLessThanOrEqual(after);
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
      ['a summary bucket', { trigger_summary_bucket: [10, 4294967295] }],
      ['debug keys', { source_debug_key: '0', trigger_debug_keys: ['1', '18446744073709551615'] }],
      ['a rate of 0', { randomized_trigger_rate: 0 }],
      ['a rate of 1', { randomized_trigger_rate: 1 }],
      ['a noisy value', { noisy_value: -1.5e15 }],
      ['a noisy value without a rate', { noisy_value: 0, randomized_trigger_rate: undefined }],
      ['a scheduled time of 2020', { scheduled_report_time: '1577836800' }],
      ['a clock turned forward', { scheduled_report_time: inDays(360) }],
    ])('%s are taken', async (_name, fields) => {
      const sent = freshReport(fields);
      expect((await post(EVENT_LEVEL, sent)).status).toBe(200);
      expect((await lines()).at(-1)).toMatchObject(JSON.parse(JSON.stringify(sent)) as object);
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

  describe('aggregatable reports', () => {
    const reportFor = (id: string, more: object = {}): typeof aggregatable => ({
      ...aggregatable,
      shared_info: JSON.stringify({
        ...(JSON.parse(aggregatable.shared_info) as object),
        report_id: `00000000-0000-4000-8000-aaaaaaaaaa${id}`,
        ...more,
      }),
    });
    const meant = { 'Cointoss-Report-Url': `https://ads.example${AGGREGATABLE}` };

    test('are kept as they came, and their shared info is in the columns', async () => {
      const sent = reportFor('01');
      expect((await post(AGGREGATABLE, sent, meant)).status).toBe(200);
      expect(await lines('?kind=aggregatable')).toEqual([
        expect.objectContaining({ ...sent, kind: 'aggregatable', reporting_origin: 'https://ads.example' }),
      ]);
      const csv = await getText('/reports?kind=aggregatable&format=csv');
      expect(csv).toContain('00000000-0000-4000-8000-aaaaaaaaaa01,https://shop.example,');
      expect(await lines('?kind=aggregatable&destination=https://shop.example')).toHaveLength(1);
    });

    test('that were sealed anew are duplicates; with other shared info they conflict', async () => {
      const before = await counts();
      const sealed = (payload: string): object => ({
        ...reportFor('02'),
        aggregation_service_payloads: [{ key_id: 'a', payload }],
      });
      for (const payload of ['AAEC', 'AAED']) await post(AGGREGATABLE, sealed(payload), meant);
      await post(AGGREGATABLE, reportFor('02', { attribution_destination: 'https://other.example' }), meant);
      const after = await counts();
      expect(after.duplicates).toBe((before.duplicates ?? 0) + 1);
      expect(after.conflicting).toBe((before.conflicting ?? 0) + 1);
    });

    test('for another reporting origin, of another version or too long are refused', async () => {
      const foreign = await post(AGGREGATABLE, reportFor('03'));
      expect(foreign.status).toBe(400);
      expect(await foreign.json()).toMatchObject({ path: 'shared_info.reporting_origin' });
      const old = await post(AGGREGATABLE, reportFor('03', { version: '0.2' }), meant);
      expect(await old.json()).toMatchObject({ path: 'shared_info.version' });
      const long = { ...reportFor('03'), trigger_context_id: 'x'.repeat(8 * 1024) };
      expect((await post(AGGREGATABLE, long, meant)).status).toBe(413);
    });

    test('are sealed with the public keys that it serves to everybody', async () => {
      const response = await get('/.well-known/aggregation-service/v1/public-keys');
      expect(await response.json()).toEqual({
        keys: [{ id: 'a', key: Buffer.alloc(32, 7).toString('base64') }],
      });
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

    test('with other content answer 200, are counted as conflicting, and the first one stays', async () => {
      const before = await counts();
      const sent = freshReport();
      await post(EVENT_LEVEL, sent);
      expect((await post(EVENT_LEVEL, { ...sent, trigger_data: '1' })).status).toBe(200);
      const reordered = Object.fromEntries(Object.entries(sent).reverse());
      expect((await post(EVENT_LEVEL, reordered)).status).toBe(200);
      const kept = (await lines()).filter((line) => line.report_id === sent.report_id);
      expect(kept.map((line) => line['trigger_data'])).toEqual([sent.trigger_data]);
      const after = await counts();
      expect(after.conflicting).toBe((before.conflicting ?? 0) + 1);
      expect(after.duplicates).toBe((before.duplicates ?? 0) + 1);
      expect(
        (await metric(origin, 'cointoss_reports_total'))['kind="event-level",outcome="conflicting"'],
      ).toBe(1);
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
      ['', withoutId],
      ['report_id', { ...report, report_id: reportId.toUpperCase() }],
      ['report_id', { ...report, report_id: 7 }],
      ['attribution_destination', { ...report, attribution_destination: 'shop.example' }],
      ['attribution_destination', { ...report, attribution_destination: 'https://shop.example/path' }],
      ['attribution_destination', { ...report, attribution_destination: 'http://shop.example' }],
      ['attribution_destination', { ...report, attribution_destination: 'ftp://shop.example' }],
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
      ['scheduled_report_time', { ...report, scheduled_report_time: '0' }],
      ['scheduled_report_time', { ...report, scheduled_report_time: '1577836799' }],
      ['scheduled_report_time', { ...report, scheduled_report_time: inDays(368) }],
      ['scheduled_report_time', { ...report, scheduled_report_time: '9'.repeat(30) }],
      ['noisy_value', { ...report, noisy_value: '1' }],
      ['noisy_value', { ...report, noisy_value: 1e21 }],
      ['noisy_value', { ...report, noisy_value: null }],
      [
        'noisy_value',
        JSON.stringify({ ...report, noisy_value: 0 }).replace('"noisy_value":0', '"noisy_value":1e999'),
      ],
      ['', { ...report, randomized_trigger_rate: undefined }],
      ['something_new', { ...report, something_new: 1 }],
      ['__proto__', JSON.stringify(report).replace('{', '{"__proto__":{},')],
      ['source_debug_key', { ...report, source_debug_key: 5 }],
      ['trigger_debug_key', { ...report, trigger_debug_key: '1e3' }],
      ['trigger_debug_keys[0]', { ...report, trigger_debug_keys: [5] }],
      ['trigger_summary_bucket', { ...report, trigger_summary_bucket: [5] }],
      ['trigger_summary_bucket', { ...report, trigger_summary_bucket: [9, 5] }],
      ['trigger_summary_bucket[1]', { ...report, trigger_summary_bucket: [5, 4294967296] }],
    ])('an event-level report is refused at "%s": %j', async (path, body) => {
      const response = await post(EVENT_LEVEL, body);
      expect(response.status).toBe(400);
      expect(await response.json()).toEqual({
        path,
        error: expect.stringMatching(/must|not a known field/) as string,
        reason: expect.stringMatching(/^not-/) as string,
      });
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
      ['[0].more', [{ type: 'source-success', body: {}, more: 1 }]],
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
          reason: 'too-deep',
        });
      }
      expect((await post(EVENT_LEVEL, nested(3000))).status).toBe(400);
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
      expect(await notText.json()).toEqual({
        path: '',
        error: 'the report must be UTF-8',
        reason: 'not-utf-8',
      });
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
      // A loaded machine takes too long for so many connections at once.
      for (let sent = 0; sent < 1100; sent += 50)
        await Promise.all(Array.from({ length: 50 }, () => post(EVENT_LEVEL, freshReport())));
      const ids = (await lines()).map((line) => line.report_id);
      expect(ids.slice(ids.indexOf(first.report_id))).toHaveLength(1101);
      const cursors = (await lines()).map(({ cursor }) => cursor);
      expect(cursors).toEqual([...cursors].sort((a, b) => a - b));
      expect(await lines(`?after=${cursors.at(-3) ?? 0}`)).toEqual((await lines()).slice(-2));
    });

    test('?latest= gives the newest, newest first', async () => {
      for (let more = 0; more < 3; more++) await post(EVENT_LEVEL, freshReport());
      const cursors = (await lines()).map(({ cursor }) => cursor);
      expect((await lines('?latest=2')).map(({ cursor }) => cursor)).toEqual(cursors.slice(-2).reverse());
      expect((await get('/reports?latest=0')).status).toBe(400);
    });

    test('the page is its own files and nothing else', async () => {
      const response = await get('/');
      const policy = response.headers.get('Content-Security-Policy') ?? '';
      expect(policy).toContain("default-src 'none'");
      expect(policy).not.toMatch(/unsafe|https?:/);
      const page = await response.text();
      const files = [...page.matchAll(/ (?:src|href)="([^"]*)"/g)].map(([, file]) => file ?? '');
      const own = files.filter((file) => !file.startsWith('data:') && file !== '/reports');
      const assets = own.filter((file) => file.startsWith('/assets/'));
      expect(assets.sort()).toEqual(['/assets/dashboard.css', '/assets/dashboard.js']);
      for (const file of assets) expect((await getText(file)).length).toBeGreaterThan(1000);
      // Its script needs this first.
      expect(own.filter((file) => !assets.includes(file))).toEqual(['/dimensions']);
    });

    test('filters choose by origin, destination, source and time', async () => {
      const before = new Date().toISOString();
      const wanted = freshReport({
        attribution_destination: ['https://one.example', 'https://two.example'],
        source_event_id: '77',
      });
      await post(EVENT_LEVEL, wanted, { 'Cointoss-Report-Url': 'https://filtered.example/x' });
      await post(EVENT_LEVEL, freshReport());
      const after = new Date(Date.now() + 1).toISOString();
      for (const query of [
        'reporting_origin=https://filtered.example',
        'destination=https://two.example',
        'source_event_id=77',
        `received_from=${before}&received_to=${after}&destination=https://one.example`,
      ])
        expect((await lines(`?${query}`)).map((line) => line.report_id)).toEqual([wanted.report_id]);
      expect(await lines(`?received_to=${before}&source_event_id=77`)).toEqual([]);
      expect(await lines(`?received_from=${after}`)).toEqual([]);
      expect((await lines(`?received_from=${before}`)).length).toBe(2);
      for (const query of ['source_event_id=x', 'received_from=yesterday', 'unknown=1'])
        expect((await get(`/reports?${query}`)).status).toBe(400);
    });

    test('CSV has a line for each report, with what a report lacks left empty', async () => {
      const sent = freshReport({
        noisy_value: 2.5,
        randomized_trigger_rate: undefined,
        source_event_id: '78',
      });
      await post(EVENT_LEVEL, sent);
      const [header, row, ...rest] = (await getText('/reports?format=csv&source_event_id=78')).split('\n');
      expect(header).toContain('cursor,kind,received_time,');
      expect(row).toContain(
        `,${sent.report_id},https://shop.example,navigation,78,3,,2026-11-23T00:00:00.000Z,,,2.5,`,
      );
      expect(rest).toEqual(['']);
    });

    test('/healthz says that the store answers', async () => {
      expect(await getText('/healthz')).toBe('{"status":"ok"}');
    });
  });

  test('after a restart with the same store everything is still there', async () => {
    const store = await stores().fresh();
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
});

test('closing waits for no connection that was only opened', async () => {
  const collector = await temporaryCollector();
  await collector.listen({ port: 0, host: '127.0.0.1' });
  const { port } = collector.server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1');
  await once(collector.server, 'connection');
  const closed = once(socket, 'close');
  await collector.close();
  await closed;
});
