import fc from 'fast-check';
import { AlikeRows } from '../../../analysis/estimate/join/alike-rows';
import { SourceRows } from '../../../analysis/estimate/join/source-rows';
import type { Json, JsonObject } from '../../../src/model/json';

const START = Date.UTC(2026, 0, 1);

const time = fc.oneof(
  fc.integer({ min: 0, max: 10 ** 9 }).map((past) => new Date(START + past).toISOString()),
  fc.constantFrom(START, String(START), '2026-01-01T00:00:00+01:00', '2026-02-31T00:00:00.000Z', 12),
);
const id = fc.oneof(
  fc.bigInt(0n, 2n ** 64n - 1n).map(String),
  fc.constantFrom('007', '18446744073709551616', 7, '', null),
);
const scalar = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.double(),
  fc.constantFrom<Json>('é', '😀', '\u2028', 'a{[', 'a"b', '\\', '\0', true, null, -0, 1e21, '"time":"', '}'),
);
const registration = fc.constantFrom<Json>(
  {},
  { priority: '1' },
  { filter_data: { a: ['}', '"', '\\'], b: [] }, event_report_window: 604800 },
  { trigger_specs: [{ trigger_data: [0, 1], event_report_windows: { end_times: [86400] } }] },
  { source_event_id: '7' },
  '{"priority":"1"}',
  { priority: 1 },
);

const row: fc.Arbitrary<JsonObject> = fc.record<JsonObject>({
  source_event_id: id,
  reporting_origin: fc.constantFrom('https://ads.example', 'https://other.example', 'no origin'),
  destination: fc.constantFrom<Json>(
    'https://shop.example',
    ['https://a.example', 'https://b.example'],
    'https://a.example https://b.example',
    1,
  ),
  source_type: fc.constantFrom('event', 'navigation'),
  time,
  registration,
  epsilon: fc.constantFrom(14, '14', 1, 0),
  arm: scalar,
  feature: fc.oneof(scalar, fc.constantFrom<Json>([1], { a: 1 })),
});

/** The usual row, so that most are alike, with some fields as in another one. */
const usual: JsonObject = {
  source_event_id: '1',
  reporting_origin: 'https://ads.example',
  destination: 'https://shop.example',
  source_type: 'event',
  time: new Date(START).toISOString(),
  registration: {},
  epsilon: 14,
  arm: 'a',
  feature: 1,
};
const some = fc
  .tuple(row, fc.subarray(Object.keys(usual), { maxLength: 2 }))
  .map(([other, names]) => ({ ...usual, ...Object.fromEntries(names.map((name) => [name, other[name]])) }));

/** How a row is written, and what is wrong with that. */
const written = fc.oneof(
  { weight: 20, arbitrary: fc.constant((text: string) => text) },
  {
    weight: 8,
    arbitrary: fc.constantFrom<(text: string) => string>(
      (text) => text.replaceAll(/("[a-z_]+"):/g, '$1: ').replaceAll(',"', ', "'),
      (text) => text.replaceAll(',', ' ,'),
      (text) => `${text} \r`,
      (text) => ` ${text}`,
      (text) => text.replace('"arm"', String.raw`"\u0061rm"`),
      (text) => text.replace(/\}$/, ',"time":1767225600001}'),
      (text) => text.replace(/^\{/, '{"source_event_id":"2",'),
      (text) => text.replace(/^\{/, '{"__proto__":{"arm":"x"},'),
      (text) => text.replace(/^\{/, '{"1":2,"time":"3",'),
      (text) => text.replace('"epsilon":14', '"epsilon":1.4e1'),
      (text) => text.replace('"feature":1', `"feature":1${'0'.repeat(400)}`),
      (text) => text.replace('"arm":"a",', ''),
      (text) => text.replace('"registration":{}', '"registration":{"priority":"1","priority":"2"}'),
    ),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.nat(), fc.constantFrom('', '"', '}', ',', '0', '\\', '[', ':', '\t', '😀'))
      .map(([at, by]) => (text: string) => {
        const place = at % text.length;
        return text.slice(0, place) + by + text.slice(place + 1);
      }),
  },
);

const line = fc
  .tuple(fc.oneof({ weight: 15, arbitrary: some }, { weight: 1, arbitrary: row }), written)
  .map(([json, write]) => write(JSON.stringify(json)));

function jsonOf(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

const shown = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? `${part}n` : part));

test('a row is read from its line as from its JSON, however it is written and whatever came before it', () => {
  let [alikeRows, all] = [0, 0];
  fc.assert(
    fc.property(
      fc.array(line, { minLength: 1, maxLength: 60, size: 'max' }),
      fc.constantFrom([], ['arm'], ['destination', 'arm'], ['time', 'source_type'], ['epsilon'], ['nothing']),
      (lines, groupBy) => {
        const [rows, others] = [new SourceRows(groupBy), new SourceRows(groupBy)];
        const alike = new AlikeRows(rows);
        for (const text of lines) {
          const found = alike.parse(text);
          const json = jsonOf(text);
          all += 1;
          if (found !== null) {
            alikeRows += 1;
            expect(json).toBeDefined();
            expect(shown({ value: found, errors: [], warnings: [] })).toBe(shown(others.parse(json ?? null)));
          } else if (json !== undefined) {
            const parsed = rows.parse(json);
            expect(shown(parsed)).toBe(shown(others.parse(json)));
            if (parsed.value !== null && parsed.warnings.length === 0) alike.add(text, json);
          }
        }
        expect(rows.columns).toEqual(others.columns);
      },
    ),
    { numRuns: 400, seed: 53 },
  );
  expect(alikeRows / all).toBeGreaterThan(0.2);
  expect(alikeRows / all).toBeLessThan(0.9);
});

test('rows of many forms are read, and those of a usual one among them from their lines', () => {
  const rows = new SourceRows(['arm']);
  const alike = new AlikeRows(rows);
  let found = 0;
  for (let index = 0; index < 3000; index++) {
    const json = {
      ...usual,
      source_event_id: String(index),
      ...(index % 2 === 0 ? {} : { [`f${index}`]: 1 }),
    };
    const text = JSON.stringify(json);
    const parsed = alike.parse(text);
    if (parsed !== null) found += 1;
    else if (rows.parse(json).value !== null) alike.add(text, json);
  }
  expect(found).toBeGreaterThanOrEqual(1499);
});
