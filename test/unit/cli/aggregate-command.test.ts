import { spawnSync, type SpawnSyncReturns } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { streams, type Schema } from 'avsc';
import { demoUser } from '../../../analysis/simulation/demo-month';
import { main } from '../../../cli/main';
import type { JsonObject } from '../../../src/model/json';
import { moment } from '../../../src/model/units';
import { base64 } from '../../../formats/codec/base64';
import { parse } from '../../../formats/codec/issues';
import { encodePayload } from '../../../formats/reports/aggregatable-payload';
import { publicKeys, type PublicKey } from '../../../formats/reports/sealed-payload';
import { sealedReport } from '../helpers/aggregatable';
import { useCommands } from '../helpers/command';
import { isLong } from '../helpers/is-long';

const { out, err, pathOf, file } = useCommands();

async function newKey(name = 'keys.json'): Promise<PublicKey> {
  out.length = 0;
  expect(await main(['aggregate', '--new-key', pathOf(name)])).toBe(0);
  const key = parse(JSON.parse(out.join('')) as JsonObject, publicKeys).value?.keys.at(-1);
  out.length = 0;
  if (key === undefined) throw new Error('no key was printed');
  return key;
}

/** With ε so large that the noise is 0. */
const NO_NOISE = ['--epsilon', '1e9'];

const aggregate = (reports: string, ...more: string[]): Promise<number> =>
  main(['aggregate', '--reports', reports, '--keys', pathOf('keys.json'), ...more]);

const printed = (): JsonObject[] =>
  out
    .join('')
    .split('\n')
    .flatMap((line) => (line === '' ? [] : [JSON.parse(line) as JsonObject]));

const message = (): string => err.filter((line) => !line.includes('trusted execution')).join('');

describe('a key', () => {
  test('is for its owner alone, and stands beside those before it', async () => {
    const first = await newKey();
    const second = await newKey();
    expect(fs.statSync(pathOf('keys.json')).mode & 0o777).toBe(0o600);
    const saved = JSON.parse(fs.readFileSync(pathOf('keys.json'), 'utf8')) as { keys: { id: string }[] };
    expect(saved.keys.map(({ id }) => id)).toEqual([first.id, second.id]);
    for (const key of [first, second]) {
      fs.rmSync(pathOf('keys.json.ledger'), { recursive: true, force: true });
      const reports = file('reports', [await sealedReport(key, [{ key: 1n, value: 5 }])]);
      expect(await aggregate(reports, '--buckets', file('b.csv', 'bucket\n0x1\n'), ...NO_NOISE)).toBe(0);
      expect(printed().at(-1)).toMatchObject({ bucket: '0x1', value: 5 });
    }
  });
});

describe('a batch', () => {
  let key: PublicKey;
  let buckets: string;

  beforeEach(async () => {
    key = await newKey();
    buckets = file('buckets.ndjson', [{ bucket: '0x1' }, { bucket: '0xff' }]);
  });

  const run = (reports: string, ...more: string[]): Promise<number> =>
    aggregate(reports, '--buckets', buckets, ...more);

  test('has reports of Chrome before contributions had filtering ids, which count as 0', async () => {
    // {"data": [{"value": h'00000005', "bucket": h'…01'}], "operation": "histogram"}
    const before = `a2646461746181a26576616c75654400000005666275636b657450${'1'.padStart(32, '0')}696f7065726174696f6e69686973746f6772616d`;
    const old = await sealedReport(key, [], { version: '0.1' }, Buffer.from(before, 'hex'));
    const reports = file('reports', [old, await sealedReport(key, [{ key: 1n, value: 7 }])]);
    expect(await run(reports, ...NO_NOISE)).toBe(0);
    expect(printed()[0]).toMatchObject({ bucket: '0x1', value: 12 });
    expect(await run(reports, '--filtering-ids', '3', ...NO_NOISE)).toBe(0);
    expect(printed().at(-2)).toMatchObject({ bucket: '0x1', value: 0 });
  });

  test('of debug mode is read without a key, from the copies that Chrome adds to each report', async () => {
    // Sealed for the aggregation service, whose key nobody else has.
    const elsewhere = { ...key, id: 'a-key-of-a-coordinator' };
    const debugged = async (value: number, sealedFor = elsewhere): Promise<JsonObject> => {
      const info = { debugMode: 'enabled' as const };
      const report = await sealedReport(sealedFor, [], info);
      const [payload] = report['aggregation_service_payloads'] as readonly JsonObject[];
      const clear = encodePayload([{ key: 1n, value, filteringId: 0n }], 'attribution-reporting', 1);
      const copy = Buffer.from(clear).toString('base64');
      return {
        ...report,
        aggregation_service_payloads: [{ ...payload, debug_cleartext_payload: copy }],
      };
    };
    const ledger = ['--ledger', pathOf('clear.ledger')];
    const clear = async (reports: string, ...more: string[]): Promise<number> =>
      main(['aggregate', '--reports', reports, '--buckets', buckets, '--cleartext', ...NO_NOISE, ...more]);
    const reports = file('reports', [await debugged(5), await debugged(7)]);
    expect(await run(reports, ...NO_NOISE)).toBe(2);
    expect(message()).toContain('2 unknown-key');
    expect(await clear(reports)).toBe(2);
    expect(message()).toContain('--cleartext: must come with --ledger');
    expect(await clear(reports, ...ledger)).toBe(0);
    expect(printed()[0]).toMatchObject({ bucket: '0x1', value: 12 });
    expect(message()).toContain('neither sealed nor signed');
    const sealed = file('sealed', [await sealedReport(key, [{ key: 1n, value: 7 }])]);
    expect(await clear(sealed, ...ledger)).toBe(2);
    expect(message()).toContain('1 no-cleartext');
    expect(await clear(sealed, ...ledger, '--keys', pathOf('keys.json'))).toBe(2);
    // Copies and sealed payloads of the same reports count once where both have one ledger.
    const both = file('both', [await debugged(5, key)]);
    const one = ['--ledger', pathOf('both.ledger')];
    expect(await clear(both, ...one)).toBe(0);
    expect(await run(both, ...NO_NOISE, ...one)).toBe(2);
    expect(message()).toContain('reports are aggregated once');
  });

  describe('in Avro, as the aggregation service reads batches and domains', () => {
    // The schemas of privacysandbox/aggregation-service, docs/collecting.md.
    const record = (name: string, fields: Readonly<Record<string, string>>): Schema => ({
      ...{ type: 'record', name },
      fields: Object.entries(fields).map(([field, type]) => ({ name: field, type })),
    });
    const REPORT = record('AvroAggregatableReport', {
      ...{ payload: 'bytes', key_id: 'string', shared_info: 'string' },
    });
    const DOMAIN = record('AvroAggregationBucket', { bucket: 'bytes' });

    const avro = async (name: string, schema: Schema, rows: readonly unknown[]): Promise<string> => {
      const encoder = new streams.BlockEncoder(schema, { codec: 'deflate' });
      for (const row of rows) encoder.write(row);
      encoder.end();
      fs.writeFileSync(pathOf(name), Buffer.concat((await encoder.toArray()) as Buffer[]));
      return pathOf(name);
    };

    const rowOf = async (value: number): Promise<object> => {
      const { shared_info: info, aggregation_service_payloads: payloads } = await sealedReport(key, [
        { key: 1n, value },
      ]);
      const [{ payload = '' } = {}] = payloads as readonly { readonly payload?: string }[];
      return { payload: Buffer.from(payload, 'base64'), key_id: key.id, shared_info: info };
    };

    test('with sealed payloads', async () => {
      const reports = await avro('batch.avro', REPORT, [await rowOf(5), await rowOf(7)]);
      const domain = await avro('domain.avro', DOMAIN, [{ bucket: Buffer.from([1]) }]);
      expect(await aggregate(reports, '--buckets', domain, ...NO_NOISE)).toBe(0);
      expect(printed()).toMatchObject([{ bucket: '0x1', value: 12 }]);
    });

    test('with the payloads in clear, as for its local testing tool', async () => {
      const clear = encodePayload([{ key: 1n, value: 9, filteringId: 0n }], 'attribution-reporting', 1);
      const row = { ...(await rowOf(1)), payload: Buffer.from(clear) };
      const reports = await avro('debug.avro', REPORT, [row]);
      const domain = await avro('domain.avro', DOMAIN, [
        { bucket: Buffer.from('1'.padStart(32, '0'), 'hex') },
      ]);
      const options = ['--cleartext', '--ledger', pathOf('clear.ledger'), ...NO_NOISE];
      expect(await main(['aggregate', '--reports', reports, '--buckets', domain, ...options])).toBe(0);
      expect(printed()).toMatchObject([{ bucket: '0x1', value: 9 }]);
    });

    test('one that is cut off anywhere is refused', async () => {
      const whole = fs.readFileSync(await avro('whole.avro', REPORT, [await rowOf(5)]));
      for (const length of [5, 40, whole.length - 40, whole.length - 1]) {
        err.length = 0;
        fs.writeFileSync(pathOf('cut.avro'), whole.subarray(0, length));
        expect(await run(pathOf('cut.avro'), ...NO_NOISE)).toBe(2);
        expect(message()).toContain('cut.avro: cannot be read: it is cut off');
      }
    });

    test('a schema whose records take no byte, or have lists, is refused', async () => {
      const lists = {
        ...{ type: 'record', name: 'A' },
        fields: [{ name: 'a', type: { type: 'array', items: 'null' } }],
      } as Schema;
      const reports = await avro('lists.avro', lists, [{ a: [null] }]);
      expect(await run(reports)).toBe(2);
      expect(message()).toContain('its schema must be a record of plain fields');
    });
  });

  test('is summed by bucket, whatever wrote its lines', async () => {
    const body = await sealedReport(key, [
      { key: 1n, value: 5 },
      { key: 2n, value: 7 },
    ]);
    const again = await sealedReport(key, [{ key: 1n, value: 30_000 }]);
    const collected = { ...again, cursor: 3, kind: 'aggregatable', reporting_origin: 'https://ads.example' };
    const simulated = {
      user: 'a',
      report_time: '1',
      report_url: 'https://ads.example/.well-known/attribution-reporting/report-aggregate-attribution',
      payload: await sealedReport(key, [{ key: 1n, value: 30_000 }]),
    };
    const others = [
      { ...body, kind: 'aggregatable-debug' },
      { kind: 'event-level', trigger_data: '1' },
      { trigger_data: '1' },
    ];
    expect(await run(file('reports', [body, collected, simulated, ...others]), ...NO_NOISE)).toBe(0);
    expect(printed()).toEqual([
      {
        bucket: '0x1',
        value: 60_005,
        standard_error: expect.any(Number) as number,
        low: 60_005,
        high: 60_005,
        discovered: false,
      },
      expect.objectContaining({ bucket: '0xff', value: 0 }),
    ]);
    expect(err.join('')).toContain('no trusted execution environment');
    expect(err.join('')).toContain('3 reports counted\n');
  });

  describe('whose buckets are a tree', () => {
    const HEADER = 'bucket,parent,unit,device\n';
    const TREE = `${HEADER}0x11,0x1,50,phone\n0x12,0x1,50,tablet\n0x1,,100,\n0x21,0x2,50,phone\n0x2,,100,\n`;
    const contributions = [
      { key: 0x1n, value: 700 },
      { key: 0x11n, value: 250 },
      { key: 0x12n, value: 100 },
      { key: 0x21n, value: 200 },
      { key: 0x2n, value: 400 },
    ];

    const summary = async (...more: string[]): Promise<ReadonlyMap<unknown, JsonObject>> => {
      const reports = file('reports', [await sealedReport(key, contributions)]);
      const tree = file('tree.csv', TREE);
      expect(await aggregate(reports, '--buckets', tree, '--tree', '--slices', 'device', ...more)).toBe(0);
      return new Map(printed().map((row) => [row['bucket'] ?? row['slice'], row]));
    };

    test('gets sums that agree, in conversions, and those of slices', async () => {
      const rows = await summary(...NO_NOISE);
      expect([...rows].map(([name, { consistent }]) => [name, consistent])).toEqual([
        ['0x1', 7],
        ['0x2', 4],
        ['0x11', 5],
        ['0x12', 2],
        ['0x21', 4],
        ['device=phone', 9],
        ['device=tablet', 2],
      ]);
      expect(rows.get('device=phone')).toMatchObject({ bucket: null, value: null, consistent_low: 9 });
    });

    test('gets them from noisy sums, with smaller errors', async () => {
      const rows = await summary('--epsilon', '64');
      const of = (name: string, field: string): number => Number(rows.get(name)?.[field]);
      expect(of('0x11', 'consistent') + of('0x12', 'consistent')).toBeCloseTo(of('0x1', 'consistent'));
      expect(of('0x21', 'consistent')).toBeCloseTo(of('0x2', 'consistent'));
      for (const [name, unit] of [
        ['0x1', 100],
        ['0x2', 100],
        ['0x11', 50],
        ['0x12', 50],
        ['0x21', 50],
      ] as const)
        expect(of(name, 'consistent_error')).toBeLessThan(of(name, 'standard_error') / unit);
      expect(of('device=phone', 'consistent_high')).toBeGreaterThan(of('device=phone', 'consistent'));
    });

    test.each<[string, string, readonly string[], string]>([
      [
        'a parent that is not there',
        `${HEADER}0x1,0x9,1,\n`,
        ['--tree'],
        'bucket 0x1: parent 0x9: must be a bucket',
      ],
      ['a circle', `${HEADER}0x1,0x2,1,\n0x2,0x1,1,\n`, ['--tree'], 'must not be below it'],
      ['a bucket twice', `${HEADER}0x1,,1,\n0x1,,1,\n`, ['--tree'], 'line 3: bucket: must be there once'],
      ['no unit', `${HEADER}0x1,,,\n`, ['--tree'], 'unit: must be a number greater than 0, was ""'],
      ['no column of parents', 'bucket,unit\n0x1,1\n', ['--tree'], 'must name one column "parent"'],
      ['slices without a tree', TREE, ['--slices', 'device'], '--slices with --tree'],
    ])('%s: refused', async (_, tree, more, problem) => {
      const reports = file('reports', [await sealedReport(key, contributions)]);
      expect(await aggregate(reports, '--buckets', file('tree.csv', tree), ...more)).toBe(2);
      expect(message()).toContain(problem);
    });
  });

  test('reports bins only, and counts them as another result', async () => {
    const body = await sealedReport(key, [{ key: 0x1n, value: 400 }]);
    const reports = file('reports', [body]);
    const buckets = file('b.csv', 'bucket\n0x1\n0x2\n');
    const bins = (...more: string[]): Promise<number> =>
      aggregate(reports, '--buckets', buckets, ...NO_NOISE, ...more);
    for (const [problem, ...more] of [
      ['--bins: must ascend from above 0, was "5,5"', '--bins', '5,5'],
      ['--first-above must come without', '--bins', '5', '--tree'],
      ['must have only one of', '--bins', '5', '--largest'],
      ['must have only one of', '--surely-largest', '1e-6', '--largest'],
      ['--surely-largest: must be', '--surely-largest', '1'],
    ] as const) {
      expect(await bins(...more)).toBe(2);
      expect(message()).toContain(problem);
      err.length = 0;
    }
    expect(await bins('--bins', '100,1000')).toBe(0);
    expect(printed()).toEqual([
      { bucket: '0x1', bin: 1, from: 100, below: 1000, probability: 1 },
      { bucket: '0x2', bin: 0, from: 0, below: 100, probability: 1 },
    ]);
    expect(await bins()).toBe(2);
  });

  test.each([
    ['--largest', ['0x2']],
    // One source could have led to each sum.
    ['--surely-largest 1e-6', []],
    ['--first-above 300', ['0x2']],
    ['--first-above 30', ['0x1']],
    ['--first-above 3000', []],
  ])('answers %s with a bucket', async (options, found) => {
    const body = await sealedReport(key, [
      { key: 0x1n, value: 40 },
      { key: 0x2n, value: 400 },
    ]);
    const buckets = file('b.csv', 'bucket\n0x3\n0x2\n0x1\n');
    expect(
      await aggregate(file('reports', [body]), '--buckets', buckets, ...NO_NOISE, ...options.split(' ')),
    ).toBe(0);
    expect(printed()).toEqual(found.map((bucket) => ({ bucket })));
  });

  test('answers --surely-largest with a bucket that leads by more than a source can contribute', async () => {
    const bodies = await Promise.all(
      [0x2n, 0x1n, 0x2n, 0x2n].map((bucket) => sealedReport(key, [{ key: bucket, value: 65_536 }])),
    );
    const buckets = file('b.csv', 'bucket\n0x1\n0x2\n0x3\n');
    const options = ['--buckets', buckets, ...NO_NOISE, '--surely-largest', '1e-6'];
    expect(await aggregate(file('reports', bodies), ...options)).toBe(0);
    expect(printed()).toEqual([{ bucket: '0x2' }]);
  });

  test('adds the average value of conversions', async () => {
    const contributions = [
      { key: 0x1n, value: 400 },
      { key: 0x101n, value: 60 },
    ];
    const averages = (text: string, ...more: string[]): Promise<number> => {
      const buckets = file('averages.csv', text);
      return sealedReport(key, contributions).then((body) =>
        aggregate(file('reports', [body]), '--buckets', buckets, '--averages', ...more),
      );
    };
    expect(await averages('bucket,count,unit\n0x1,,100\n0x101,0x1,2\n', ...NO_NOISE)).toBe(0);
    const about = expect.closeTo(7.5, 3) as number;
    expect(printed()).toEqual([
      expect.objectContaining({ bucket: '0x1', average: null, average_low: null, average_high: null }),
      expect.objectContaining({ bucket: '0x101', average: about, average_low: about, average_high: about }),
    ]);
    for (const [text, problem, ...more] of [
      ['bucket,count,unit\n0x1,0x2,1\n', 'bucket 0x1: count 0x2: must be a bucket of the file'],
      ['bucket,count,unit\n0x1,,0\n', 'unit: must be a number greater than 0, was "0"'],
      ['bucket,parent,unit\n0x1,,1\n', '--averages must come with --buckets, and without --tree', '--tree'],
    ] as const) {
      err.length = 0;
      expect(await averages(text, ...more)).toBe(2);
      expect(message()).toContain(problem);
    }
  });

  test('counts contributions with the wanted filtering ids, and spends those only', async () => {
    const body = await sealedReport(key, [
      { key: 1n, value: 5 },
      { key: 1n, value: 6, filteringId: 3n },
    ]);
    const reports = file('reports', [body]);
    expect(await run(reports, ...NO_NOISE, '--filtering-ids', '3')).toBe(0);
    expect(await run(reports, ...NO_NOISE)).toBe(0);
    expect(printed().map(({ value }) => value)).toEqual([6, 0, 5, 0]);
    expect(await run(reports, ...NO_NOISE, '--filtering-ids', '0,3')).toBe(2);
  });

  test('is aggregated once, also with other reports or noise', async () => {
    const body = await sealedReport(key, [{ key: 1n, value: 5 }]);
    const reports = file('reports', [body]);
    expect(await run(reports)).toBe(0);
    expect(await run(reports)).toBe(2);
    expect(message()).toContain(
      '1 of 1 shared ids of the reports are spent (attribution-reporting,1.0,https://ads.example,https://shop.example,,498720,0), and reports are aggregated once',
    );
    expect(await run(reports, '--epsilon', '1')).toBe(2);
    // Of the same hour, so of the same shared id.
    const late = await sealedReport(key, [{ key: 1n, value: 5 }], {
      scheduledTime: moment(Date.UTC(2026, 10, 23, 0, 59)),
    });
    const next = await sealedReport(key, [{ key: 1n, value: 5 }], {
      scheduledTime: moment(Date.UTC(2026, 10, 23, 1)),
    });
    expect(await run(file('late', [late]))).toBe(2);
    expect(await run(file('late', [next, late]))).toBe(2);
    expect(printed()).toHaveLength(2);
    expect(await run(file('next', [next]))).toBe(0);
  });

  test('leaves out what is sent twice, changed, for a foreign key, or over the budget', async () => {
    const foreign = await newKey('foreign.json');
    const body = await sealedReport(key, [{ key: 1n, value: 5 }]);
    const changed = await sealedReport(key, [{ key: 1n, value: 5 }]);
    const [payload] = changed['aggregation_service_payloads'] as { payload: string }[];
    const sealed = parse(payload?.payload ?? '', base64).value ?? new Uint8Array();
    sealed[50] = (sealed[50] ?? 0) ^ 1;
    const bad = [
      { ...changed, aggregation_service_payloads: [{ ...payload, payload: base64.write(sealed) }] },
      {
        ...body,
        shared_info: (body['shared_info'] as string)
          .replace('shop', 'stop')
          .replace(/[0-9a-f]{12}"/, '000000000000"'),
      },
      await sealedReport(foreign, [{ key: 1n, value: 5 }]),
      await sealedReport({ ...foreign, id: key.id }, [{ key: 1n, value: 5 }]),
      await sealedReport(key, [
        { key: 1n, value: 65_536 },
        { key: 2n, value: 1 },
      ]),
      await sealedReport(key, [{ key: 1n, value: 5 }], { api: 'attribution-reporting-debug' }),
    ];
    const reports = file('reports', [body, body, ...bad]);
    expect(await run(reports, ...NO_NOISE)).toBe(2);
    expect(message()).toContain('5 of 6 reports cannot be counted, and --error-threshold allows 10 %');
    expect(await run(reports, ...NO_NOISE, '--error-threshold', '90')).toBe(0);
    expect(printed().map(({ value }) => value)).toEqual([5, 0]);
    expect(message()).toContain(
      '1 reports counted; left out: 1 duplicate, 3 not-opened, 1 unknown-key, 1 invalid-payload, 1 other-api',
    );
  });

  test('is of one API', async () => {
    const body = await sealedReport(key, [{ key: 1n, value: 5 }]);
    const debug = await sealedReport(key, [{ key: 1n, value: 30_000 }], {
      api: 'attribution-reporting-debug',
    });
    const reports = file('reports', [body, { ...debug, kind: 'aggregate-debug' }]);
    expect(await run(reports, ...NO_NOISE, '--api', 'attribution-reporting-debug')).toBe(0);
    expect(printed().map(({ value }) => value)).toEqual([30_000, 0]);
    expect(message()).toContain('1 reports counted; left out: 1 other-api');
  });

  test('is of one reporting origin', async () => {
    const own = await sealedReport(key, [{ key: 1n, value: 5 }]);
    const other = await sealedReport(key, [{ key: 1n, value: 9 }], {
      reportingOrigin: 'https://other.example',
    });
    const reports = file('reports', [own, other]);
    expect(await run(reports, ...NO_NOISE)).toBe(2);
    expect(message()).toContain(
      'reports: line 2: shared_info.reporting_origin must be "https://ads.example"',
    );
    expect(await run(reports, ...NO_NOISE, '--reporting-origin', 'https://other.example')).toBe(0);
    expect(printed().map(({ value }) => value)).toEqual([9, 0]);
  });

  test.each([
    [['--epsilon', '0'], 'aggregate: --epsilon must be greater than 0 and finite'],
    [['--key-discovery', '1'], 'aggregate: --key-discovery: must be greater than 0 and less than 1, was "1"'],
    [['--filtering-ids', '0,x'], 'aggregate: --filtering-ids: must be'],
    [['--error-threshold', 'x'], 'aggregate: --error-threshold: must be a number from 0 to 100, was "x"'],
  ])('with %p is refused', async (options, expected) => {
    const reports = file('reports', [await sealedReport(key, [])]);
    expect(await run(reports, ...options)).toBe(2);
    expect(message()).toContain(expected);
  });

  test('of which nothing can be read, and one that is no report, are refused', async () => {
    expect(await run(file('none', [{ trigger_data: '1' }]))).toBe(2);
    expect(message()).toContain('--reports: must have an aggregatable report to count, has none');
    expect(await run(file('bad', [{ kind: 'aggregatable' }]))).toBe(2);
    expect(message()).toContain('bad: line 1: must have the field "aggregation_coordinator_origin"');
  });
});

describe('what simulate writes', () => {
  /** A report as simulate writes it for no key. */
  interface OpenReport {
    readonly payload: {
      readonly histograms?: readonly { readonly key: string; readonly value: number }[];
    };
  }

  const simulate = async (output: string, ...more: string[]): Promise<string> => {
    const files = ['--input', pathOf('log.ndjson'), '--output', pathOf(output)];
    expect(await main(['simulate', ...files, '--seed', '1', '--threads', '1', ...more])).toBe(0);
    return pathOf(output);
  };

  const truth = (reports: string): ReadonlyMap<string, number> => {
    const sums = new Map<string, number>();
    for (const line of fs.readFileSync(reports, 'utf8').trimEnd().split('\n')) {
      const { histograms = [] } = (JSON.parse(line) as OpenReport).payload;
      for (const { key, value } of histograms) if (value > 0) sums.set(key, (sums.get(key) ?? 0) + value);
    }
    return sums;
  };

  test('is aggregated, and the intervals hold the truth', async () => {
    file('log.ndjson', Array.from({ length: 60 }, (_, number) => demoUser('summary', number).lines).flat());
    const key = file('public.json', publicKeys.write({ keys: [await newKey()] }) as JsonObject);
    const sealed = await simulate('sealed.ndjson', '--aggregation-key', key);
    const written = fs.readFileSync(sealed, 'utf8');
    expect(written).not.toContain('histograms');
    const sums = truth(
      await simulate('open.ndjson', '--settings', file('open.json', { aggregatableReports: true })),
    );
    expect(sums.size).toBe(16);
    const again = await simulate('again.ndjson', '--aggregation-key', key);
    expect(fs.readFileSync(again, 'utf8')).toBe(written);
    const table = await simulate('sealed.csv.gz', '--aggregation-key', key);

    const buckets = file(
      'buckets.ndjson',
      [...sums.keys()].map((bucket) => ({ bucket })),
    );
    // Of 16 intervals one misses its sum with a probability below 2e-9.
    const level = ['--level', String(1 - 1e-10)];
    for (const [reports, noise] of [
      [sealed, []],
      [table, NO_NOISE],
    ] as const) {
      out.length = 0;
      const ledger = ['--ledger', `${reports}.ledger`];
      expect(await aggregate(reports, '--buckets', buckets, ...level, ...ledger, ...noise)).toBe(0);
      expect(printed()).toHaveLength(16);
      for (const row of printed()) {
        const { bucket, value, low, high } = row as { bucket: string } & Record<string, number>;
        const sum = sums.get(bucket) ?? NaN;
        expect(low).toBeLessThanOrEqual(sum);
        expect(high).toBeGreaterThanOrEqual(sum);
        if (noise === NO_NOISE) expect(value).toBe(sum);
      }
    }
  });
});

class Killed extends Error {}

/** What a run does to the disk, in the order in which it is done. */
const steps = [
  'fchmodSync',
  'fsyncSync',
  'ftruncateSync',
  'mkdirSync',
  'openSync',
  'renameSync',
  'rmSync',
  'writeSync',
] as const;

/** Makes the process seem to be killed before its nth step, or in the middle of it if that writes. @returns whether there was such a step */
async function killedAt(n: number, torn: boolean, run: () => Promise<unknown>): Promise<boolean> {
  let taken = 0;
  const spies = steps.map((name) => {
    const real = fs[name] as (...given: unknown[]) => unknown;
    return jest.spyOn(fs, name).mockImplementation(((...given: unknown[]) => {
      taken += 1;
      if (taken < n) return real(...given);
      const [descriptor, bytes, from, length, ...position] = given;
      if (taken === n && torn && name === 'writeSync')
        real(descriptor, bytes, from, Math.floor(Number(length) / 2), ...position);
      throw new Killed();
    }) as never);
  });
  await run().catch((error: unknown) => {
    if (!(error instanceof Killed)) throw error;
  });
  for (const spy of spies) spy.mockRestore();
  return taken >= n;
}

test.each([false, true])(
  'a run that is killed at any step is resumed or has ended (within a step: %p)',
  async (torn) => {
    const key = await newKey();
    const reports = file('reports', [await sealedReport(key, [{ key: 1n, value: 5 }])]);
    const others = file('others', [await sealedReport(key, [{ key: 1n, value: 7 }])]);
    const buckets = file('buckets.csv', 'bucket\n0x1\n0x2\n0x3\n0x4\n');
    const results = new Set<string>();
    for (let n = 1; ; n++) {
      const folder = pathOf(`run-${n}`);
      fs.mkdirSync(folder);
      const output = path.join(folder, 'summary.ndjson');
      const run = (input = reports): Promise<number> =>
        aggregate(input, '--buckets', buckets, '--ledger', path.join(folder, 'ledger'), '--output', output);
      const read = (): string | null => (fs.existsSync(output) ? fs.readFileSync(output, 'utf8') : null);
      const wasKilled = await killedAt(n, torn, run);
      const before = read();
      // Of the same shared id: refused from the reservation on.
      const spent =
        fs.existsSync(path.join(folder, 'ledger/ledger.ndjson')) &&
        fs.readFileSync(path.join(folder, 'ledger/ledger.ndjson'), 'utf8').includes('\n');
      if (spent) expect(await run(others)).toBe(2);
      const code = await run();
      if (code === 2) expect(before).not.toBeNull();
      if (before !== null) expect(read()).toBe(before);
      expect(await run()).toBe(2);
      expect(await run(others)).toBe(2);
      expect(fs.readdirSync(path.join(folder, 'ledger'))).toEqual(['ledger.ndjson']);
      results.add(read() ?? '');
      if (!wasKilled) break;
    }
    // Each run drew noise of its own: two agree in all four buckets with a probability below 1e-15.
    expect(results.size).toBeGreaterThan(8);
    expect(results.has('')).toBe(false);
  },
);

describe('a process that is killed (SIGKILL)', () => {
  const command = path.resolve(__dirname, '../../../cli/cointoss.mjs');
  const hook = require.resolve('../helpers/killed.mjs');

  /** Runs the command in a process of its own, which is killed at its nth change in the folder; at 0, in none. */
  function runKilled(
    folder: string,
    at: number,
    within: boolean,
    ...options: string[]
  ): SpawnSyncReturns<string> {
    return spawnSync(process.execPath, ['--import', hook, command, 'aggregate', ...options], {
      encoding: 'utf8',
      env: { ...process.env, COINTOSS_KILLED: JSON.stringify({ folder, at, within }) },
    });
  }

  const readIfThere = (name: string): string | null =>
    fs.existsSync(name) ? fs.readFileSync(name, 'utf8') : null;

  test('has spent nothing, or is resumed with the same noise, or has ended', async () => {
    const key = await newKey();
    const reports = file('reports', [await sealedReport(key, [{ key: 1n, value: 5 }])]);
    const others = file('others', [await sealedReport(key, [{ key: 1n, value: 7 }])]);
    const buckets = file('buckets.csv', 'bucket\n0x1\n0x2\n0x3\n0x4\n');
    const optionsIn = (folder: string, input: string): string[] => {
      const given = ['--reports', input, '--keys', pathOf('keys.json'), '--buckets', buckets];
      const made = ['--ledger', path.join(folder, 'ledger'), '--output', path.join(folder, 'summary.ndjson')];
      return [...given, ...made];
    };
    const whole = pathOf('whole');
    fs.mkdirSync(whole);
    const { status, stderr } = runKilled(whole, 0, false, ...optionsIn(whole, reports));
    expect(status).toBe(0);
    const changes = JSON.parse(/changes (.*)/.exec(stderr)?.[1] ?? '[]') as string[];
    const points = changes.flatMap((name, index) => [
      { at: index + 1, within: false },
      ...(name.startsWith('append') || name.startsWith('write') ? [{ at: index + 1, within: true }] : []),
    ]);
    expect(points.length).toBeGreaterThan(20);

    const seen = { unspent: 0, reserved: 0, drawn: 0, published: 0, done: 0 };
    // `npm test` takes every fourth; within this process, above, a run is killed at each.
    for (const { at, within } of points.filter((_, index) => isLong || index % 4 === 0)) {
      const folder = pathOf(`${at}-${String(within)}`);
      fs.mkdirSync(folder);
      expect(runKilled(folder, at, within, ...optionsIn(folder, reports)).signal).toBe('SIGKILL');
      const ledger = path.join(folder, 'ledger');
      const entries = (readIfThere(path.join(ledger, 'ledger.ndjson')) ?? '').split('\n').slice(0, -1);
      const [result] = fs.existsSync(ledger)
        ? fs.readdirSync(ledger).filter((name) => name.endsWith('.result'))
        : [];
      const drawn = result === undefined ? null : readIfThere(path.join(ledger, result));
      const published = readIfThere(path.join(folder, 'summary.ndjson'));
      const isDone = entries.length === 2;
      seen[
        isDone ? 'done' : published ? 'published' : drawn ? 'drawn' : entries.length ? 'reserved' : 'unspent'
      ] += 1;

      // What another batch gets tells whether the budget is spent.
      const runHere = (input: string): Promise<number> => main(['aggregate', ...optionsIn(folder, input)]);
      const expectSpent = async (input: string): Promise<void> => {
        err.length = 0;
        expect(await runHere(input)).toBe(2);
        expect(message()).toContain('1 of 1 shared ids of the reports are spent');
      };
      if (entries.length > 0) await expectSpent(others);
      if (isDone) await expectSpent(reports);
      else expect(await runHere(reports)).toBe(0);
      const summary = readIfThere(path.join(folder, 'summary.ndjson')) ?? '';
      if (published !== null) expect(summary).toBe(published);
      if (drawn !== null) expect(rowsIn(summary)).toEqual(JSON.parse(drawn));
      expect(rowsIn(summary)).toHaveLength(4);
      await expectSpent(reports);
      await expectSpent(others);
    }
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(0);
  });

  const rowsIn = (text: string): JsonObject[] =>
    text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as JsonObject);
});
