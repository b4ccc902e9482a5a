import { chromiumLimits } from '../../../src/model/limits';
import type { Json, JsonObject } from '../../../src/model/json';
import { parseTrigger } from '../../../formats/registration/trigger';
import {
  accepted,
  acceptedWithWarning,
  expectRefused,
  objectWith,
  parsedTrigger,
  TRAPS,
  wrongTypes,
} from '../helpers/parsing';
import { english } from '../../../words/english';

const eventData = (fields: JsonObject) => parsedTrigger({ event_trigger_data: [fields] });

test('a trigger without a field has every default', () => {
  expect(accepted(parsedTrigger({}))).toEqual({
    eventTriggerData: [],
    debugKey: null,
    debugReporting: false,
    attributionScopes: [],
    aggregatable: {
      triggerData: [],
      values: [],
      deduplicationKeys: [],
      namedBudgets: [],
      coordinatorOrigin: null,
      sourceRegistrationTime: 'exclude',
      contextId: null,
      filteringIdMaxBytes: 1,
      debugReporting: {},
    },
    filters: [],
    notFilters: [],
  });
});

test.each(['x', 1, true, null, [], [{}]])('%j is no trigger', (json) => {
  const { value, errors } = parseTrigger(json, chromiumLimits);
  expect(value).toBeNull();
  expect(errors.map(english.worded)).toEqual([
    { path: '', message: `must be an object, was ${JSON.stringify(json)}` },
  ]);
});

describe('event_trigger_data', () => {
  test('has defaults for every field', () => {
    expect(accepted(eventData({})).eventTriggerData).toEqual([
      { triggerData: 0n, priority: 0n, value: 1, deduplicationKey: null, filters: [], notFilters: [] },
    ]);
  });

  test('keeps every field, and the order of its items', () => {
    const items = [
      {
        trigger_data: '18446744073709551615',
        priority: '-9223372036854775808',
        value: 2 ** 32 - 1,
        deduplication_key: '0',
        filters: { a: ['1'] },
        not_filters: [{ _lookback_window: 5 }],
      },
      { trigger_data: '1', priority: '9223372036854775807', value: 1 },
    ];
    expect(accepted(parsedTrigger({ event_trigger_data: items })).eventTriggerData).toEqual([
      {
        triggerData: 2n ** 64n - 1n,
        priority: -(2n ** 63n),
        value: 2 ** 32 - 1,
        deduplicationKey: 0n,
        filters: [{ values: new Map([['a', ['1']]]), lookbackWindow: null }],
        notFilters: [{ values: new Map(), lookbackWindow: 5000 }],
      },
      {
        triggerData: 1n,
        priority: 2n ** 63n - 1n,
        value: 1,
        deduplicationKey: null,
        filters: [],
        notFilters: [],
      },
    ]);
  });

  const uint64 = 'an unsigned 64-bit integer in decimal';
  const int64 = 'a signed 64-bit integer in decimal';

  test.each<[string, Json, string]>([
    ...['-1', '18446744073709551616', '', '1.5', 'x', ...wrongTypes('string')].flatMap(
      (value): [string, Json, string][] => [
        ['trigger_data', value, uint64],
        ['deduplication_key', value, uint64],
      ],
    ),
    ...['-9223372036854775809', '9223372036854775808', '', '+', ...wrongTypes('string')].map(
      (value): [string, Json, string] => ['priority', value, int64],
    ),
    ['filters', 1, 'must be an object'],
    ['not_filters', 'x', 'must be an object'],
  ])('%s must not be %j', (name, value, message) => {
    expectRefused(eventData({ [name]: value }), `event_trigger_data[0].${name}`, message);
  });

  // Only flexible_event_config.md has the field. A trigger for browsers without it may mean something else by it.
  test.each([0, -1, 2 ** 32, 19.99, '1', ...wrongTypes('number')])('value %j counts as 1', (value) => {
    const message = 'must be an integer from 1 to 4294967295';
    const trigger = acceptedWithWarning(eventData({ value }), 'event_trigger_data[0].value', message);
    expect(trigger.eventTriggerData[0]?.value).toBe(1);
  });

  test.each(wrongTypes('list'))('must be a list, not %j', (value) => {
    expectRefused(parsedTrigger({ event_trigger_data: value }), 'event_trigger_data', 'must be a list');
  });

  test.each(wrongTypes('object'))('must hold objects, not %j', (value) => {
    expectRefused(
      parsedTrigger({ event_trigger_data: [{}, value] }),
      'event_trigger_data[1]',
      'must be an object',
    );
  });

  test.each(['data', ...TRAPS])('warns of the unknown field %s', (name) => {
    acceptedWithWarning(
      parsedTrigger({ event_trigger_data: [objectWith(name, 1)] }),
      `event_trigger_data[0].${name}`,
      'is not a known field',
    );
  });

  test('tells every mistake at once', () => {
    const { value, errors } = parsedTrigger({
      event_trigger_data: [{ priority: 1 }, { deduplication_key: 0, trigger_data: -1 }],
      filters: 1,
    });
    expect(value).toBeNull();
    expect(errors.map(({ path }) => path).sort()).toEqual([
      'event_trigger_data[0].priority',
      'event_trigger_data[1].deduplication_key',
      'event_trigger_data[1].trigger_data',
      'filters',
    ]);
  });
});

describe('the other fields', () => {
  test('are kept when they are right', () => {
    const trigger = accepted(
      parsedTrigger({ debug_key: '7', debug_reporting: true, attribution_scopes: ['a', 'b', ''] }),
    );
    expect(trigger).toMatchObject({ debugKey: 7n, debugReporting: true, attributionScopes: ['a', 'b', ''] });
  });

  test.each(['-1', '18446744073709551616', ...wrongTypes('string')])('debug_key %j is ignored', (key) => {
    expect(
      acceptedWithWarning(parsedTrigger({ debug_key: key }), 'debug_key', '(ignored)').debugKey,
    ).toBeNull();
  });

  test.each(['true', ...wrongTypes('boolean')])('debug_reporting %j is ignored', (value) => {
    const parsed = parsedTrigger({ debug_reporting: value });
    expect(acceptedWithWarning(parsed, 'debug_reporting', '(ignored)').debugReporting).toBe(false);
  });

  test.each<[Json, string, string]>([
    ['a', 'attribution_scopes', 'must be a list'],
    [[1], 'attribution_scopes[0]', 'must be a string'],
    [['a', null], 'attribution_scopes[1]', 'must be a string'],
    [{ values: ['a'] }, 'attribution_scopes', 'must be a list'],
  ])('attribution_scopes %j are refused', (value, path, message) => {
    expectRefused(parsedTrigger({ attribution_scopes: value }), path, message);
  });

  test.each(['event_trigger_datas', ...TRAPS])('warn of the unknown field %s', (name) => {
    acceptedWithWarning(parsedTrigger(objectWith(name, [])), name, 'is not a known field');
  });
});
