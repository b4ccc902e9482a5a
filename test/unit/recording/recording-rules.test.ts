import type { Json, JsonObject } from '../../../src/model/json';
import { readingsOf } from '../../../recording/readings';
import { fillIn, recordingRule } from '../../../recording/rules';
import { parse } from '../../../formats/codec/issues';
import { chromiumLimits } from '../../../src/model/limits';
import { parseSource } from '../../../formats/registration/source';
import { objectWith } from '../helpers/parsing';
import { english } from '../../../words/english';

const extract = (fields: JsonObject = {}): JsonObject => ({ $extract: fields });

const asIt = (as: string, text: string | null): Json => fillIn(extract({ as }), [text]);

describe('what an extractor makes of a text', () => {
  test.each<[string, number | null]>([
    ['42', 42],
    ['1,204 points', 1204],
    ['1.204 Punkte', 1204],
    ['1’204', 1204],
    ["1'204'000 in all", 1204000],
    ['1 204 points', 1204],
    ['1\u00a0204\u202f000', 1204000],
    ['order no. 0071', 71],
    ['12, 3 left', 12],
    ['2 of 10', 2],
    ['2 2024', 2],
    ['4.5 stars', 4],
    ['page 7.', 7],
    ['', null],
    ['none', null],
    ['−', null],
  ])('the integer of %j is %s', (text, value) => expect(asIt('integer', text)).toBe(value));

  test.each<[string, number | null]>([
    ['€ 1.234,50', 123450],
    ['1,234.50', 123450],
    ["1'234.50", 123450],
    ['CHF 1’234.50', 123450],
    ['1 234,50 €', 123450],
    ['1\u202f234,50\u00a0€', 123450],
    ['1234.5', 123450],
    ['$5', 500],
    ['5,00', 500],
    ['5.-', 500],
    ['0.05', 5],
    ['1.234', 123400],
    ['1,234,567', 123456700],
    ['1.234.567,8', 123456780],
    ['Total: 12.50.', 1250],
    ['12.50, thank you', 1250],
    ['12, 2 items', 1200],
    ['3 items, 9.99', 300],
    ['free', null],
    ['', null],
  ])('the money of %j is %s cents', (text, value) => expect(asIt('money', text)).toBe(value));

  test.each<[string, string, Json]>([
    ['text', '  as it stands ', 'as it stands'],
    ['text', '', ''],
    ['origin', ' https://shop.example:8443/path ', 'https://shop.example:8443'],
    ['origin', 'http://shop.example', null],
    ['origin', '/relative', null],
  ])('the %s of %j is %j', (as, text, value) => expect(asIt(as, text)).toBe(value));

  test.each(['text', 'integer', 'money', 'origin'])('a missing %s is null', (as) => {
    expect(asIt(as, null)).toBeNull();
    expect(fillIn(extract({ as }), [])).toBeNull();
  });
});

describe('a registration with extractors', () => {
  const registration: Json = {
    destination: extract({ attribute: 'href', as: 'origin' }),
    fixed: ['a', 1, true, null],
    list: [{ value: extract({ selector: '.total', as: 'money' }) }, extract()],
    filter_data: { product: [extract({ attribute: 'data-id' })] },
  };

  test('takes their values in the order in which they stand', () => {
    expect(fillIn(registration, ['https://shop.example/x', '€ 5', 'text', 'p7'])).toEqual({
      destination: 'https://shop.example',
      fixed: ['a', 1, true, null],
      list: [{ value: 500 }, 'text'],
      filter_data: { product: ['p7'] },
    });
  });

  test('takes null for what was not found, and never moves another value up', () => {
    expect(fillIn(registration, [null, '€ 5', null, 'p7'])).toMatchObject({
      destination: null,
      list: [{ value: 500 }, null],
      filter_data: { product: ['p7'] },
    });
  });

  test('leaves values that look like extractors alone', () => {
    expect(fillIn(extract(), ['{"$extract":{}}'])).toBe('{"$extract":{}}');
    expect(fillIn({ a: '$extract' }, ['x'])).toEqual({ a: '$extract' });
  });

  test('keeps a field named __proto__ a field', () => {
    const filled = fillIn(objectWith('__proto__', extract()), ['x']);
    expect(JSON.stringify(filled)).toBe('{"__proto__":"x"}');
  });
});

describe('a rule', () => {
  const minimal = {
    id: 'thanks',
    matches: ['https://shop.example/thanks*'],
    on: 'visit',
    register: 'trigger',
    reportingOrigin: 'https://adtech.example',
    registration: {},
  };
  const parsed = (fields: JsonObject) => parse({ ...minimal, ...fields }, recordingRule);

  test.each<[string, JsonObject]>([
    ['nothing but what it must have', {}],
    ['a selector', { selector: '.ad', on: 'viewable', register: 'source' }],
    [
      'extractors anywhere',
      { registration: { filters: { a: [extract({ selector: null, attribute: 'x', as: 'text' })] } } },
    ],
  ])('may have %s', (_name, fields) => {
    expect(parsed(fields)).toEqual({
      value: { ...minimal, selector: null, ...fields },
      errors: [],
      warnings: [],
    });
  });

  test.each<[string, JsonObject, string, string]>([
    ['an id that is no string', { id: 1 }, 'id', 'must be a string'],
    ['an id of 101 characters', { id: 'x'.repeat(101) }, 'id', 'at most 100 characters'],
    ['no page', { matches: [] }, 'matches', 'must have at least 1 item'],
    ['a page that is no pattern', { matches: ['shop.example'] }, 'matches[0]', 'must be a match pattern'],
    ['another event', { on: 'hover', selector: 'a' }, 'on', 'must be "viewable" or "click"'],
    ['another registration', { register: 'constructor' }, 'register', 'must be "source" or "trigger"'],
    [
      'an origin that is not secure',
      { reportingOrigin: 'http://x.example' },
      'reportingOrigin',
      'must be an origin',
    ],
    ['no selector where it needs one', { on: 'click' }, '', 'must have a selector, because it is on "click"'],
    [
      'an extractor with another type',
      { registration: { filters: { a: [extract({ as: 'number' })] } } },
      'registration.filters.a[0].$extract.as',
      'must be "text" or "integer"',
    ],
    [
      'an extractor that is no object',
      { registration: { filters: { $extract: 'x' } } },
      'registration.filters.$extract',
      'must be an object',
    ],
  ])('must not have %s', (_name, fields, path, message) => {
    const { value, errors } = parsed(fields);
    expect(value).toBeNull();
    expect(errors.map(english.worded)).toEqual([
      { path, message: expect.stringContaining(message) as string },
    ]);
  });

  test('warns of fields that neither it nor an extractor has', () => {
    const { value, warnings } = parsed({ match: 1, registration: { filters: extract({ css: 'x' }) } });
    expect(value).not.toBeNull();
    expect(warnings.map(({ path }) => path)).toEqual(['registration.filters.$extract.css', 'match']);
  });

  test.each(Object.keys(minimal))('must have the field %s', (name) => {
    const rest = Object.fromEntries(Object.entries(minimal).filter(([key]) => key !== name));
    const { value, errors } = parse(rest as Json, recordingRule);
    expect(value).toBeNull();
    expect(errors.map(english.worded)).toContainEqual({ path: '', message: `must have the field "${name}"` });
  });
});

describe('what is read of a page', () => {
  const registering = (register: string, registration: JsonObject) =>
    parse(
      {
        id: 'r',
        matches: ['https://shop.example/*'],
        on: 'visit',
        register,
        reportingOrigin: 'https://adtech.example',
        registration,
      },
      recordingRule,
    );
  const as = (type: string): JsonObject => extract({ selector: '.x', as: type });

  test.each<[string, JsonObject, string]>([
    ['source', { debug_key: as('text') }, 'registration.debug_key.$extract'],
    ['source', { event_level_epsilon: as('integer') }, 'registration.event_level_epsilon.$extract'],
    ['source', { expiry: as('integer') }, 'registration.expiry.$extract'],
    ['source', { max_event_level_reports: as('integer') }, 'registration.max_event_level_reports.$extract'],
    [
      'source',
      { trigger_specs: [{ trigger_data: [as('integer')] }] },
      'registration.trigger_specs[0].trigger_data[0].$extract',
    ],
    ['source', { aggregation_keys: { a: as('text') } }, 'registration.aggregation_keys.a.$extract'],
    ['source', { debug_reporting: as('text') }, 'registration.debug_reporting.$extract'],
    ['source', { filters: as('text') }, 'registration.filters.$extract'],
    ['source', as('text'), 'registration.$extract'],
    ['trigger', { debug_key: as('text') }, 'registration.debug_key.$extract'],
    ['trigger', { source_event_id: as('text') }, 'registration.source_event_id.$extract'],
    ['trigger', { aggregatable_values: { a: as('integer') } }, 'registration.aggregatable_values.a.$extract'],
  ])('does not enter the field of a %s: %j', (register, registration, path) => {
    expect(registering(register, registration).errors.map(english.worded)).toEqual([
      { path, message: 'must not be here: the field cannot be read from a page' },
    ]);
  });

  test.each<[string, JsonObject, string]>([
    ['source', { source_event_id: as('integer') }, 'must be "text"'],
    ['source', { destination: as('text') }, 'must be "origin"'],
    ['source', { destination: ['https://a.example', as('text')] }, 'must be "origin"'],
    ['trigger', { event_trigger_data: [{ value: as('text') }] }, 'must be "integer" or "money"'],
  ])('enters the field of a %s as nothing else: %j', (register, registration, message) => {
    expect(registering(register, registration).errors.map(english.worded)).toEqual([
      {
        path: expect.stringContaining('$extract.as') as string,
        message: expect.stringContaining(message) as string,
      },
    ]);
  });

  test('must say what it is where it cannot be text', () => {
    expect(
      registering('source', { destination: extract({ selector: 'a' }) }).errors.map(english.worded),
    ).toEqual([{ path: 'registration.destination.$extract', message: 'must have the field "as"' }]);
  });

  test('is listed with the field that it enters, and whether it leaves the device', () => {
    const source = registering('source', {
      source_event_id: as('text'),
      destination: as('origin'),
      filter_data: { product: [as('text')] },
    }).value;
    const trigger = registering('trigger', {
      event_trigger_data: [{ trigger_data: as('text'), value: as('money'), deduplication_key: as('text') }],
      filters: { product: [as('text')] },
    }).value;
    const listed = [source, trigger].flatMap((rule) => (rule === null ? [] : readingsOf(rule)));
    expect(listed.map(({ field, leaves, extractor }) => [field, leaves, extractor.selector])).toEqual([
      ['source_event_id', 'number', '.x'],
      ['destination', 'site', '.x'],
      ['filter_data', 'never', '.x'],
      ['event_trigger_data.trigger_data', 'noised', '.x'],
      ['event_trigger_data.value', 'noised', '.x'],
      ['event_trigger_data.deduplication_key', 'never', '.x'],
      ['filters', 'never', '.x'],
    ]);
  });

  test.each(['Alice', '12 Main Street', '1e3', '-5', '18446744073709551616', '0x1F', '１２'])(
    'is no number of an ad if it is %j',
    (text) => {
      const header = fillIn({ destination: 'https://shop.example', source_event_id: as('text') }, [text]);
      expect(parseSource(header, 'event', chromiumLimits).errors.map(({ path }) => path)).toEqual([
        'source_event_id',
      ]);
    },
  );
});
