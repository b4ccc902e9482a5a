import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, copyFileSync, openSync, truncateSync, writeFileSync, writeSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { useCommands } from '../helpers/command';
import { isLong } from '../helpers/is-long';

/*
 * Small files that unpack to much, and long ones. Each must be refused in one line with exit code 2, before the memory is taken. A command
 * without a file takes some 60 MB.
 */

const ROOT = path.join(__dirname, '../../..');
const { pathOf } = useCommands();

const MEGABYTE = 2 ** 20;
/** In megabytes, of which V8 keeps much for its heap. */
const MOST_MEMORY = 500;

/** Tells what a process took at most, in kB: not `maxRSS`, which on Linux begins with that of the process that started it. */
const telling = `data:text/javascript,${encodeURIComponent(`
import { readFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';
const most = () => process.platform === 'linux'
  ? /VmHWM:\\s+(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]
  : process.resourceUsage().maxRSS;
if (isMainThread) process.on('exit', () => console.error('peak ' + most()));`)}`;

interface Run {
  readonly code: number | null;
  readonly err: string;
  readonly megabytes: number;
}

function run(...args: readonly string[]): Run {
  const { status, stderr } = spawnSync(process.execPath, ['--import', telling, 'cli/cointoss.mjs', ...args], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  const [err = '', kilobytes = ''] = stderr.split('peak ');
  return { code: status, err, megabytes: Number(kilobytes) / 1024 };
}

/** Of one part again and again: members of gzip, as frames of Zstandard, can stand one after the other. */
function repeated(name: string, part: Uint8Array, times: number, first = new Uint8Array()): string {
  const handle = openSync(pathOf(name), 'w');
  writeSync(handle, first);
  const some = Buffer.concat(Array<Uint8Array>(100).fill(part));
  for (let left = times; left > 0; left -= 100) writeSync(handle, some);
  closeSync(handle);
  return pathOf(name);
}

/** One line, of which all after the first megabyte are zeros that take no room on the disk. */
function sparse(name: string, character: string, megabytes: number): string {
  writeFileSync(pathOf(name), Buffer.alloc(MEGABYTE, character));
  truncateSync(pathOf(name), megabytes * MEGABYTE);
  return pathOf(name);
}

/** What `parquet` made once, because that takes ten times as long as to refuse it. */
function kept(name: string, fixture: string): string {
  copyFileSync(path.join(ROOT, 'test/fixtures', fixture), pathOf(name));
  return pathOf(name);
}

/** 128 KiB of one character (RFC 8878, 3.1.1.2), the same in four bytes. */
const zstdBlock = (character: string): Uint8Array => Buffer.from([2, 0, 16, character.charCodeAt(0)]);
const longLine = Buffer.concat([zstdBlock(' '), Buffer.from([10, 0, 0, 10])]);
const zstdFrame = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, 0x38]);

const gzipOf = (character: string): Uint8Array => gzipSync(character.repeat(MEGABYTE));

/** Each column says again and again that it has the same text: a million times in 300 bytes. */
function parquet(name: string, rows: number, columns: number): string {
  const program = `
    import { parquetWriteFile } from 'hyparquet-writer';
    const data = Array(${rows}).fill('x');
    const columnData = Array.from({ length: ${columns} }, (_, index) => ({ name: 'c' + index, data, encoding: 'RLE_DICTIONARY' }));
    parquetWriteFile({ filename: process.argv[1], columnData, rowGroupSize: ${rows} });`;
  execFileSync(process.execPath, ['--input-type=module', '-e', program, pathOf(name)], { cwd: ROOT });
  return pathOf(name);
}

const LINE = /: line 1: must have at most 16777216 characters/;
const RATIO = /: must unpack to at most 1000 times its size, but \d+ bytes gave \d+; /;

const inputs: readonly (readonly [string, () => string, RegExp])[] = [
  [
    '.zst of 100 kB with one line of 3 GB',
    () => repeated('a.ndjson.zst', zstdBlock('x'), 25_000, zstdFrame),
    LINE,
  ],
  ['.zst of 100 kB with 3 GB of lines', () => repeated('a.ndjson.zst', longLine, 25_000, zstdFrame), RATIO],
  ['.gz with one line of 1 GB', () => repeated('a.ndjson.gz', gzipOf('x'), 1000), LINE],
  [
    '.gz with one cell of 1 GB',
    () => repeated('a.csv.gz', gzipOf('x'), 1000),
    /: line 1: must be CSV: a row has more than 16777216 characters/,
  ],
  ['a file with one line of 600 MB', () => sparse('a.ndjson', 'x', 600), LINE],
  [
    'a window of 2 GB',
    () =>
      repeated(
        'a.ndjson.zst',
        new Uint8Array(),
        0,
        Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, 21 << 3, 1, 0, 0]),
      ),
    /a window of 2147483648 bytes, where 134217728 are allowed/,
  ],
  [
    'Parquet of 20 kB with 70 million values',
    () => (isLong ? parquet('a.parquet', 1e6, 70) : kept('a.parquet', '70-million-values.parquet')),
    /: values of a group: must be at most/,
  ],
  [
    'Parquet with 5,000 columns, all of which would be read',
    () => parquet('a.parquet', 1, 5000),
    /: columns of the file, times those that are read: must be at most 16777216, was 25005000/,
  ],
  ['JSON of 200 MB', () => sparse('a.json', ' ', 200), /: must have at most 134217728 bytes, has more/],
];

// The cell takes half of the time.
test.each(inputs.filter(([what]) => isLong || !what.includes('one cell')))(
  '%s is refused',
  (_, make, message) => {
    const made = make();
    const { code, err, megabytes } = made.endsWith('.json')
      ? run('replay', made)
      : run('estimate', '--reports', made, '--sources', made);
    expect(err).toMatch(message);
    expect(err).toContain(pathOf('a.'));
    expect(err.trim().split('\n')).toHaveLength(1);
    expect(code).toBe(2);
    expect(megabytes).toBeLessThan(MOST_MEMORY);
  },
);
