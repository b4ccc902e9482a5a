import {
  as,
  choice,
  integer,
  list,
  orNull,
  pair,
  string,
  uint64,
  type Codec,
} from '../../../formats/codec/codec';
import { parse } from '../../../formats/codec/issues';
import { record, required, optional } from '../../../formats/codec/record';
import { parseSource } from '../../../formats/registration/source';
import { defaultSettings } from '../../../formats/settings/settings';
import { parseSettings } from '../../../formats/settings/parse-settings';
import type { Json } from '../../../src/model/json';
import { chromiumLimits } from '../../../src/model/limits';
import type { Issue } from '../../../formats/codec/mistakes';
import { epsilon } from '../../../src/model/units';

const placesOf = (errors: readonly Issue[]): readonly string[] => errors.map(({ path }) => path);

describe('a field with a mistake leads to no second mistake', () => {
  const destination = 'https://shop.example';
  const source = (field: Json): readonly Issue[] =>
    parseSource(
      {
        destination,
        max_event_level_reports: field,
        trigger_specs: [{ trigger_data: [0], summary_buckets: [1, 2] }],
      },
      'navigation',
      chromiumLimits,
    ).errors;

  test('in what a source makes of it', () => {
    expect(placesOf(source(3))).toEqual([]);
    expect(placesOf(source(1))).toEqual(['trigger_specs[0].summary_buckets']);
    expect(placesOf(source('many'))).toEqual(['max_event_level_reports']);
  });

  const rule = {
    id: 'a',
    matches: ['https://news.example/*'],
    on: 'click',
    register: 'source',
    reportingOrigin: 'https://ads.example',
    registration: { destination },
  };
  test.each([
    ['budget', { budget: { unit: 'user', epsilon: 1, cap: 'two' } }, ['budget.cap']],
    ['budget without a cap', { budget: { unit: 'user', epsilon: 1, cap: null } }, ['budget']],
    ['rule', { rules: [{ ...rule, selector: 5 }] }, ['rules[0].selector']],
    ['rule without a selector', { rules: [rule] }, ['rules[0]']],
    [
      'prior',
      { labelNoise: { kind: 'unbiased', values: [0, 'one'], prior: [0.5, 0.5] } },
      ['labelNoise.values[1]'],
    ],
  ])('in the settings: %s', (_, settings: Json, places) => {
    expect(placesOf(parseSettings(settings, defaultSettings).errors)).toEqual(places);
  });
});

const sides = record({ left: required('LEFT', string), right: optional('RIGHT', uint64) });

describe('a codec of codecs is one', () => {
  const roundTrip =
    <T>(codec: Codec<T>) =>
    (document: Json): Json => {
      const { value, errors } = parse(document, codec);
      expect(errors).toEqual([]);
      return codec.write(value as T);
    };

  test.each([
    ['integer without a maximum', integer(1).schema, { type: 'integer', minimum: 1 }],
    ['list', list(uint64, { min: 1 }).schema, { type: 'array', items: uint64.schema, minItems: 1 }],
    ['pair', pair(string).schema, { type: 'array', items: string.schema, minItems: 2, maxItems: 2 }],
    ['null or', orNull(choice('a', 'b')).schema, { anyOf: [{ enum: ['a', 'b'] }, { type: 'null' }] }],
    ['branded', as(epsilon, integer(0, 14)).schema, { type: 'integer', minimum: 0, maximum: 14 }],
    [
      'record',
      sides.schema,
      {
        type: 'object',
        properties: { LEFT: string.schema, RIGHT: uint64.schema },
        required: ['LEFT'],
        additionalProperties: false,
      },
    ],
  ])('%s: it has a schema', (_, schema, expected: Json) => {
    expect(schema).toEqual(expected);
  });

  test.each([
    ['list', roundTrip(list(uint64)), ['7', '8']],
    ['pair', roundTrip(pair(uint64)), ['7', '8']],
    ['null or a number', roundTrip(orNull(uint64)), '7'],
    ['null', roundTrip(orNull(uint64)), null],
    ['branded', roundTrip(as(epsilon, integer(0, 14))), 3],
    ['record', roundTrip(sides), { LEFT: 'a', RIGHT: '7' }],
    ['record without its optional field', roundTrip(sides), { LEFT: 'a' }],
  ])('%s: it writes what it read', (_, write, document: Json) => {
    expect(write(document)).toEqual(document);
  });
});
