import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { SIGNATURE_LENGTH, signatureOf, type Packing } from '../../node/encoding';
import { PackingError } from './packing-error';

type Bytes = AsyncIterable<Uint8Array>;

/** A ZIP archive of a compressed file of UTF-16 has three; more are hardly meant. */
const MOST_LAYERS = 3;

/**
 * The UTF-8 text in a file, whatever its name: unpacked and decoded as the first bytes show, only as many at a time as the reader asks for.
 * @param bounded passes bytes on, and refuses too many.
 */
export async function* unpacked(
  bytes: Bytes,
  bounded: (bytes: Bytes) => Bytes,
  layers = MOST_LAYERS,
): AsyncGenerator<Uint8Array, void, undefined> {
  const [beginning, whole] = await begun(bytes, SIGNATURE_LENGTH);
  const found = signatureOf(beginning);
  if (found === null) {
    yield* whole;
    return;
  }
  const isWhole = layers === MOST_LAYERS;
  if (found.packing === null || layers === 0)
    throw new PackingError(`${isWhole ? '' : 'what is in it '}${found.what}; ${found.remedy}`);
  yield* unpacked(bounded(unpackers[found.packing](whole)), bounded, layers - 1);
}

/** The first bytes, at least so many if there are, and all bytes. */
export async function begun(bytes: Bytes, length: number): Promise<readonly [Uint8Array, Bytes]> {
  const iterator: AsyncIterator<Uint8Array, unknown> = bytes[Symbol.asyncIterator]();
  const parts: Uint8Array[] = [];
  for (let found = 0; found < length;) {
    const next = await iterator.next();
    if (next.done === true) break;
    parts.push(next.value);
    found += next.value.length;
  }
  const beginning = Buffer.concat(parts);
  return [beginning, continued(beginning, iterator)];
}

async function* continued(
  beginning: Uint8Array,
  iterator: AsyncIterator<Uint8Array, unknown>,
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    if (beginning.length > 0) yield beginning;
    for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) yield next.value;
  } finally {
    await iterator.return?.();
  }
}

const unpackers: Readonly<Record<Packing, (bytes: Bytes) => Bytes>> = {
  // The reader of the last stream gets the error; the empty callback prevents a second throw.
  gzip: (bytes) => pipeline(Readable.from(bytes, { objectMode: false }), createGunzip(), () => undefined),
  bzip2: loaded(async () => (await import('./bzip2')).unbzipped),
  xz: loaded(async () => (await import('./xz')).unpackedXz),
  zstd: loaded(async () => (await import('./zstd')).unpackedFrames),
  zip: loaded(async () => (await import('./zip')).unzipped),
  'utf-16le': (bytes) => decoded(bytes, 'utf-16le'),
  'utf-16be': (bytes) => decoded(bytes, 'utf-16be'),
};

/** Few inputs are packed in these ways, and every start would pay for the code. */
function loaded(load: () => Promise<(bytes: Bytes) => Bytes>): (bytes: Bytes) => Bytes {
  return async function* (bytes) {
    const unpack = await load();
    yield* unpack(bytes);
  };
}

async function* decoded(bytes: Bytes, encoding: string): AsyncGenerator<Uint8Array, void, undefined> {
  const decoder = new TextDecoder(encoding, { fatal: true });
  for await (const some of bytes) yield Buffer.from(decoder.decode(some, { stream: true }));
  yield Buffer.from(decoder.decode());
}
