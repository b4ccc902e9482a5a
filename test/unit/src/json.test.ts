import fc from 'fast-check';
import { type Json } from '../../../src/model/json';
import { canonical, toJson } from '../../../formats/codec/plain-json';

test.each<[unknown, unknown]>([
  [null, null],
  [true, true],
  [1.5, 1.5],
  ['text', 'text'],
  [0n, '0'],
  [-(2n ** 63n), '-9223372036854775808'],
  [18446744073709551615n, '18446744073709551615'],
  [
    [1n, [2n]],
    ['1', ['2']],
  ],
  [
    { a: 1n, b: undefined, c: null },
    { a: '1', c: null },
  ],
  [
    new Map<unknown, unknown>([
      ['a', ['x']],
      [3, 1n],
    ]),
    { a: ['x'], 3: '1' },
  ],
  [{ deep: new Map([['m', { n: new Map() }]]) }, { deep: { m: { n: {} } } }],
])('%p becomes %p', (value, json) => expect(toJson(value)).toEqual(json));

test.each([undefined, () => 1, Symbol('s')])('%p has no JSON', (value) => {
  expect(() => toJson(value)).toThrow(TypeError);
});

test('a map key named __proto__ becomes a field', () => {
  expect(JSON.stringify(toJson(new Map([['__proto__', 1n]])))).toBe('{"__proto__":"1"}');
});

test('what is JSON already stays as it is', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      expect(JSON.stringify(toJson(JSON.parse(text)))).toBe(JSON.stringify(JSON.parse(text)));
    }),
  );
});

test('canonical text tells any two values apart, and no two orders of fields', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
      const same = canonical(a as Json) === canonical(b as Json);
      expect(same).toBe(canonical(reversed(b as Json)) === canonical(a as Json));
      expect(JSON.parse(canonical(a as Json))).toEqual(JSON.parse(JSON.stringify(a)));
    }),
  );
});

function reversed(value: Json): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, item]) => [key, reversed(item)]),
  );
}
