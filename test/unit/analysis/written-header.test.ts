import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { writtenHeader } from '../../../analysis/scenario/written-header';
import { isJsonObject, type Json } from '../../../src/model/json';

/** The same value with sorted keys at every level. */
function sorted(value: Json): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).map(sorted);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sorted(value[key] ?? null)]),
  );
}

test('is the JSON of the value, with sorted keys', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const json = JSON.parse(JSON.stringify(value)) as Json;
      expect(JSON.parse(writtenHeader(json))).toEqual(json);
      // Objects list names that are numbers first, and a text need not.
      const hasNumbers = /"\d+":/.test(JSON.stringify(json)) || /\d{10}/.test(JSON.stringify(json));
      if (!hasNumbers) expect(writtenHeader(json)).toBe(JSON.stringify(sorted(json)));
    }),
  );
});

test.each<[Json, string]>([
  [{}, '{}'],
  [[], '[]'],
  [{ b: [], a: {} }, '{"a":{},"b":[]}'],
  [{ a: 1, b: [2, { d: null, c: true }] }, '{"a":1,"b":[2,{"c":true,"d":null}]}'],
  [{ 10: 0, 9: 0 }, '{"10":0,"9":0}'],
  [2 ** 31, '2147483648.0'],
  [-(2 ** 31), '-2147483648.0'],
  [2 ** 31 - 1, '2147483647'],
  [1e21, '1e+21'],
  ['é"\\\u2028\n\ud800', JSON.stringify('é"\\\u2028\n\ud800')],
])('writes %j as Chromium does', (value, text) => {
  expect(writtenHeader(value)).toBe(text);
});

test('takes the memory of its text, because a user’s headers are held together', () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const used = (): number => {
    collect();
    return process.memoryUsage().heapUsed;
  };
  const header = (index: number): Json => ({
    destination: 'https://shop.example',
    filter_data: Object.fromEntries(Array.from({ length: 40 }, (_, key) => [`key${key}`, [String(index)]])),
  });
  const written: string[] = [writtenHeader(header(0))];
  const before = used();
  for (let index = 0; index < 4000; index++) written.push(writtenHeader(header(index)));
  const characters = written.reduce((sum, { length }) => sum + length, 0);
  expect((used() - before) / characters).toBeLessThan(2);
});
