import { readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { completionsAt, fieldsOf, rangeOf } from '../../../extension/pages/explain/fields';
import { suggest, withConfiguration } from '../../../extension/pages/explain/suggestion';
import {
  check,
  benchOfLink,
  benchToParameters,
  type RegisterAs,
} from '../../../extension/pages/explain/workbench';
import { routeTo } from '../../../extension/pages/state/route';

const kinds: readonly RegisterAs[] = ['navigation', 'trigger'];

/** An object that has nothing but what must be there, with the field at its place. */
const minimal: Readonly<Record<string, (field: string) => string>> = {
  navigation: (field) => `{"destination": "https://shop.example"${field === '' ? '' : `, ${field}`}}`,
  trigger: (field) => `{${field}}`,
  'navigation event_report_windows': (field) =>
    `{"destination": "https://shop.example", "event_report_windows": {${field}}}`,
  'navigation trigger_specs[]': (field) =>
    `{"destination": "https://shop.example", "trigger_specs": [{${field}}]}`,
  'navigation trigger_specs[].event_report_windows': (field) =>
    `{"destination": "https://shop.example", "trigger_specs": [{"trigger_data": [0], "event_report_windows": {${field}}}]}`,
  'navigation attribution_scopes': (field) =>
    `{"destination": "https://shop.example", "attribution_scopes": {${field}}}`,
  'trigger event_trigger_data[]': (field) => `{"event_trigger_data": [{${field}}]}`,
};

const places = kinds.flatMap((as) => [...fieldsOf(as)].map(([place, fields]) => ({ as, place, fields })));
const every = places.flatMap(({ as, place, fields }) =>
  fields.flatMap(({ name, example, choices = [] }) =>
    [example, ...choices].map((value) => [as, place, name, value] as const),
  ),
);
const textWith = (as: RegisterAs, place: string, field: string): string =>
  minimal[`${as} ${place}`.trim()]?.(field) ?? '';

describe('completion of registrations', () => {
  it.each(every)('%s %s: what is put in for %s is what the parser takes: %s', (as, place, name, value) => {
    const text = textWith(as, place, name === 'destination' ? '' : `"${name}": ${value}`);
    const { errors, warnings } = check({ as, text });
    const about = ({ path: at }: { path: string }): boolean => at.includes(name);
    expect([...errors.filter(about), ...warnings.filter(about)]).toEqual([]);
  });

  it('knows every field that the parsers read', () => {
    const folder = path.resolve(__dirname, '../../../formats/registration');
    const known = new Set(places.flatMap(({ fields }) => fields.map(({ name }) => name)));
    for (const file of ['source.ts', 'trigger.ts', 'trigger-specs.ts', 'report-windows.ts']) {
      const read = readFileSync(path.join(folder, file), 'utf8').matchAll(
        /fields\.(?:optional|required|lenient)(?:<[^(]*>)?\(\s*'([a-z_]+)'/g,
      );
      const names = [...read].map(([, name]) => name ?? '');
      expect(names.length).toBeGreaterThan(2);
      expect(names.filter((name) => !known.has(name))).toEqual([]);
    }
  });

  it.each<[string, RegisterAs, string, string, string | null]>([
    ['a name in an empty object', 'navigation', '{|}', 'priority', '{"priority": "0"}'],
    ['the rest of a name', 'navigation', '{"prio|"}', 'priority', '{"priority": "0"}'],
    [
      'a name after another field',
      'trigger',
      '{"debug_key": "1", |}',
      'filters',
      '{"debug_key": "1", "filters": [{"product": ["shoes"]}]}',
    ],
    [
      'a name before another field',
      'trigger',
      '{ | "debug_key": "1"}',
      'filters',
      '{ "filters": [{"product": ["shoes"]}],  "debug_key": "1"}',
    ],
    ['no name twice', 'navigation', '{"priority": "0", |}', 'priority', null],
    [
      'a name within',
      'trigger',
      '{"event_trigger_data": [{|}]}',
      'value',
      '{"event_trigger_data": [{"value": 1}]}',
    ],
    ['none where nothing is known', 'trigger', '{"filters": {|}}', 'value', null],
    [
      'one of few values',
      'navigation',
      '{"trigger_data_matching": |}',
      '"modulus"',
      '{"trigger_data_matching": "modulus"}',
    ],
    ['a name in place of another', 'navigation', '{"prio|": "7"}', 'priority', '{"priority": "7"}'],
  ])('offers %s', (_case, as, marked, label, expected) => {
    const offset = marked.indexOf('|');
    const text = marked.replace('|', '');
    const found = completionsAt(as, text, offset);
    const option = found?.options.find((candidate) => candidate.label === label);
    const result =
      found === null || option === undefined
        ? null
        : text.slice(0, found.from) + option.insert + text.slice(found.to);
    expect(result).toBe(expected);
  });

  it('never fails, whatever is typed', () => {
    fc.assert(
      fc.property(
        fc.constantFrom<RegisterAs>('navigation', 'event', 'trigger'),
        fc.array(fc.constantFrom('{', '}', '[', ']', '"', ':', ',', 'trigger_specs', '1', ' ', '\n', '\\')),
        fc.nat(),
        (as, pieces, at) => {
          const text = pieces.join('');
          const offset = at % (text.length + 1);
          const { from, to } = completionsAt(as, text, offset) ?? { from: 0, to: 0 };
          expect(from >= 0 && from <= to && to <= text.length).toBe(true);
        },
      ),
    );
  });

  it.each([
    ['priority', '{"priority": true}', 'true'],
    ['event_trigger_data[1].value', '{"event_trigger_data": [{}, {"value": 0}]}', '0'],
    ['event_trigger_data[1].absent', '{"event_trigger_data": [{}, {"value": 0}]}', '{"value": 0}'],
    ['', ' {"a": 1}', '{'],
    ['', '{"a": 1 "b": 2}', '"b"'],
    ['', '', ''],
  ])('finds where %s is', (issue, text, expected) => {
    const { from, to } = rangeOf(text, issue);
    expect(text.slice(from, to)).toBe(expected);
  });
});

describe('a link that somebody shared', () => {
  const draft = { as: 'event', text: '{"destination": "https://shop.example"}' } as const;
  const bench = { draft, kept: null };
  const address = `moz-extension://0b1d/pages/internals.html${routeTo(['workbench'], benchToParameters(bench))}`;

  it.each([address, ` ${address}\n`, address.slice(address.indexOf('#'))])(
    'is opened where it is pasted: %s',
    (text) => {
      expect(benchOfLink(text)).toEqual(bench);
    },
  );

  it.each([draft.text, 'https://shop.example/#/workbench', `see ${address}`])(
    'is not taken for %s',
    (text) => {
      expect(benchOfLink(text)).toBeNull();
    },
  );
});

describe('the suggestion of summary buckets', () => {
  const draft = {
    as: 'navigation',
    text: '{"destination": "https://shop.example", "priority": "7", "event_level_epsilon": 3, "trigger_data": [0], "event_report_windows": {"end_times": [2592000]}}',
  } as const;
  const { source } = check(draft);
  if (source === null) throw new Error('the draft must be valid');

  it('is that of the optimize command, and can be put into the registration', () => {
    const found = suggest(source, 'navigation', {
      values: '0, 5, 10, 50, 100',
      prior: '0.9 0.05 0.03 0.015 0.005',
    });
    if (found.kind !== 'found' || found.best === null) throw new Error('there must be a best one');
    // The first table of docs/optimize.md.
    expect(found.configurations.map(({ summaryBuckets }) => summaryBuckets)).toEqual([
      [10],
      [5, 50],
      [5, 10, 50],
      [5, 10, 50, 100],
    ]);
    expect(found.best.expectedLoss).toBeCloseTo(67.46, 2);
    const changed = withConfiguration(draft, found.request, found.best);
    expect(check(changed).errors).toEqual([]);
    expect(JSON.parse(changed.text)).toMatchObject({
      destination: 'https://shop.example',
      priority: '7',
      event_level_epsilon: 3,
      trigger_specs: [{ trigger_data: [0], summary_buckets: [5, 50] }],
    });
    expect(check(changed).warnings).toEqual([]);
  });

  it.each([
    ['0, 5', '1', /values/],
    ['0, 5', '0.5, 0.6', /prior/],
    ['a, 5', '0.5, 0.5', /values\[0\]/],
    ['', '', /./],
    [Array.from({ length: 65 }, (_, index) => index).join(' '), '1', /at most 64/],
  ])('says what is wrong with %s and %s', (values, prior, message) => {
    expect(suggest(source, 'navigation', { values, prior })).toMatchObject({
      kind: 'problem',
      message: expect.stringMatching(message) as string,
    });
  });
});
