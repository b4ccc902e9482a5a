import fc from 'fast-check';
import { ordered, under } from '../../src/store/store';

const parts = fc.array(fc.bigInt({ min: 0n, max: 2n ** 64n }), { minLength: 3, maxLength: 3 });
const keyOf = (values: readonly bigint[]): string => values.map(ordered).join(' ');
const compare = <T>(a: T, b: T): number => (a < b ? -1 : a > b ? 1 : 0);

test('keys of ordered numbers have the order of the numbers, with and without spaces between', () => {
  fc.assert(
    fc.property(parts, parts, (a, b) => {
      const first = a.findIndex((value, index) => value !== b[index]);
      const expected = first === -1 ? 0 : compare(a[first], b[first]);
      expect(compare(keyOf(a), keyOf(b))).toBe(expected);
      expect(compare(a.map(ordered).join(''), b.map(ordered).join(''))).toBe(expected);
    }),
  );
});

test.each([0, 1, 9, 10, 35, 36, 2 ** 31, 2 ** 53 - 1])('the number %d has the key of the bigint', (value) => {
  expect(ordered(value)).toBe(ordered(BigInt(value)));
});

test('sites are shorter in keys, and stay different', () => {
  const sites = ['https://a.example', 'http://a.example', 'https://a.example:8443', 'a.example:'];
  const keys = sites.map((site) => under(site).above);
  expect(keys).toEqual(['a.example ', ':a.example ', 'a.example:8443 ', 'a.example: ']);
});
