import { writeFileSync } from 'node:fs';
import { crc32, deflateRawSync, gzipSync } from 'node:zlib';
import { ZipPassThrough, zipSync } from 'fflate';
import { unbzipped } from '../../../cli/io/bzip2';
import { compressor } from '../../../cli/io/compression';
import { InputFiles } from '../../../cli/io/input-files';
import { eachRow } from '../../../cli/io/rows';
import { formOf } from '../../../cli/io/text-form';
import { unpackedXz } from '../../../cli/io/xz';
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

test.each<[string, string, boolean]>([
  ['UTF-16', 'utf16le', false],
  ['UTF-16 with its mark', 'utf16le', true],
  ['UTF-16, high bytes first', 'utf16be', false],
  ['UTF-16, high bytes first, with its mark', 'utf16be', true],
])('%s is read', async (_, encoding, hasMark) => {
  const bytes = Buffer.from(`${hasMark ? '\ufeff' : ''}${text}`, 'utf16le');
  expect(await rowsIn('a', encoding === 'utf16le' ? bytes : bytes.swap16())).toEqual(expected);
});

test.each(['名前,値\n一,二\n', '名前\t値\n', '名前\n一\n'])(
  'UTF-16 without its mark that begins with %j is named',
  async (table) => {
    const bytes = Buffer.from(table, 'utf16le');
    for (const one of [bytes, Buffer.from(bytes).swap16()])
      await expect(rowsIn('a.csv', one)).rejects.toThrow('a.csv: looks like UTF-16 text; save it as UTF-8');
  },
);

test('other control characters in the first line are named as such', async () => {
  await expect(rowsIn('a.csv', Buffer.from('name\u0001value\na\u0001b\n'))).rejects.toThrow(
    'a.csv: has control characters in its first line; expected text in UTF-8',
  );
});

test.each([true, false])('UTF-32 is named (with its mark: %p)', async (hasMark) => {
  const units = Array.from(`${hasMark ? '\ufeff' : ''}${text}`, (letter) => letter.codePointAt(0) ?? 0);
  const little = Buffer.from(Uint32Array.from(units).buffer);
  await expect(rowsIn('a', little)).rejects.toThrow('a: is UTF-32 text; save it as UTF-8');
  await expect(rowsIn('a', little.swap32())).rejects.toThrow('a: is UTF-32 text; save it as UTF-8');
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

/** As `bzip2` writes them: one block, two streams, and long runs. */
const bzip2 = {
  block: 'QlpoOTFBWSZTWRgWAjYAAAtZgAAQEAAwECIEAwogACEqBiN6oQNA0EoSiSREsThY18XckU4UJAYFgI2A',
  empty: 'QlpoORdyRThQkAAAAAA=',
  runs: 'QlpoOTFBWSZTWYY0E88AABJZgMAQUCAwECIEAwoACCAAMUwAE0EqDQMjalQaRXwUgRaBxxCJEMPOk/xdyRThQkIY0E88',
};

test.each([
  ['a block', [bzip2.block], 1],
  ['two streams', [bzip2.block, bzip2.block], 2],
  ['an empty stream', [bzip2.empty, bzip2.block], 1],
  ['long runs', [bzip2.runs], 1],
  ['zeros after it', [bzip2.block, 'AAAAAAA=', bzip2.block, 'AAAA'], 2],
])('bzip2 with %s is read', async (_, streams, times) => {
  const bytes = Buffer.concat(streams.map((stream) => Buffer.from(stream, 'base64')));
  const twice = [...expected, ...expected];
  expect(await rowsIn('a', bytes)).toEqual(twice.slice(0, 2 * times));
});

/** As `xz` writes them: one block with CRC-64 or SHA-256, an empty stream, long runs with CRC-32, and another filter before. */
const xz = {
  block:
    '/Td6WFoAAATm1rRGAgAhARYAAAB0L+Wj4AAZABVdAD2IisZULhiDdhLRBn9XMC3LNysAAAAAAABkg5UZsPVSqAABMRrjS7kbH7bzfQEAAAAABFla',
  sha: '/Td6WFoAAArh+wyhAgAhARYAAAB0L+Wj4AAZABVdAD2IisZULhiDdhLRBn9XMC3LNysAAAAAAADhV4DF9X7xctIVbQYXFaHfGwY3+Pp2Z+NsOel2y8qwRwABSRoduF/8GJtLmgEAAAAAClla',
  empty: '/Td6WFoAAATm1rRGAAAAABzfRCEftvN9AQAAAAAEWVo=',
  runs: '/Td6WFoAAAFpIt42AgAhARYAAAB0L+Wj4AFJAB1dAD2IisZULhiDdhLRBn9VoY5jPuKJOw4j/HXGgAAAAAAAANSrvuwAATXKAgAAADJ6Tp4+MA2LAgAAAAABWVo=',
  delta:
    '/Td6WFoAAATm1rRGAgEDAQEhARYcR3hWAQAZeyL7P/YU+a3VD/dM2f4Y+z/2FPmt1Q/4TNgAAABkg5UZsPVSqAABMhogGJQwH7bzfQEAAAAABFla',
};

test.each([
  ['a block', [xz.block], 1],
  ['SHA-256', [xz.sha], 1],
  ['two streams', [xz.block, xz.sha], 2],
  ['padding', [xz.block, 'AAAAAA==', xz.block], 2],
  ['an empty stream', [xz.empty, xz.block], 1],
  ['long runs', [xz.runs], 1],
])('xz with %s is read', async (_, streams, times) => {
  const bytes = Buffer.concat(streams.map((stream) => Buffer.from(stream, 'base64')));
  expect(await rowsIn('a', bytes)).toEqual([...expected, ...expected].slice(0, 2 * times));
});

test('xz with another filter is named', async () => {
  await expect(rowsIn('a', Buffer.from(xz.delta, 'base64'))).rejects.toThrow(
    'a: is compressed with xz with another filter; unpack it first (unxz)',
  );
});

test('xz with a window above 64 MiB is named', async () => {
  const bytes = Buffer.from(xz.block, 'base64');
  bytes[16] = 0x1d;
  bytes.writeUInt32LE(crc32(bytes.subarray(12, 20)), 20);
  await expect(rowsIn('a', bytes)).rejects.toThrow(
    'a: is compressed with xz with a window above 64 MiB; unpack it first (unxz)',
  );
});

/** How many bytes of arrays are made while something runs. */
async function bytesMade(run: () => Promise<unknown>): Promise<number> {
  const kinds = { Uint8Array, Uint32Array };
  let bytes = 0;
  const counting = <T extends object>(kind: T): T =>
    new Proxy(kind, {
      construct(target, given: unknown[]) {
        const made = Reflect.construct(target as new () => object, given) as Uint8Array;
        if (typeof given[0] === 'number') bytes += made.byteLength;
        return made;
      },
    });
  Object.assign(globalThis, {
    Uint8Array: counting(kinds.Uint8Array),
    Uint32Array: counting(kinds.Uint32Array),
  });
  try {
    await run();
  } finally {
    Object.assign(globalThis, kinds);
  }
  return bytes;
}

async function* piecesOf(stream: string, times: number): AsyncGenerator<Uint8Array> {
  for (let count = 0; count < times; count++) yield await Promise.resolve(Buffer.from(stream, 'base64'));
}

test.each([
  ['bzip2', unbzipped, bzip2.block],
  ['xz', unpackedXz, xz.block],
] as const)('%s with many blocks takes the memory that they need', async (_, unpack, stream) => {
  let read = 0;
  const made = await bytesMade(async () => {
    for await (const piece of unpack(piecesOf(stream, 200))) read += piece.length;
  });
  expect(read).toBe(200 * text.length);
  // Each block says that it has up to 900 kB, or refers back by up to 8 MiB.
  expect(made).toBeLessThan(200 * 20_000);
});

test.each([
  ['bzip2', unbzipped, bzip2.block],
  ['xz', unpackedXz, xz.block],
] as const)('%s closes its file when reading stops early, and when it fails', async (_, unpack, stream) => {
  let closed = 0;
  async function* bytes(end: string): AsyncGenerator<Uint8Array> {
    try {
      yield* piecesOf(stream, 2);
      for (;;) yield await Promise.resolve(Buffer.from(end.repeat(3_000_000)));
    } finally {
      closed += 1;
    }
  }
  for await (const piece of unpack(bytes('x'))) {
    expect(piece.length).toBeGreaterThan(0);
    break;
  }
  expect(closed).toBe(1);
  await expect(
    (async () => {
      for await (const piece of unpack(bytes('x'))) expect(piece.length).toBeGreaterThan(0);
    })(),
  ).rejects.toThrow('has something else');
  expect(closed).toBe(2);
});

test.each(['csv', 'tsv'])('a .%s.bz2 or .xz is a table, even with one column', (format) => {
  for (const packing of ['bz2', 'xz'])
    expect(formOf('value\n1\n', `a.${format}.${packing}`)).toEqual({
      kind: 'table',
      delimiter: format === 'csv' ? ',' : '\t',
    });
});

// A few bits of bzip2 say nothing, such as the length of a code that no symbol has.
test.each([
  ['bzip2', bzip2.block, 10, /: is damaged bzip2: /, 0.8],
  ['bzip2', bzip2.runs, 10, /: is damaged bzip2: /, 0.8],
  ['xz', xz.block, 6, /: is (damaged xz: |compressed with xz with )/, 0.999],
  ['xz', xz.runs, 6, /: is (damaged xz: |compressed with xz with )/, 0.999],
])(
  '%s of which any bit was changed, or that was cut off, has no other content',
  async (name, packed, begin, damaged, least) => {
    const right = Buffer.from(packed, 'base64');
    let refused = 0;
    for (let bit = 8 * begin; bit < 8 * right.length; bit++) {
      const bytes = changed(Buffer.from(right), bit >> 3, (byte) => byte ^ (0x80 >> (bit & 7)));
      const read: unknown = await rowsIn('a', bytes).catch((error: unknown) => error);
      if (read instanceof Error) {
        expect(read.message).toMatch(damaged);
        refused += 1;
      } else expect(read).toEqual(expected);
    }
    expect(refused / (8 * (right.length - begin))).toBeGreaterThan(least);
    for (let length = begin; length < right.length; length++)
      await expect(rowsIn('a', right.subarray(0, length))).rejects.toThrow(
        `is damaged ${name}: ends too early`,
      );
    await expect(rowsIn('a', Buffer.concat([right, Buffer.from('more of it, and more')]))).rejects.toThrow(
      `is damaged ${name}: has something else`,
    );
  },
);

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

test('the older format of LZMA is named, and not taken for UTF-16', async () => {
  // What `xz --format=lzma` begins with: properties, 8 MiB of memory, an unknown length.
  const lzma = Uint8Array.of(0x5d, 0, 0, 0x80, 0, ...Array.from({ length: 8 }, () => 0xff), 0, 0x3d);
  await expect(rowsIn('a.ndjson', lzma)).rejects.toThrow(
    'is compressed with LZMA; compress it with xz or gzip',
  );
});
