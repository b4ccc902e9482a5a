import { loggedSource, type ParsedSource } from '../../../collector/sources/logged-source';
import { parse } from '../../../formats/codec/issues';
import type { JsonObject } from '../../../src/model/json';

const row = {
  source_event_id: '1',
  reporting_origin: 'https://ads.example',
  destination: 'https://shop.example',
  source_type: 'event',
  time: '2026-01-01T00:00:00.000Z',
  registration: { expiry: '86400' },
  epsilon: 3,
};

const others: readonly JsonObject[] = [
  { source_type: 'navigation' },
  { registration: { expiry: '172800' } },
  { registration: { expiry: '86400', trigger_data: [0] } },
  { epsilon: 2 },
  { mechanism: { kind: 'rr-with-prior', prior: [0.5, 0.25, 0.25] } },
  { mechanism: { kind: 'rr-with-prior', prior: [0.25, 0.5, 0.25] } },
];

type Parse = (changes: JsonObject) => ParsedSource['configuration'] | undefined;

function parserOf(): Parse {
  const source = loggedSource(new Map());
  return (changes) => parse({ ...row, ...changes }, source).value?.configuration;
}

test('a parser identifies the configuration of like rows once, and never takes one for another', () => {
  const read = parserOf();
  const first = read({});
  expect(read({ source_event_id: '2', destination: 'https://other.example' })).toBe(first);
  const found = others.map(read);
  // Those of a parser that has read nothing else.
  expect(found).toEqual(others.map((changes) => parserOf()(changes)));
  expect(new Set([first, ...found].map((configuration) => configuration?.id)).size).toBe(1 + others.length);
});

test('a row is read alike after others with the same in common, with its mistakes and warnings', () => {
  const rows: readonly JsonObject[] = [
    { campaign: 'a' },
    { source_event_id: '2', time: '2026-01-02T00:00:00.000Z', campaign: 'b', price: 3 },
    { source_event_id: '-1' },
    { time: 'yesterday' },
    { campaign: ['a'] },
    { '': 'b' },
    { destination: 'https://other.example' },
    { destination: 'not a site' },
    { reporting_origin: 'https://ads2.example' },
    { registration: { ...row.registration, source_event_id: '7' } },
    { mechanism: { kind: 'rr', unknown: 1 } },
    { mechanism: { kind: 'rr', unknown: 1 }, source_event_id: '3' },
    { configuration: 'unknown' },
    ...others,
  ];
  const source = loggedSource(new Map());
  for (const changes of [...rows, ...rows]) {
    const json = { ...row, ...changes };
    // A parser that has read nothing else.
    expect(parse(json, source)).toEqual(parse(json, loggedSource(new Map())));
  }
});

test('a parser keeps a thousand configurations and goes on with others', () => {
  const read = parserOf();
  const all = Array.from({ length: 1001 }, (_, index) => ({ epsilon: (index + 1) / 1000 }));
  const found = all.map(read);
  expect(read(all[0] ?? {})).toBe(found[0]);
  expect(read(all[999] ?? {})).toBe(found[999]);
  // Of another destination, because a row with the same in common is not parsed anew.
  const other = read({ ...all[1000], destination: 'https://other.example' });
  expect(other).not.toBe(found[1000]);
  expect(other).toEqual(found[1000]);
});

test('a parser does not keep a configuration whose registration is long', () => {
  const read = parserOf();
  const withFilters = (keys: number): JsonObject => {
    const names = Array.from({ length: keys }, (_, index) => String(index).padStart(20, 'k'));
    return {
      registration: {
        filter_data: Object.fromEntries(
          names.map((name) => [name, [name, `${name}2`, `${name}3`, `${name}4`]]),
        ),
      },
    };
  };
  const [short, long] = [withFilters(10), withFilters(50)];
  expect([short, long].map((changes) => JSON.stringify(changes).length > 4000)).toEqual([false, true]);
  expect(read(short)).toBe(read(short));
  expect(read(long)).not.toBe(read(long));
  expect(read(long)).toEqual(read(short));
});
