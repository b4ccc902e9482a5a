import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { ByteSource } from '../../../cli/io/byte-source';
import { cutLog, filesToCut, readRange, withLineNumbers, type SizedFile } from '../../../cli/io/log-ranges';

/* A log is cut into parts for threads where another user begins. */

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'cointoss-ranges-'));
});

afterAll(() => rmSync(folder, { recursive: true }));

function write(name: string, content: string): SizedFile {
  const file = join(folder, name);
  writeFileSync(file, content);
  return { file, size: Buffer.byteLength(content) };
}

const textOf = (ranges: Parameters<typeof withLineNumbers>[0]): string =>
  ranges.map((range) => Buffer.concat([...readRange(range)]).toString()).join('');

const usersIn = (text: string): string[] =>
  text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => (JSON.parse(line) as { readonly user: string }).user);

/** Lines of users one after another, each with so many more characters, in files that end anywhere. */
const logs = fc
  .array(fc.tuple(fc.integer({ min: 1, max: 6 }), fc.nat(40), fc.boolean()), { minLength: 1, maxLength: 12 })
  .map((users) =>
    users.flatMap(([lines, length, blank], user) =>
      Array.from(
        { length: lines },
        () => `${blank ? ' \n' : ''}${JSON.stringify({ user: `ü${user}`, more: 'é'.repeat(length) })}\n`,
      ),
    ),
  );

test('the parts are the whole log in order, each with whole users, and none much longer than asked for', () => {
  fc.assert(
    fc.property(
      logs,
      fc.array(fc.nat(80), { maxLength: 3 }),
      fc.integer({ min: 1, max: 400 }),
      fc.boolean(),
      (lines, ends, length, endsWithoutNewline) => {
        const borders = [
          0,
          ...ends.map((end) => end % (lines.length + 1)).sort((a, b) => a - b),
          lines.length,
        ];
        const files = borders.slice(1).map((end, index) => {
          const content = lines.slice(borders[index], end).join('');
          return write(`${index}.ndjson`, endsWithoutNewline ? content.replace(/\n$/, '') : content);
        });
        const parts = [...cutLog(files, length)];
        const whole = files.map(({ file }) => readFileSync(file, 'utf8')).join('');
        expect(parts.map(textOf).join('')).toBe(whole);
        // Each file's last line may lack its end, so that texts are read file by file.
        const users = parts.map((part) => part.flatMap((range) => usersIn(textOf([range]))));
        const firstPartOf = new Map<string, number>();
        users.forEach((some, part) => {
          for (const user of some) {
            expect(firstPartOf.get(user) ?? part).toBe(part);
            firstPartOf.set(user, part);
          }
        });
        const longest = Math.max(...users.map((some) => new Set(some).size));
        if (length >= whole.length) expect(parts.length).toBeLessThanOrEqual(1);
        if (length === 1 && files.length === 1) expect(longest).toBeLessThanOrEqual(2);
      },
    ),
    { seed: 1, numRuns: 300 },
  );
});

test('each range knows the number of its first line, once somebody asks', () => {
  const line = (user: number): string => `${JSON.stringify({ user: `user ${user}` })}\n`;
  const file = write('numbered.ndjson', `\n${Array.from({ length: 50 }, (_, user) => line(user)).join('')}`);
  const ranges = withLineNumbers([...cutLog([file], 60)].flat());
  expect(ranges.length).toBeGreaterThan(5);
  for (const range of ranges) {
    const before = readFileSync(file.file, 'utf8').slice(0, range.start);
    expect(range.line).toBe(before.split('\n').length);
  }
});

test('a line that is no event is left to who reads the part', () => {
  const bad = write('bad.ndjson', '{"user":"a"}\n{"user":"a"}\nno JSON\n{"user":"a"}\n{"user":"b"}\n');
  expect([...cutLog([bad], 5)].map(textOf)).toEqual([
    '{"user":"a"}\n{"user":"a"}\n',
    'no JSON\n{"user":"a"}\n',
    '{"user":"b"}\n',
  ]);
});

test('a file that became shorter is an error', () => {
  const { file, size } = write('shorter.ndjson', '{"user":"a"}\n');
  expect(() => [...readRange({ file, start: 0, end: size + 1 })]).toThrow(
    `${file}: must not become shorter while it is read`,
  );
});

test('a user of several megabytes is one part, and read as it is', () => {
  const one = `${JSON.stringify({ user: 'a', more: 'x'.repeat(100_000) })}\n`;
  const file = write('large.ndjson', `${one.repeat(20)}{"user":"b"}\n`);
  const parts = [...cutLog([file])];
  expect(parts.map(textOf)).toEqual([one.repeat(20), '{"user":"b"}\n']);
});

test('a line without an end is read to the longest that a line may be, and left to who reads the part', () => {
  const file = join(folder, 'endless.ndjson');
  writeFileSync(file, '{"user":"a"}\n{"user":"');
  truncateSync(file, 2 ** 31);
  const before = process.memoryUsage().arrayBuffers;
  expect([...cutLog([{ file, size: 2 ** 31 }], 5)]).toEqual([
    [{ file, start: 0, end: 13, line: 1 }],
    [{ file, start: 13, end: 2 ** 31, line: 1 }],
  ]);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(2 ** 29);
});

test.each([
  ['lines', '{}\n', true],
  ['nothing', '', true],
  ['compressed', '\x1f\x8b', false],
  ['a list', '[{}]', false],
  ['a table', 'a,b\n', false],
  ['Parquet', 'PAR1\x15', false],
])('whether a log is cut: %s', (_, content, isCut) => {
  const file = join(folder, 'log');
  writeFileSync(file, content, 'latin1');
  expect(filesToCut([new ByteSource(file)]) !== null).toBe(isCut);
});

test('standard input is not cut', () => {
  expect(filesToCut([new ByteSource('-')])).toBeNull();
});
