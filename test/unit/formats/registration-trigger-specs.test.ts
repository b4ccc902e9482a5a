import type { SourceType } from '../../../src/model/limits';
import type { Json, JsonObject } from '../../../src/model/json';
import {
  accepted,
  acceptedWithWarning,
  expectRefused,
  objectWith,
  parsedSource,
  TRAPS,
  wrongTypes,
} from '../helpers/parsing';
import { english } from '../../../words/english';

const DAY = 86400;
const MAX_UINT32 = 2 ** 32 - 1;
const exact = { trigger_data_matching: 'exact' };
const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

test('a count that a source cannot keep within one window gives a warning', () => {
  const source = (operator: string, buckets: number[]) =>
    parsedSource({
      trigger_specs: [{ trigger_data: [0], summary_operator: operator, summary_buckets: buckets }],
    });
  expect(source('count', [100, 101]).warnings.map(english.worded)).toEqual([
    {
      path: 'trigger_specs[0].summary_buckets[1]',
      message: 'is not reached within one report window: a source keeps at most 100 conversions at a time',
    },
  ]);
  expect(source('value_sum', [100, 101]).warnings).toEqual([]);
});

describe('trigger_data', () => {
  test.each<[string, JsonObject]>([
    ['none', { trigger_data: [] }],
    ['none, matched exactly', { ...exact, trigger_data: [] }],
    ['0 and 1', { trigger_data: [0, 1] }],
    // As in Chromium, which sorts before it looks whether they are contiguous.
    ['0 to 2 in any order', { trigger_data: [2, 0, 1] }],
    ['0 to 31', { trigger_data: range(32) }],
    ['any distinct numbers, matched exactly', { ...exact, trigger_data: [MAX_UINT32, 7, 0] }],
  ])('may be %s', (_name, fields) => {
    const { triggerSpecs, flexible } = accepted(parsedSource(fields));
    expect(flexible).toBe(false);
    expect(triggerSpecs.map(({ triggerData }) => triggerData)).toEqual([fields.trigger_data]);
  });

  test.each<[string, JsonObject, string, string]>([
    ['33 numbers', { trigger_data: range(33) }, '', 'must have at most 32 items, has 33'],
    ['a number twice', { ...exact, trigger_data: [1, 1] }, '[1]', 'must not repeat 1'],
    [
      'a gap with modulus',
      { trigger_data: [0, 2] },
      '',
      'must be 0, 1, … 1 because trigger_data_matching is "modulus"',
    ],
    ['a start above 0 with modulus', { trigger_data: [1] }, '', 'must be 0, 1, … 0 because'],
    ['a negative number', { ...exact, trigger_data: [-1] }, '[0]', 'must be an integer from 0 to 4294967295'],
    ['2^32', { ...exact, trigger_data: [0, 2 ** 32] }, '[1]', 'must be an integer from 0 to 4294967295'],
    ['a broken number', { ...exact, trigger_data: [0.5] }, '[0]', 'must be an integer'],
    ['a string', { ...exact, trigger_data: ['0'] }, '[0]', 'must be an integer'],
    ...wrongTypes('list').map((value): [string, JsonObject, string, string] => [
      JSON.stringify(value),
      { trigger_data: value },
      '',
      'must be a list',
    ]),
  ])('must not hold %s', (_name, fields, path, message) => {
    expectRefused(parsedSource(fields), `trigger_data${path}`, message);
  });
});

describe('trigger_specs', () => {
  test('take the defaults of the source for what they do not say', () => {
    const source = accepted(parsedSource({ trigger_specs: [{ trigger_data: [0, 1] }] }));
    expect(source.flexible).toBe(true);
    expect(source.triggerSpecs).toEqual([
      {
        triggerData: [0, 1],
        windows: { start: 0, ends: [2 * DAY * 1000, 7 * DAY * 1000, 30 * DAY * 1000] },
        summaryOperator: 'count',
        summaryBuckets: [1, 2, 3],
      },
    ]);
  });

  test.each<[SourceType, JsonObject, number[], number[]]>([
    ['event', {}, [30 * DAY], [1]],
    ['navigation', { event_report_window: DAY }, [DAY], [1, 2, 3]],
    ['navigation', { event_report_windows: { end_times: [DAY, 2 * DAY] } }, [DAY, 2 * DAY], [1, 2, 3]],
    ['event', { max_event_level_reports: 2 }, [30 * DAY], [1, 2]],
  ])('of %s sources with %j have windows and buckets of the source', (sourceType, fields, ends, buckets) => {
    const source = accepted(parsedSource({ ...fields, trigger_specs: [{ trigger_data: [0] }] }, sourceType));
    expect(source.triggerSpecs).toMatchObject([
      { windows: { start: 0, ends: ends.map((end) => end * 1000) }, summaryBuckets: buckets },
    ]);
  });

  test('may say everything themselves, each for its own trigger data', () => {
    const specs = [
      {
        trigger_data: [MAX_UINT32],
        event_report_windows: { start_time: 60, end_times: [3600] },
        summary_operator: 'value_sum',
        summary_buckets: [5, 10, MAX_UINT32],
      },
      { trigger_data: [5, 0], summary_operator: 'count', summary_buckets: [2] },
    ];
    expect(accepted(parsedSource({ ...exact, trigger_specs: specs })).triggerSpecs).toMatchObject([
      {
        triggerData: [MAX_UINT32],
        windows: { start: 60_000, ends: [3_600_000] },
        summaryOperator: 'value_sum',
        summaryBuckets: [5, 10, MAX_UINT32],
      },
      { triggerData: [5, 0], summaryOperator: 'count', summaryBuckets: [2] },
    ]);
  });

  test.each<[string, Json]>([
    ['none', []],
    ['32 trigger data in one', [{ trigger_data: range(32) }]],
    ['32 trigger data in 32', range(32).map((data) => ({ trigger_data: [data] }))],
    [
      'contiguous trigger data over all of them in any order',
      [{ trigger_data: [2] }, { trigger_data: [1, 0] }],
    ],
  ])('may be %s', (_name, specs) => {
    expect(accepted(parsedSource({ trigger_specs: specs })).flexible).toBe(true);
  });

  const one = (fields: JsonObject): Json => [{ trigger_data: [0], ...fields }];

  test.each<[string, Json, string, string]>([
    [
      '33 specs',
      range(33).map((data) => ({ trigger_data: [data] })),
      '',
      'must have at most 32 items, has 33',
    ],
    [
      '33 trigger data in all',
      [{ trigger_data: range(32) }, { trigger_data: [32] }],
      '',
      'must hold at most 32 trigger data in all, holds 33',
    ],
    ['33 trigger data in one', [{ trigger_data: range(33) }], '[0].trigger_data', 'at most 32 items, has 33'],
    ['no trigger data', [{}], '[0]', 'must have the field "trigger_data"'],
    [
      'an empty list of trigger data',
      [{ trigger_data: [] }],
      '[0].trigger_data',
      'must have at least 1 item',
    ],
    ['a negative trigger data', [{ trigger_data: [-1] }], '[0].trigger_data[0]', 'from 0 to 4294967295'],
    ['a trigger data of 2^32', [{ trigger_data: [2 ** 32] }], '[0].trigger_data[0]', 'from 0 to 4294967295'],
    [
      'a gap over all of them',
      [{ trigger_data: [0] }, { trigger_data: [2] }],
      '',
      'because trigger_data_matching',
    ],
    [
      'an unknown operator',
      one({ summary_operator: 'sum' }),
      '[0].summary_operator',
      'must be "count" or "value_sum"',
    ],
    ['an operator of another type', one({ summary_operator: 1 }), '[0].summary_operator', 'must be "count"'],
    ['no bucket', one({ summary_buckets: [] }), '[0].summary_buckets', 'must have at least 1 item, has 0'],
    [
      'more buckets than reports',
      one({ summary_buckets: [1, 2, 3, 4] }),
      '[0].summary_buckets',
      'must have at most max_event_level_reports (3) items, has 4',
    ],
    ['a bucket of 0', one({ summary_buckets: [0, 1] }), '[0].summary_buckets[0]', 'from 1 to 4294967295'],
    [
      'a bucket of 2^32',
      one({ summary_buckets: [2 ** 32] }),
      '[0].summary_buckets[0]',
      'from 1 to 4294967295',
    ],
    [
      'equal buckets',
      one({ summary_buckets: [2, 2] }),
      '[0].summary_buckets[1]',
      'must be greater than 2, the bucket',
    ],
    ['falling buckets', one({ summary_buckets: [3, 2] }), '[0].summary_buckets[1]', 'must be greater than 3'],
    ['buckets that are no list', one({ summary_buckets: 1 }), '[0].summary_buckets', 'must be a list'],
    [
      'bad windows',
      one({ event_report_windows: { end_times: [] } }),
      '[0].event_report_windows.end_times',
      'must have at least 1 item',
    ],
    ...wrongTypes('list').map((value): [string, Json, string, string] => [
      JSON.stringify(value),
      value,
      '',
      'must be a list',
    ]),
  ])('must not be or have %s', (_name, specs, path, message) => {
    const { value, errors } = parsedSource({ trigger_specs: specs });
    expect(value).toBeNull();
    expect(errors.map(english.worded)).toContainEqual({
      path: `trigger_specs${path}`,
      message: expect.stringContaining(message) as string,
    });
    expect(errors.every(({ path: at }) => at.startsWith(`trigger_specs${path}`))).toBe(true);
  });

  test('must not hold the same trigger data twice, in one or in two', () => {
    const twice = [{ trigger_data: [1, 0] }, { trigger_data: [1] }];
    expectRefused(
      parsedSource({ ...exact, trigger_specs: twice }),
      'trigger_specs',
      'must not hold the trigger data 1 twice',
    );
    const { errors } = parsedSource({ ...exact, trigger_specs: [{ trigger_data: [4, 4] }] });
    expect(errors.map(english.worded)).toContainEqual({
      path: 'trigger_specs[0].trigger_data[1]',
      message: 'must not repeat 4',
    });
  });

  test('must not stand beside trigger_data', () => {
    expectRefused(
      parsedSource({ trigger_data: [0], trigger_specs: [{ trigger_data: [0] }] }),
      'trigger_data',
      'must not be given beside "trigger_specs"',
    );
  });

  test.each(['triggerdata', ...TRAPS])('warn of the unknown field %s', (name) => {
    acceptedWithWarning(
      parsedSource({ trigger_specs: [{ trigger_data: [0], ...objectWith(name, 1) }] }),
      `trigger_specs[0].${name}`,
      'is not a known field',
    );
  });
});
