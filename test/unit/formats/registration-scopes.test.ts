import type { Json } from '../../../src/model/json';
import {
  acceptedWithWarning,
  expectRefused,
  parsedSource,
  wrongTypes,
  acceptedAnyway,
} from '../helpers/parsing';
import { english } from '../../../words/english';

describe('attribution_scopes', () => {
  const parsed = (value: Json) => parsedSource({ attribution_scopes: value });
  const names = (count: number): string[] => Array.from({ length: count }, (_, index) => `scope ${index}`);

  test.each<[string, Json, object]>([
    ['the least', { limit: 1, values: [''] }, { limit: 1, values: [''], maxEventStates: 3 }],
    [
      'the most',
      { limit: 2 ** 32 - 1, values: names(20), max_event_states: 2 ** 32 - 1 },
      { limit: 2 ** 32 - 1, values: names(20), maxEventStates: 2 ** 32 - 1 },
    ],
    [
      'repeated values, which count once',
      { limit: 1, values: ['a', 'a'], max_event_states: 1 },
      { limit: 1, values: ['a'], maxEventStates: 1 },
    ],
    [
      '50 characters',
      { limit: 1, values: ['x'.repeat(50)] },
      { limit: 1, values: ['x'.repeat(50)], maxEventStates: 3 },
    ],
  ])('may be %s', (_name, value, result) => {
    expect(acceptedAnyway(parsed(value)).attributionScopes).toEqual(result);
  });

  test.each<[string, Json, string, string]>([
    ['no limit', { values: ['a'] }, '', 'must have the field "limit"'],
    ['limit 0', { limit: 0, values: ['a'] }, '.limit', 'from 1 to 4294967295'],
    ['a limit of 2^32', { limit: 2 ** 32, values: ['a'] }, '.limit', 'from 1 to 4294967295'],
    ['a limit as a string', { limit: '1', values: ['a'] }, '.limit', 'must be an integer'],
    ['a limit that is no whole number', { limit: 1.5, values: ['a'] }, '.limit', 'must be an integer'],
    ['no values', { limit: 1 }, '', 'must have the field "values"'],
    ['an empty list', { limit: 1, values: [] }, '.values', 'must have at least 1 item'],
    ['no list', { limit: 1, values: 'a' }, '.values', 'must be a list'],
    ['no string', { limit: 1, values: [1] }, '.values[0]', 'must be a string'],
    ['51 bytes', { limit: 1, values: ['x'.repeat(51)] }, '.values[0]', 'at most 50 bytes'],
    ['no limit, and no other mistake', { values: ['a', 'b'] }, '', 'must have the field "limit"'],
    [
      'more than the limit',
      { limit: 1, values: ['a', 'b'] },
      '.values',
      'must have at most 1 distinct values, has 2',
    ],
    [
      '21 values',
      { limit: 30, values: names(21) },
      '.values',
      'must have at most 20 distinct values, has 21',
    ],
    [
      'no event states',
      { limit: 1, values: ['a'], max_event_states: 0 },
      '.max_event_states',
      'from 1 to 4294967295',
    ],
    [
      'event states past the cardinality limit',
      { limit: 1, values: ['a'], max_event_states: 2 ** 32 },
      '.max_event_states',
      'from 1 to 4294967295',
    ],
  ])('must not have %s', (_name, value, path, message) => {
    expectRefused(parsed(value), `attribution_scopes${path}`, message);
  });

  test.each(wrongTypes('object'))('%j is refused', (value) => {
    const { errors } = parsed(value);
    expect(errors.map(english.worded)[0]).toEqual({
      path: 'attribution_scopes',
      message: `must be an object, was ${JSON.stringify(value)}`,
    });
  });

  test('warn of a field that they do not have', () => {
    acceptedWithWarning(
      parsed({ limit: 1, values: ['a'], limits: 2 }),
      'attribution_scopes.limits',
      'is not a known field',
    );
  });
});
