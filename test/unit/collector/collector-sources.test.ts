import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { parse as parseCsv } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import type { FastifyInstance } from 'fastify';
import { createCollector } from '../../../collector/server';
import { EVENT_LEVEL, freshReport, linesAt, post } from '../helpers/collector-client';
import { describeRows } from '../helpers/collector-stores';

interface Outcomes {
  readonly stored: number;
  readonly duplicates: number;
  readonly conflicting: number;
}

interface Refused {
  readonly error: string;
  readonly issues: readonly { readonly line: number; readonly path: string; readonly message: string }[];
}

type Row = Readonly<Record<string, unknown>>;

const DAY = 86_400_000;
const time = Date.UTC(2026, 0, 1);

const navigation: Row = {
  source_event_id: '1',
  reporting_origin: 'https://ads.example',
  destination: 'https://shop.example',
  source_type: 'navigation',
  time: new Date(time).toISOString(),
  registration: {},
};

const ndjson = (rows: readonly unknown[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join('');

describeRows((stores) => {
  let app: FastifyInstance;
  let origin: string;

  /** Each test has rows of an ad server of its own. */
  let ads: string;
  let own: Row;
  let tests = 0;

  beforeAll(async () => {
    app = await createCollector({ store: await stores().fresh() });
    origin = await app.listen({ port: 0, host: '127.0.0.1' });
  });

  beforeEach(() => {
    ads = `https://ads-${++tests}.example`;
    own = { ...navigation, reporting_origin: ads };
  });

  afterAll(() => app.close());

  async function log<T = Outcomes>(text: string, type = 'application/x-ndjson', status = 200): Promise<T> {
    const response = await post(`${origin}/sources`, text, { 'Content-Type': type });
    const answer = (await response.json()) as never;
    expect({ status: response.status, answer }).toEqual({ status, answer });
    return answer;
  }

  const ofAds = (rows: readonly Row[]): Row[] =>
    rows.filter((row) => String(row['reporting_origin']).startsWith(ads));

  const logged = async (): Promise<Row[]> => ofAds(await linesAt<Row>(`${origin}/sources`));

  const training = async (): Promise<Row[]> => ofAds(await linesAt<Row>(`${origin}/training`));

  const parquet = async (address: string): Promise<Row[]> => {
    const program = `
      import { parquetReadObjects } from 'hyparquet';
      const file = await (await fetch(${JSON.stringify(address)})).arrayBuffer();
      const rows = await parquetReadObjects({ file });
      console.log(JSON.stringify(rows, (_, value) => typeof value === 'bigint' ? Number(value) : value));`;
    const cwd = path.resolve(__dirname, '../../..');
    const { stdout } = await promisify(execFile)('node', ['--input-type=module', '-e', program], { cwd });
    return JSON.parse(stdout) as Row[];
  };

  /** The header and the rows of this test. */
  const ownCsv = async (address: string): Promise<string> => {
    const records: string[][] = parseCsv(await (await fetch(address)).text());
    return stringify(records.filter((record, index) => index === 0 || record[1]?.startsWith(ads) === true));
  };

  test('a row is kept once for its reporting origin and source event id, as it came first', async () => {
    const other = { ...own, reporting_origin: `${ads}:8443` };
    expect(await log(ndjson([{ ...own, campaign: 'a' }, other]))).toEqual({
      stored: 2,
      duplicates: 0,
      conflicting: 0,
    });
    expect(await log(ndjson([{ ...own, campaign: 'a' }, { ...other, campaign: 'b' }, other]))).toEqual({
      stored: 0,
      duplicates: 2,
      conflicting: 1,
    });
    expect(await logged()).toMatchObject([{ campaign: 'a' }, { reporting_origin: `${ads}:8443` }]);
  });

  test('what comes out goes in again and changes nothing, as NDJSON and as CSV', async () => {
    const rows = [
      { ...own, campaign: 'a, "b"\n', position: 3, is_new: true, nothing: null },
      {
        ...own,
        source_event_id: '18446744073709551615',
        destination: ['https://b.example', 'https://a.example'],
        source_type: 'event',
        time: time + 1,
        registration: { max_event_level_reports: 2, trigger_data: [0, 1, 2], event_level_epsilon: 3 },
        epsilon: 2,
        mechanism: { kind: 'rr' },
      },
    ];
    await log(ndjson(rows));
    const text = ndjson(await logged());
    expect(await log(text)).toEqual({ stored: 0, duplicates: 2, conflicting: 0 });
    const csv = await ownCsv(`${origin}/sources?format=csv`);
    // Tables have no types: a number of a feature comes back as text.
    expect(await log(csv, 'text/csv')).toEqual({ stored: 0, duplicates: 1, conflicting: 1 });
    expect((await logged())[1]).toMatchObject({
      destination: ['https://a.example', 'https://b.example'],
      time: '2026-01-01T00:00:00.001Z',
      registration: { event_level_epsilon: 2, max_event_level_reports: 2 },
    });
    expect(ofAds(await parquet(`${origin}/sources?format=parquet`))).toMatchObject([
      { source_event_id: '1', campaign: 'a, "b"\n', position: 3, is_new: true },
      { source_event_id: '18446744073709551615', position: null },
    ]);
  });

  test('a configuration is one for all that have its noise, and can be named by its id', async () => {
    await log(
      ndjson([
        own,
        { ...own, source_event_id: '2', registration: { priority: '7', filter_data: { a: ['b'] } } },
        {
          ...own,
          source_event_id: '3',
          registration: { event_report_windows: { end_times: [172800, 604800, 2592000] } },
        },
        { ...own, source_event_id: '4', epsilon: 3 },
        { ...own, source_event_id: '5', registration: { event_level_epsilon: 3 } },
      ]),
    );
    const [a, b, c, d, e] = (await logged()).map(({ configuration }) => configuration);
    expect([b, c]).toEqual([a, a]);
    expect(e).toBe(d);
    expect(d).not.toBe(a);
    const short = { ...own, registration: undefined, source_type: undefined };
    expect(await log(ndjson([{ ...short, source_event_id: '6', configuration: d }]))).toMatchObject({
      stored: 1,
    });
    expect((await logged()).at(-1)).toMatchObject({ configuration: d, source_type: 'navigation' });
  });

  test.each<[line: number, path: string, rows: readonly unknown[]]>([
    [2, 'time', [navigation, { ...navigation, time: 'yesterday' }]],
    [1, 'time', [{ ...navigation, time: '2026-01-01T00:00:00' }]],
    // As seconds, days and nanoseconds look where another unit is expected.
    [1, 'time', [{ ...navigation, time: 1_767_225_600 }]],
    [1, 'time', [{ ...navigation, time: 20_454 }]],
    [1, 'time', [{ ...navigation, time: '1970-01-01T00:00:01.767Z' }]],
    [1, 'source_event_id', [{ ...navigation, source_event_id: 1 }]],
    [1, 'source_event_id', [{ ...navigation, registration: { source_event_id: '2' } }]],
    [1, 'reporting_origin', [{ ...navigation, reporting_origin: 'http://ads.example' }]],
    [1, 'destination', [{ ...navigation, destination: 'shop.example' }]],
    [1, 'registration', [{ ...navigation, destination: undefined }]],
    [
      1,
      'registration.max_event_level_reports',
      [{ ...navigation, registration: { max_event_level_reports: 21 } }],
    ],
    [1, 'registration', [{ ...navigation, registration: '{' }]],
    [1, 'source_type', [{ ...navigation, source_type: 'click' }]],
    [1, 'epsilon', [{ ...navigation, registration: { event_level_epsilon: 2 }, epsilon: 3 }]],
    [
      3,
      'configuration',
      [navigation, { ...navigation, source_event_id: '2' }, { ...navigation, configuration: 'x' }],
    ],
    [1, 'mechanism.kind', [{ ...navigation, mechanism: { kind: 'other' } }]],
    [1, 'mechanism', [{ ...navigation, mechanism: { kind: 'unbiased', prior: [1] } }]],
    [1, 'mechanism.prior[0]', [{ ...navigation, mechanism: { kind: 'rr-with-prior', prior: ['1e9999'] } }]],
    [1, 'mechanism.loss', [{ ...navigation, mechanism: { kind: 'rr', loss: 'squared' } }]],
    [1, 'mechanism', [{ ...navigation, mechanism: { kind: 'rr-with-prior', prior: [0.5, 0.5] } }]],
    [1, 'mechanism', [{ ...navigation, mechanism: { kind: 'unbiased', values: [0, 1], prior: [0.5, 0.6] } }]],
    [1, 'campaign', [{ ...navigation, campaign: { name: 'a' } }]],
    [1, 'campaign', [{ ...navigation, campaign: 'a\u0000' }]],
    [1, 'campaign', [{ ...navigation, campaign: '\ud800' }]],
    [1, '', [[]]],
  ])(
    'a mistake is named by line %i and field "%s", and nothing of the log is stored: %j',
    async (line, field, rows) => {
      const { error, issues } = await log<Refused>(ndjson(rows), 'application/x-ndjson', 400);
      expect(issues.map((issue) => ({ line: issue.line, path: issue.path }))).toContainEqual({
        line,
        path: field,
      });
      expect(error).toMatch(/^line \d+: .*(must|is not)/);
      expect(await logged()).toEqual([]);
    },
  );

  test('a source from before 2020, or more than a year ahead, is refused with the likely mistake, and one within is stored', async () => {
    const out = ['2019-12-31T23:59:59.999Z', new Date(Date.now() + 367 * DAY).toISOString()];
    const { issues } = await log<Refused>(
      ndjson(out.map((wrong) => ({ ...own, time: wrong }))),
      'application/x-ndjson',
      400,
    );
    expect(issues).toEqual(
      out.map((wrong, index) => ({
        line: index + 1,
        path: 'time',
        message: `must be the time of the registration, from 2020 on and at most a year ahead (a date in 1970 usually means that a number was read in another unit; collect --rehearsal accepts any later time), was "${wrong}"`,
      })),
    );
    expect(await logged()).toEqual([]);
    const within = ['2020-01-01T00:00:00Z', new Date(Date.now() + 365 * DAY).toISOString()];
    const rows = within.map((time, index) => ({ ...own, time, source_event_id: String(index) }));
    expect(await log(ndjson(rows))).toMatchObject({ stored: 2 });
  });

  test('a rehearsal, whose clocks are turned forward, accepts sources of any later time', async () => {
    const rehearsal = await createCollector({ store: await stores().fresh(), rehearsal: true });
    const address = `${await rehearsal.listen({ port: 0, host: '127.0.0.1' })}/sources`;
    const logAt = async (time: string): Promise<unknown> =>
      (await post(address, ndjson([{ ...own, time }]), { 'Content-Type': 'application/x-ndjson' })).json();
    expect(await logAt('2019-12-31T23:59:59.999Z')).toMatchObject({ issues: [{ line: 1, path: 'time' }] });
    expect(await logAt('2126-01-01T00:00:00Z')).toMatchObject({ stored: 1 });
    await rehearsal.close();
  });

  test.each<[line: number, type: string, text: string]>([
    [2, 'application/x-ndjson', `${JSON.stringify(navigation)}\n{"a":\n`],
    [3, 'text/csv', 'source_event_id,time\n1,2\n1,2,3\n'],
    [1, 'text/csv', 'time,time\n1,2\n'],
    [
      3,
      'text/csv',
      'source_event_id,reporting_origin,destination,source_type,time,registration\n1,https://ads.example,https://shop.example,event,1767225600000,{}\n2,https://ads.example,https://shop.example,event,1767225600000,{',
    ],
  ])('a mistake in the format is named by its line, %i of %s', async (line, type, text) => {
    const { issues } = await log<Refused>(text, type, 400);
    expect(issues[0]?.line).toBe(line);
    expect(await linesAt(`${origin}/sources`)).not.toContainEqual(
      expect.objectContaining({ reporting_origin: 'https://ads.example' }),
    );
  });

  test('what is neither NDJSON nor CSV is refused', async () => {
    expect((await post(`${origin}/sources`, '{}')).status).toBe(415);
  });

  test('training has a row for each source: label, mechanism, ε, k, features', async () => {
    const value = { kind: 'unbiased', values: [0, 1, 2], prior: ['1/3', '1/3', '1/3'] };
    const rows = ['two reports', 'none', 'unknown trigger data', 'no window'].map((campaign, index) => ({
      ...own,
      source_event_id: String(index),
      campaign,
    }));
    const noisy = { ...own, source_event_id: '8', epsilon: 1, mechanism: value };
    const silent = { ...noisy, source_event_id: '9', time: Date.now() };
    await log(ndjson([...rows, noisy, silent]));
    const at = (days: number, lateness = 0): string =>
      String(Math.floor((time + days * DAY + lateness) / 1000));
    const send = (fields: object): Promise<Response> =>
      post(origin + EVENT_LEVEL, freshReport(fields), { 'Cointoss-Report-Url': `${ads}/` });
    // The default windows of a click end after 2, 7 and 30 days; the clocks differ by a minute.
    await send({ source_event_id: '0', trigger_data: '0', scheduled_report_time: at(2, 60_000) });
    await send({ source_event_id: '0', trigger_data: '7', scheduled_report_time: at(30, -60_000) });
    // Belongs to another source with this id.
    await send({
      source_event_id: '1',
      trigger_data: '1',
      source_type: 'event',
      scheduled_report_time: at(2),
    });
    await send({
      source_event_id: '1',
      trigger_data: '1',
      attribution_destination: 'https://other.example',
      scheduled_report_time: at(2),
    });
    await send({ source_event_id: '2', trigger_data: '8', scheduled_report_time: at(2) });
    await send({ source_event_id: '3', trigger_data: '1', scheduled_report_time: at(4) });
    await send({ source_event_id: '8', noisy_value: -0.25, scheduled_report_time: at(2) });
    const found = await training();
    const common = { mechanism: 'rr', epsilon: 14, k: '2925', complete: true };
    expect(found).toMatchObject([
      {
        ...{ ...common, reports: 2, problem: null, features: { campaign: 'two reports' } },
        // Of the two labels, half are this one; with so little noise, both are true.
        kept_probability: expect.closeTo(1, 2) as number,
        conversion_ratio: expect.any(Number) as number,
      },
      { ...common, label: '0', reports: 0, problem: null, kept_probability: expect.closeTo(1, 2) as number },
      {
        ...common,
        label: null,
        problem: expect.stringContaining('trigger data 8') as string,
        kept_probability: null,
      },
      { ...common, label: null, problem: expect.stringContaining('no report window') as string },
      { mechanism: 'unbiased', epsilon: 1, label: null, problem: 'the mechanism does not give -0.25' },
      { mechanism: 'unbiased', epsilon: 1, label: null, complete: false, problem: null },
    ]);
    expect(await decoded(String(found[0]?.['label']))).toEqual([
      { trigger_data: 0, report_window_index: 0 },
      { trigger_data: 7, report_window_index: 2 },
    ]);
    const table = ofAds(await parquet(`${origin}/training?format=parquet`));
    expect(table.map(({ label, feature_campaign: campaign }) => [label, campaign])).toEqual(
      found.map(({ label, features }) => [label, (features as Row)['campaign'] ?? null]),
    );
    const csv = await (await fetch(`${origin}/training?format=csv`)).text();
    expect(csv.split('\n')[0]).toMatch(
      /,label,loss_weight,loss_weight_others,loss_weights,kept_probability,conversion_ratio,reports,complete,problem,feature_campaign(,|$)/,
    );
  });

  test('reports as Parquet have the rows of the NDJSON', async () => {
    for (let more = 0; more < 3; more++) await post(origin + EVENT_LEVEL, freshReport());
    const lines = await linesAt(`${origin}/reports`);
    const rows = await parquet(`${origin}/reports?format=parquet`);
    expect(rows.map(({ cursor, report_id: id, received_time: received }) => [cursor, id, received])).toEqual(
      lines.map((line) => [line.cursor, line['report_id'], line.received_time]),
    );
  });

  test('features of any text come back as they went in', async () => {
    const text = fc.string({ unit: 'grapheme' }).filter((value) => !value.includes('\0'));
    const rows = fc.sample(
      fc.record({ f: text, 'g\\"{}': fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), text) }),
      {
        numRuns: 200,
        seed: 11,
      },
    );
    await log(
      ndjson(rows.map((features, index) => ({ ...own, ...features, source_event_id: String(index) }))),
    );
    const byId = (a: Row, b: Row): number => Number(a['source_event_id']) - Number(b['source_event_id']);
    const found = (await logged()).sort(byId);
    expect(found.map((row) => ({ f: row['f'], 'g\\"{}': row['g\\"{}'] }))).toEqual(
      JSON.parse(JSON.stringify(rows)) as unknown[],
    );
  });
});

/** The output of `cointoss states --decode` for a state of the default navigation source. */
async function decoded(state: string): Promise<unknown> {
  const cli = path.resolve(__dirname, '../../../cli/cointoss.mjs');
  const child = promisify(execFile)('node', [
    cli,
    'states',
    '-',
    '--source-type',
    'navigation',
    '--decode',
    state,
  ]);
  child.child.stdin?.end('{}');
  return (JSON.parse((await child).stdout) as { readonly reports: unknown }).reports;
}
