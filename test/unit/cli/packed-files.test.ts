import { writeFileSync } from 'node:fs';
import { deflateRawSync, gzipSync } from 'node:zlib';
import { ZipPassThrough, zipSync } from 'fflate';
import { compressor } from '../../../cli/io/compression';
import { InputFiles } from '../../../cli/io/input-files';
import { eachRow } from '../../../cli/io/rows';
import { formOf } from '../../../cli/io/text-form';
import { signatureOf } from '../../../node/encoding';
import type { Json } from '../../../src/model/json';
import { useCommands } from '../helpers/command';
import { zipStream } from '../helpers/zip-stream';

/* Packed files whose content was changed after they were packed, and texts that begin as a format does. */

const { pathOf } = useCommands();

async function rowsIn(name: string, content: Uint8Array | string): Promise<Json[]> {
  writeFileSync(pathOf(name), content);
  const rows: Json[] = [];
  for await (const { value } of eachRow(new InputFiles([pathOf(name)]))) rows.push(value);
  return rows;
}

const text = '{"value":11}\n{"value":12}\n';
const expected: readonly Json[] = [{ value: 11 }, { value: 12 }];

/** With sizes of 64 bits, as for more than 4 GB (4.5.3). */
function wideZip(content: string): Buffer {
  const packed = deflateRawSync(content);
  const narrow = Buffer.from(zipSync({ a: Buffer.from(content) }));
  const header = Buffer.from(narrow.subarray(0, 30));
  header.writeUInt32LE(0xffffffff, 18);
  header.writeUInt32LE(0xffffffff, 22);
  header.writeUInt16LE(20, 28);
  const extra = Buffer.alloc(20);
  extra.writeUInt16LE(1, 0);
  extra.writeUInt16LE(16, 2);
  extra.writeBigUInt64LE(BigInt(content.length), 4);
  extra.writeBigUInt64LE(BigInt(packed.length), 12);
  return Buffer.concat([header, Buffer.from('a'), extra, packed, Buffer.from('PK\u0001\u0002')]);
}

const stored = (): Buffer => Buffer.from(zipSync({ 'a.ndjson': Buffer.from(text) }, { level: 0 }));
const deflated = (): Buffer => Buffer.from(zipSync({ 'a.ndjson': Buffer.from(text) }));

function changed(bytes: Buffer, at: number, to: (byte: number) => number): Buffer {
  bytes[at] = to(bytes[at] ?? 0);
  return bytes;
}
const another = (byte: number): number => byte ^ 1;

test.each<[string, () => Buffer]>([
  ['stored', stored],
  ['deflated', deflated],
  ['written into a pipe', () => zipStream('a', text)],
  ['with sizes of 64 bits', () => wideZip(text)],
  ['with a folder', () => Buffer.from(zipSync({ 'b/': new Uint8Array(), 'b/a': Buffer.from(text) }))],
])('a ZIP archive %s is read', async (_, zip) => {
  expect(await rowsIn('a.zip', zip())).toEqual(expected);
});

test.each<[string, () => Buffer, string]>([
  [
    'a stored byte',
    () => changed(stored(), stored().indexOf('12'), another),
    'differs from its checksum or size',
  ],
  ['a checksum', () => changed(deflated(), 14, another), 'differs from its checksum or size'],
  ['a size', () => changed(deflated(), 22, another), 'differs from its checksum or size'],
  [
    'a checksum after the content',
    () => {
      const zip = zipStream('a', text);
      return changed(zip, zip.indexOf('PK\u0007\u0008') + 4, another);
    },
    'differs from its checksum or size',
  ],
  [
    'a size after the content',
    () => {
      const zip = zipStream('a', text);
      return changed(zip, zip.indexOf('PK\u0007\u0008') + 12, another);
    },
    'differs from its checksum or size',
  ],
  [
    'what comes after the content',
    () => changed(stored(), stored().lastIndexOf('PK\u0001\u0002'), another),
    'has something else',
  ],
  ['the length', () => deflated().subarray(0, 50), 'ends too early'],
  [
    'the encryption',
    () => changed(stored(), 6, (byte) => byte | 1),
    'is an encrypted ZIP archive; unpack it first (unzip)',
  ],
  [
    'the method',
    () => changed(stored(), 8, () => 9),
    'is a ZIP archive with compression method 9; unpack it first (unzip)',
  ],
  ['the compressed data', () => changed(deflated(), 38, () => 7), 'has a file that cannot be unpacked'],
  [
    'nothing, but no sizes',
    () => zipStream('a', text, ZipPassThrough),
    'is a ZIP archive with a stored file without a size',
  ],
])('a ZIP archive that differs in %s is refused', async (_, zip, message) => {
  await expect(rowsIn('a.zip', zip())).rejects.toThrow(message);
});

test('gzip whose content, checksum or size was changed is refused', async () => {
  const zipped = (): Buffer => Buffer.from(gzipSync(text, { level: 0 }));
  for (const at of [zipped().indexOf('12'), -8, -4]) {
    const bytes = changed(zipped(), at < 0 ? zipped().length + at : at, another);
    await expect(rowsIn('a.gz', bytes)).rejects.toThrow(
      /a\.gz: cannot be read: incorrect (data|length) check/,
    );
  }
  await expect(rowsIn('a.gz', Buffer.concat([zipped(), Buffer.from('more')]))).rejects.toThrow(
    'a.gz: cannot be read',
  );
});

test('Zstandard whose content or checksum was changed is refused', async () => {
  const frame = (checksum: readonly number[]): Buffer =>
    Buffer.concat([
      Buffer.of(0x28, 0xb5, 0x2f, 0xfd, 0x24, text.length, (text.length << 3) | 1, 0, 0),
      Buffer.from(text),
      Buffer.from(checksum),
    ]);
  // As `zstd` writes it: the lower half of XXH64.
  const right = [0xdd, 0xe7, 0x1d, 0xa1];
  const twice = [...expected, ...expected];
  expect(await rowsIn('a.zst', Buffer.concat([frame(right), frame(right)]))).toEqual(twice);
  const wrong = /a\.zst: cannot be read: a frame that differs from its checksum or size/;
  for (const bytes of [frame([0, 0, 0, 0]), changed(frame(right), frame(right).indexOf('12'), another)]) {
    await expect(rowsIn('a.zst', bytes)).rejects.toThrow(wrong);
    await expect(rowsIn('a.zst', Buffer.concat([bytes, frame(right)]))).rejects.toThrow(wrong);
  }
  const packed = Buffer.from((await compressor('zstd'))(Buffer.from(text)));
  expect(await rowsIn('a.zst', packed)).toEqual(expected);
});

test.each<[string, string, string, Json]>([
  ['Parquet', 'a.csv', 'PAR1,b\n1,2\n', { PAR1: '1', b: '2' }],
  ['bzip2', 'a', 'BZh9,b\n1,2\n', { BZh9: '1', b: '2' }],
  ['a list', 'a', '[id],[value]\n1,2\n', { '[id]': '1', '[value]': '2' }],
  ['a list of numbers', 'a.csv', '[0],[1]\n1,2\n', { '[0]': '1', '[1]': '2' }],
  ['an object', 'a.txt', '{id},b\n1,2\n', { '{id}': '1', b: '2' }],
  ['an object, in tabs', 'a.tsv', '{id}\tb\n1\t2\n', { '{id}': '1', b: '2' }],
  ['nothing: its first column has no name', 'a', '\tb\n0\t2\n', { '': '0', b: '2' }],
  ['an empty line', 'a', '\n\nb\tc\n0\t2\n', { b: '0', c: '2' }],
])('a table that begins as %s does is a table', async (_, name, content, row) => {
  expect(await rowsIn(name, content)).toEqual([row]);
});

test.each<[string, string, string]>([
  ['a', '[1, 2]', 'list'],
  ['a', '["x", "y"]', 'list'],
  ['a.csv', ' [ {"a":1,"b":2}]', 'list'],
  ['a.csv', '{ "a":1,"b":2}', 'lines'],
  ['a.csv', '{"a":1,"b":2}', 'lines'],
  ['a.ndjson', '{a: 1, b: 2}', 'lines'],
  ['a.json', "[{'a': 1, 'b': 2}]", 'list'],
])('%s with %s is JSON', (name, content, kind) => {
  expect(formOf(content, name).kind).toBe(kind);
});

test('Parquet and bzip2 are recognised by their structure', () => {
  const beginning = (text: string): string | undefined => signatureOf(Buffer.from(text, 'latin1'))?.what;
  expect(beginning('PAR1\u0015\u0004')).toBe('is Parquet');
  expect(beginning('BZh91AY&SY')).toBe('is compressed with bzip2');
  expect(beginning('BZh1\u0017rE8P\u0090')).toBe('is compressed with bzip2');
});
