import type { SourceType } from '../../../src/model/limits';
import type { Json, JsonObject } from '../../../src/model/json';
import type { SourceRegistration } from '../../../src/model/registration';
import { chromiumLimits } from '../../../src/model/limits';
import { parseSource } from '../../../formats/registration/source';
import {
  accepted,
  DESTINATION,
  expectRefused,
  parsedSource,
  TRAPS,
  wrongTypes,
  acceptedAnyway,
  acceptedWithWarning,
} from '../helpers/parsing';
import { english } from '../../../words/english';

const DAY = 86400;
const UINT64 = 'a string with an unsigned 64-bit integer in decimal';
const INT64 = 'a string with a signed 64-bit integer in decimal';

const field = <Name extends keyof SourceRegistration>(
  name: Name,
  fields: JsonObject,
  sourceType?: SourceType,
): SourceRegistration[Name] => acceptedAnyway(parsedSource(fields, sourceType))[name];

test('a source with nothing but a destination has every default', () => {
  const counting = { summaryOperator: 'count' };
  expect(accepted(parsedSource({}, 'navigation'))).toEqual({
    destinations: [DESTINATION],
    sourceEventId: 0n,
    expiry: 30 * DAY * 1000,
    priority: 0n,
    destinationLimitPriority: 0n,
    filterData: new Map(),
    debugKey: null,
    debugReporting: false,
    maxEventLevelReports: 3,
    triggerSpecs: [
      {
        ...counting,
        triggerData: [0, 1, 2, 3, 4, 5, 6, 7],
        windows: { start: 0, ends: [2 * DAY * 1000, 7 * DAY * 1000, 30 * DAY * 1000] },
        summaryBuckets: [1, 2, 3],
      },
    ],
    flexible: false,
    triggerDataMatching: 'modulus',
    eventLevelEpsilon: 14,
    attributionScopes: null,
    aggregatable: { keys: new Map(), window: 30 * DAY * 1000, namedBudgets: new Map(), debugReporting: {} },
  });
  expect(accepted(parsedSource({}, 'event'))).toMatchObject({
    maxEventLevelReports: 1,
    triggerSpecs: [
      {
        ...counting,
        triggerData: [0, 1],
        windows: { start: 0, ends: [30 * DAY * 1000] },
        summaryBuckets: [1],
      },
    ],
  });
});

test.each(['x', 1, true, null, [], [{ destination: DESTINATION }]])('%j is no source', (json) => {
  const { value, errors } = parseSource(json, 'event', chromiumLimits);
  expect(value).toBeNull();
  expect(errors.map(english.worded)[0]).toEqual({
    path: '',
    message: `must be an object, was ${JSON.stringify(json)}`,
  });
});

describe('destination', () => {
  test.each<[string, Json, readonly string[]]>([
    ['a URL', 'https://www.shop.example/path?q', ['https://shop.example']],
    ['a list of one', ['https://shop.example'], ['https://shop.example']],
    [
      'three in any order',
      ['https://c.example', 'https://a.example', 'https://b.example'],
      ['https://a.example', 'https://b.example', 'https://c.example'],
    ],
    [
      'more URLs than sites',
      ['https://1.a.example', 'https://2.a.example', 'https://b.example', 'https://c.example'],
      ['https://a.example', 'https://b.example', 'https://c.example'],
    ],
    ['http on this machine', 'http://shop.localhost:8080', ['http://shop.localhost']],
  ])('may be %s', (_name, destination, sites) => {
    expect(field('destinations', { destination })).toEqual(sites);
  });

  test.each<[string, Json, string, string]>([
    ['nothing', '', 'destination', 'must be a URL'],
    ['http elsewhere', 'http://shop.example', 'destination', 'a URL with https, or with http on localhost'],
    ['no URL', 'shop.example', 'destination', 'must be a URL'],
    ['another scheme', 'ftp://shop.example', 'destination', 'must be a URL'],
    ['an opaque origin', 'data:text/plain,x', 'destination', 'must be a URL'],
    ['no URL in a list', [DESTINATION, 'x'], 'destination[1]', 'must be a URL'],
    ['no string in a list', [1], 'destination[0]', 'must be a URL'],
    ['an empty list', [], 'destination', 'must have at least 1 item, has 0'],
    [
      'four sites',
      ['https://a.example', 'https://b.example', 'https://c.example', 'https://d.example'],
      'destination',
      'must name at most 3 sites, names 4',
    ],
    ...wrongTypes('string', 'list').map((value): [string, Json, string, string] => [
      JSON.stringify(value),
      value,
      'destination',
      'must be a site, or a list of sites',
    ]),
  ])('must not be %s', (_name, destination, path, message) => {
    const { value, errors } = parsedSource({ destination });
    expect(value).toBeNull();
    expect(errors.map(english.worded)[0]).toEqual({
      path,
      message: expect.stringContaining(message) as string,
    });
  });

  test.each<[Json, string]>([
    ['https://a.shop.example', 'counts as https://shop.example: the rest of the URL is ignored'],
    ['https://shop.example/path', 'counts as https://shop.example: the rest of the URL is ignored'],
    ['https://shop.example:8443', 'counts as https://shop.example: the rest of the URL is ignored'],
    ['https://com', 'is a public suffix: only https://com itself can convert'],
    ['https://github.io', 'is a public suffix: only https://github.io itself can convert'],
  ])('warns of %j', (destination, message) => {
    acceptedWithWarning(parsedSource({ destination }), 'destination', message);
  });

  test('warns of the same site twice', () => {
    acceptedWithWarning(
      parsedSource({ destination: [DESTINATION, 'https://b.example', DESTINATION] }),
      'destination[2]',
      'is repeated and counts once',
    );
  });

  test('must be given', () => {
    const { value, errors } = parseSource({}, 'event', chromiumLimits);
    expect(value).toBeNull();
    expect(errors.map(english.worded)).toEqual([{ path: '', message: 'must have the field "destination"' }]);
  });
});

describe('64-bit integers', () => {
  const invalidForBoth = ['', ' 1', '1 ', '1.0', '1e3', '0x1', '--1', '१', ...TRAPS, ...wrongTypes('string')];

  test.each([
    ['0', 0n],
    ['18446744073709551615', 2n ** 64n - 1n],
    ['007', 7n],
  ])('source_event_id %j is %s', (text, value) => {
    expect(field('sourceEventId', { source_event_id: text })).toBe(value);
  });

  test.each(['18446744073709551616', '-1', ...invalidForBoth])('source_event_id %j is refused', (value) => {
    expectRefused(parsedSource({ source_event_id: value }), 'source_event_id', `must be ${UINT64}`);
  });

  describe.each([
    ['priority', 'priority'],
    ['destination_limit_priority', 'destinationLimitPriority'],
  ] as const)('%s', (key, name) => {
    test.each([
      ['-9223372036854775808', -(2n ** 63n)],
      ['9223372036854775807', 2n ** 63n - 1n],
      ['-0', 0n],
    ])('%j is %s', (text, value) => expect(field(name, { [key]: text })).toBe(value));

    test.each(['-9223372036854775809', '9223372036854775808', ...invalidForBoth])(
      '%j is refused',
      (value) => {
        expectRefused(parsedSource({ [key]: value }), key, `must be ${INT64}`);
      },
    );
  });
});

describe('numbers', () => {
  test.each([0, 3, 20, 3.0])('max_event_level_reports may be %s', (max) => {
    const source = accepted(parsedSource({ max_event_level_reports: max }));
    expect(source.maxEventLevelReports).toBe(max);
    expect(source.triggerSpecs[0]?.summaryBuckets).toEqual(
      Array.from({ length: max }, (_, index) => index + 1),
    );
  });

  test.each([-1, 21, 2.5, '3', ...wrongTypes('number')])('max_event_level_reports %j is refused', (value) => {
    expectRefused(
      parsedSource({ max_event_level_reports: value }),
      'max_event_level_reports',
      'must be an integer from 0 to 20',
    );
  });

  test.each([0, 14, 1e-9, 13.999])('event_level_epsilon may be %s', (epsilon) => {
    expect(field('eventLevelEpsilon', { event_level_epsilon: epsilon })).toBe(epsilon);
  });

  test.each([-1e-9, 14.000001, '14', ...wrongTypes('number')])(
    'event_level_epsilon %j is refused',
    (value) => {
      expectRefused(
        parsedSource({ event_level_epsilon: value }),
        'event_level_epsilon',
        'must be a number from 0 to 14',
      );
    },
  );
});

describe('trigger_data_matching', () => {
  test.each(['exact', 'modulus'])('may be %s', (matching) => {
    expect(field('triggerDataMatching', { trigger_data_matching: matching })).toBe(matching);
  });

  test.each(['Exact', '', ...TRAPS, ...wrongTypes('string')])('%j is refused', (matching) => {
    expectRefused(
      parsedSource({ trigger_data_matching: matching }),
      'trigger_data_matching',
      'must be "exact" or "modulus"',
    );
  });
});
