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

test('a parser keeps a thousand configurations and goes on with others', () => {
  const read = parserOf();
  const all = Array.from({ length: 1001 }, (_, index) => ({ epsilon: (index + 1) / 1000 }));
  const found = all.map(read);
  expect(read(all[0] ?? {})).toBe(found[0]);
  expect(read(all[999] ?? {})).toBe(found[999]);
  expect(read(all[1000] ?? {})).not.toBe(found[1000]);
  expect(read(all[1000] ?? {})).toEqual(found[1000]);
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
