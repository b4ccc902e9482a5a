import { chromiumLimits } from '../../../src/model/limits';
import type { Json, JsonObject } from '../../../src/model/json';
import { days, hours } from '../../../src/model/units';
import { accepted, expectRefused, objectWith, parsedSource, TRAPS } from '../helpers/parsing';
import { english } from '../../../words/english';

const [COORDINATOR = ''] = chromiumLimits.aggregationCoordinatorOrigins;
const MAX_BUDGET = 65536;
const named = (count: number, value: Json): JsonObject =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`name ${index}`, value]));

describe('the aggregatable half of a source', () => {
  test.each<[string, JsonObject]>([
    ['a report window', { aggregatable_report_window: 3600 }],
    ['a report window as a string', { aggregatable_report_window: '2592000' }],
    [
      'aggregation keys',
      { aggregation_keys: { a: '0x1', b: `0X${'aF'.repeat(16)}`, ['k'.repeat(25)]: '0x0' } },
    ],
    ['20 aggregation keys', { aggregation_keys: named(20, '0x1') }],
    ...TRAPS.map((name): [string, JsonObject] => [
      `an aggregation key ${name}`,
      { aggregation_keys: objectWith(name, '0x1') },
    ]),
    ['named budgets', { named_budgets: { a: 0, b: MAX_BUDGET, ['n'.repeat(25)]: 1 } }],
    ['25 named budgets', { named_budgets: named(25, 1) }],
    [
      'debug reporting',
      {
        aggregatable_debug_reporting: {
          budget: MAX_BUDGET,
          key_piece: '0x1',
          aggregation_coordinator_origin: COORDINATOR,
          debug_data: [{ key_piece: '0x2', value: MAX_BUDGET, types: ['unspecified'] }],
        },
      },
    ],
  ])('may have %s', (_name, fields) => {
    accepted(parsedSource(fields));
  });

  test('is read completely', () => {
    const fields = {
      expiry: 172800,
      aggregatable_report_window: 3600,
      aggregation_keys: { a: '0x1', b: `0X${'aF'.repeat(16)}` },
      named_budgets: { n: 5 },
    };
    expect(accepted(parsedSource(fields)).aggregatable).toEqual({
      keys: new Map([
        ['a', 1n],
        ['b', BigInt(`0x${'af'.repeat(16)}`)],
      ]),
      window: hours(1),
      namedBudgets: new Map([['n', 5]]),
      debugReporting: {},
    });
  });

  test('has the expiry as its window if it states none', () => {
    expect(accepted(parsedSource({ expiry: 172800 })).aggregatable.window).toBe(days(2));
  });

  test.each<[string, JsonObject, string, string]>([
    ['a negative window', { aggregatable_report_window: -1 }, 'aggregatable_report_window', 'of at least 0'],
    ['a broken window', { aggregatable_report_window: 'x' }, 'aggregatable_report_window', 'unsigned 64-bit'],
    ['keys that are no object', { aggregation_keys: [] }, 'aggregation_keys', 'must be an object'],
    [
      '21 keys',
      { aggregation_keys: named(21, '0x1') },
      'aggregation_keys',
      'must have at most 20 keys, has 21',
    ],
    [
      'a key name of 26 characters',
      { aggregation_keys: { ['k'.repeat(26)]: '0x1' } },
      `aggregation_keys.${'k'.repeat(26)}`,
      'at most 25 bytes',
    ],
    [
      'a key piece without 0x',
      { aggregation_keys: { a: '1' } },
      'aggregation_keys.a',
      '1 to 32 hexadecimal digits',
    ],
    [
      'a key piece without digits',
      { aggregation_keys: { a: '0x' } },
      'aggregation_keys.a',
      '1 to 32 hexadecimal',
    ],
    [
      'a key piece of 33 digits',
      { aggregation_keys: { a: `0x${'1'.repeat(33)}` } },
      'aggregation_keys.a',
      '1 to 32',
    ],
    ['a key piece with a g', { aggregation_keys: { a: '0xg' } }, 'aggregation_keys.a', 'hexadecimal'],
    [
      'a key piece that is a number',
      { aggregation_keys: { a: 1 } },
      'aggregation_keys.a',
      'must be a string',
    ],
    ['26 budgets', { named_budgets: named(26, 1) }, 'named_budgets', 'must have at most 25 keys, has 26'],
    ['a negative budget', { named_budgets: { a: -1 } }, 'named_budgets.a', 'from 0 to 65536'],
    [
      'a budget past the largest',
      { named_budgets: { a: MAX_BUDGET + 1 } },
      'named_budgets.a',
      'from 0 to 65536',
    ],
    ['a broken budget', { named_budgets: { a: 1.5 } }, 'named_budgets.a', 'must be an integer'],
    ['budgets that are no object', { named_budgets: 1 }, 'named_budgets', 'must be an object'],
  ])('must not have %s', (_name, fields, path, message) => {
    expectRefused(parsedSource(fields), path, message);
  });

  test('may say what is to be told of it', () => {
    const debugData = [
      { key_piece: '0x2', value: 5, types: ['source-success', 'source-noised', 'from-a-later-version'] },
      { key_piece: '0x4', value: 6, types: ['unspecified'] },
    ];
    const parsed = parsedSource({
      aggregatable_debug_reporting: { budget: 6, key_piece: '0x10', debug_data: debugData },
    });
    expect(parsed.warnings.map(english.worded)).toEqual([
      {
        path: 'aggregatable_debug_reporting.debug_data[0].types[2]',
        message: 'is no known type of debug data',
      },
    ]);
    const debug = parsed.value?.aggregatable.debug;
    expect(debug).toMatchObject({ budget: 6, keyPiece: 16n, coordinatorOrigin: null });
    expect(debug?.data.size).toBe(15);
    expect(debug?.data.get('source-noised')).toEqual({ keyPiece: 2n, value: 5 });
    expect(debug?.data.get('source-storage-limit')).toEqual({ keyPiece: 4n, value: 6 });
  });

  test.each<[string, JsonObject, number]>([
    ['a mistake in the budget', { budget: 0, key_piece: '0x1' }, 0],
    ['a mistake elsewhere', { budget: 7, key_piece: 1 }, 7],
  ])('sets a budget aside with %s: %j', (_name, value, budget) => {
    const { value: source } = parsedSource({ aggregatable_debug_reporting: value });
    expect(source?.aggregatable.debug).toEqual({
      budget,
      keyPiece: 0n,
      data: new Map(),
      coordinatorOrigin: null,
    });
  });

  test.each<[string, Json, string, string]>([
    ['no object', 1, '', 'must be an object'],
    [
      'a type twice',
      {
        budget: 5,
        key_piece: '0x1',
        debug_data: [
          { key_piece: '0x1', value: 5, types: ['unspecified'] },
          { key_piece: '0x1', value: 5, types: ['unspecified'] },
        ],
      },
      '.debug_data[1].types[0]',
      'must not repeat unspecified',
    ],
    ['no budget', { key_piece: '0x1' }, '', 'must have the field "budget"'],
    ['a budget of 0', { key_piece: '0x1', budget: 0 }, '.budget', 'from 1 to 65536'],
    ['no key piece', { budget: 1 }, '', 'must have the field "key_piece"'],
    [
      'a coordinator that is none',
      { budget: 1, key_piece: '0x1', aggregation_coordinator_origin: 'https://x.example' },
      '.aggregation_coordinator_origin',
      'must be one of',
    ],
    [
      'a value past the budget',
      { budget: 5, key_piece: '0x1', debug_data: [{ key_piece: '0x1', value: 6, types: ['x'] }] },
      '.debug_data[0].value',
      'from 1 to 5',
    ],
    [
      'no types',
      { budget: 5, key_piece: '0x1', debug_data: [{ key_piece: '0x1', value: 5, types: [] }] },
      '.debug_data[0].types',
      'must have at least 1 item',
    ],
  ])('warns of debug reporting with %s, without refusing', (_name, value, path, message) => {
    const { value: source, errors, warnings } = parsedSource({ aggregatable_debug_reporting: value });
    expect(errors).toEqual([]);
    expect(source).not.toBeNull();
    expect(warnings.map(english.worded)).toContainEqual({
      path: `aggregatable_debug_reporting${path}`,
      message: expect.stringMatching(new RegExp(`${message}.*\\(ignored\\)$`)) as string,
    });
  });
});
