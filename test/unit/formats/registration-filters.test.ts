import type { Json, JsonObject } from '../../../src/model/json';
import {
  accepted,
  expectRefused,
  objectWith,
  parsedSource,
  parsedTrigger,
  TRAPS,
  wrongTypes,
  acceptedAnyway,
  acceptedWithWarning,
} from '../helpers/parsing';

const keys = (count: number): JsonObject =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`key ${index}`, []]));
const values = (count: number): string[] => Array.from({ length: count }, (_, index) => `value ${index}`);

describe('filter_data', () => {
  test.each<[string, JsonObject, [string, string[]][]]>([
    ['nothing', {}, []],
    ['an empty list', { a: [] }, [['a', []]]],
    ['values in their order, once each', { a: ['y', 'x', 'y'] }, [['a', ['y', 'x']]]],
    ['an empty key and an empty value', { '': [''] }, [['', ['']]]],
    ['25 bytes', { ['k'.repeat(25)]: ['v'.repeat(25)] }, [['k'.repeat(25), ['v'.repeat(25)]]]],
    ['25 bytes of all lengths', { [`${'é漢🪙'.repeat(2)}éab`]: [] }, [[`${'é漢🪙'.repeat(2)}éab`, []]]],
    ['50 values', { a: values(50) }, [['a', values(50)]]],
    ['51 values of which two are equal', { a: [...values(50), 'value 0'] }, [['a', values(50)]]],
    ...TRAPS.map((name): [string, JsonObject, [string, string[]][]] => [
      `the key ${name}`,
      objectWith(name === '__proto__' ? 'prototype' : name, ['v']),
      [[name === '__proto__' ? 'prototype' : name, ['v']]],
    ]),
  ])('may hold %s', (_name, data, entries) => {
    expect([...acceptedAnyway(parsedSource({ filter_data: data })).filterData]).toEqual(entries);
  });

  test('may have 50 keys', () => {
    expect(accepted(parsedSource({ filter_data: keys(50) })).filterData.size).toBe(50);
  });

  test.each<[string, Json, string, string]>([
    ['51 keys', keys(51), '', 'must have at most 50 keys, has 51'],
    ['51 distinct values', { a: values(51) }, '.a', 'must have at most 50 distinct values, has 51'],
    ['a key of 26 bytes', { ['k'.repeat(26)]: [] }, `.${'k'.repeat(26)}`, 'a key of at most 25 bytes'],
    ['a key of 27 bytes in 9 characters', { ['漢'.repeat(9)]: [] }, `.${'漢'.repeat(9)}`, 'at most 25 bytes'],
    ['a value of 26 bytes', { a: ['', 'v'.repeat(26)] }, '.a[1]', 'a string of at most 25 bytes'],
    ['a value of 28 bytes in 14 units', { a: ['🪙'.repeat(7)] }, '.a[0]', 'a string of at most 25 bytes'],
    ['source_type', { source_type: [] }, '.source_type', 'is implied and must not be given'],
    ['a key that begins with _', { _a: [] }, '._a', 'must not begin with "_", which is reserved'],
    ['_lookback_window', { _lookback_window: [] }, '._lookback_window', 'must not begin with "_"'],
    ['__proto__', objectWith('__proto__', []), '.__proto__', 'must not begin with "_"'],
    ['a value that is no list', { a: 'x' }, '.a', 'must be a list'],
    ['a value that is no string', { a: ['x', 1] }, '.a[1]', 'must be a string'],
    ...wrongTypes('object').map((value): [string, Json, string, string] => [
      JSON.stringify(value),
      value,
      '',
      'must be an object',
    ]),
  ])('must not hold %s', (_name, data, path, message) => {
    expectRefused(parsedSource({ filter_data: data }), `filter_data${path}`, message);
  });
});

describe.each(['filters', 'not_filters'])('%s of a trigger', (name) => {
  const parsed = (filters: Json) => parsedTrigger({ [name]: filters });
  const result = (filters: Json) => accepted(parsed(filters))[name === 'filters' ? 'filters' : 'notFilters'];

  test.each<[string, Json, [[string, string[]][], number | null][]]>([
    ['one config', { a: ['1'] }, [[[['a', ['1']]], null]]],
    ['an empty config, which matches all', {}, [[[], null]]],
    [
      'a list of configs',
      [{ a: [] }, {}],
      [
        [[['a', []]], null],
        [[], null],
      ],
    ],
    ['an empty list', [], []],
    ['source_type', { source_type: ['event'] }, [[[['source_type', ['event']]], null]]],
    ['a lookback window of a second', { _lookback_window: 1 }, [[[], 1000]]],
    ['a lookback window beside values', { _lookback_window: 60, a: ['1'] }, [[[['a', ['1']]], 60_000]]],
    [
      'strings of any length',
      { ['k'.repeat(26)]: ['v'.repeat(26)] },
      [[[['k'.repeat(26), ['v'.repeat(26)]]], null]],
    ],
    ['more than 50 values', { a: values(60) }, [[[['a', values(60)]], null]]],
  ])('may be %s', (_name, filters, configs) => {
    expect(result(filters).map(({ values: map, lookbackWindow }) => [[...map], lookbackWindow])).toEqual(
      configs,
    );
  });

  test('may have more than 50 keys', () => expect(result(keys(60))[0]?.values.size).toBe(60));

  test('may look back further than any clock runs', () => {
    expect(result({ _lookback_window: 1e300 })[0]?.lookbackWindow).toBeGreaterThan(1000 * 86400 * 365 * 1000);
  });

  test.each<[string, Json, string, string]>([
    [
      'a lookback window of 0',
      { _lookback_window: 0 },
      '._lookback_window',
      'must be an integer of at least 1',
    ],
    ['a negative lookback window', { _lookback_window: -1 }, '._lookback_window', 'of at least 1'],
    ['a broken lookback window', { _lookback_window: 1.5 }, '._lookback_window', 'must be an integer'],
    ['a lookback window as a string', { _lookback_window: '1' }, '._lookback_window', 'must be an integer'],
    ['a reserved key', { _a: [] }, '._a', 'must not begin with "_", which is reserved'],
    ['__proto__', objectWith('__proto__', []), '.__proto__', 'must not begin with "_"'],
    ['no list', { a: 'x' }, '.a', 'must be a list'],
    ['no string', { a: [null] }, '.a[0]', 'must be a string'],
    ['a mistake in a list', [{}, { a: 1 }], '[1].a', 'must be a list'],
    ['no config in a list', [{}, 'x'], '[1]', 'must be an object'],
    ...wrongTypes('object', 'list').map((value): [string, Json, string, string] => [
      JSON.stringify(value),
      value,
      '',
      'must be an object',
    ]),
  ])('must not be or have %s', (_name, filters, path, message) => {
    expectRefused(parsed(filters), `${name}${path}`, message);
  });
});

test.each(['filters', 'not_filters'])('%s warn of a source_type that no source has', (name) => {
  acceptedWithWarning(
    parsedTrigger({ [name]: { source_type: ['navigation', 'Event'] } }),
    `${name}.source_type`,
    'matches no source',
  );
});

test('filter values warn of a repetition', () => {
  acceptedWithWarning(parsedTrigger({ filters: { a: ['x', 'y', 'x'] } }), 'filters.a[2]', 'is repeated');
});
