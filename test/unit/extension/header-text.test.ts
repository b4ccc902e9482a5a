import { textOf } from '../../../extension/background/documents/request-details';
import { registrationHeaders } from '../../../extension/background/observe/registration-headers';
import { parseJsonHeader } from '../../../formats/registration/header';

const bytes = (...parts: readonly (string | number)[]): number[] =>
  parts.flatMap((part) => (typeof part === 'number' ? [part] : [...Buffer.from(part)]));

/** What the parser says of a header whose bytes Chrome gives as numbers. */
const errorsOf = (...parts: readonly (string | number)[]): unknown =>
  parseJsonHeader(textOf({ name: 'h', binaryValue: bytes(...parts) })).errors.map(({ code, values }) => [
    code,
    values,
  ]);

test.each([
  ['a byte that begins nothing', 4, ['{"a', 0xff, '":1}']],
  ['after a replacement character that was sent', 5, ['{"\ufffda', 0xff, '":1}']],
  ['after a character of four bytes, which is one', 5, ['{"\u{1f600}a', 0xff]],
  ['the first of two', 4, ['{"a', 0xff, 'b', 0xfe]],
  ['a character that is cut by another', 4, ['{"a', 0xc3, '"']],
  ['a character that is cut by the end', 4, ['{"a', 0xe2, 0x82]],
  ['an encoded surrogate', 4, ['{"a', 0xed, 0xa0, 0x80]],
  ['at the beginning', 1, [0x80]],
  ['far behind', 100_003, [`{"${'a'.repeat(100_000)}`, 0xff, '":1}']],
] as const)('what is not UTF-8 is named with its place: %s', (_what, column, parts) => {
  expect(errorsOf(...parts)).toEqual([['not-utf-8', { column }]]);
});

test('what Chrome gives as numbers may be UTF-8', () => {
  expect(textOf({ name: 'h', binaryValue: bytes('{"\ufffdé\u{1f600}":1}') })).toBe('{"\ufffdé\u{1f600}":1}');
});

test('the rest of what is not UTF-8 stays readable', () => {
  expect(textOf({ name: 'h', binaryValue: bytes('\ufffda', 0xff, 'b', 0xfe, 'c') })).toBe(
    '\ufffda\ud800b\ufffdc',
  );
});

test('a header that a response has twice is refused, and that is the reason', () => {
  const one = {
    name: 'Attribution-Reporting-Register-Source',
    value: '{"destination":"https://shop.example"}',
  };
  expect(parseJsonHeader(registrationHeaders([one])?.source ?? '').errors).toEqual([]);
  expect(parseJsonHeader(registrationHeaders([one, one])?.source ?? '').errors).toMatchObject([
    { code: 'header-twice' },
  ]);
});
