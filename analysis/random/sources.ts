import type { RandomSource } from '../../src/privacy/random-source';
import { BLOCK_WORDS, chachaBlock, KEY_WORDS } from './chacha-block';

/**
 * A source over a function that fills a buffer with random words, such as `crypto.getRandomValues`, which costs the same for 8 bytes as for 512.
 * @param size how many words the buffer has.
 */
export function bufferedRandomSource(
  fill: (words: BigUint64Array<ArrayBuffer>) => void,
  size = 64,
): RandomSource {
  // Made with the first draw: many registrations draw nothing.
  let words = new BigUint64Array(0);
  let used = 0;
  return {
    uint64() {
      if (used === words.length) {
        if (words.length === 0) words = new BigUint64Array(size);
        fill(words);
        used = 0;
      }
      const word = words[used] ?? 0n;
      words[used] = 0n;
      used += 1;
      return word;
    },
  };
}

/**
 * A repeatable source for debug mode and tests: the ChaCha20 key stream (RFC 8439) of a seed. Streams are independent. Each
 * source registration has its own, so a draw does not depend on earlier ones, and only the seed must survive a restart.
 */
export const seededRandomSource = (seed: string, stream: number): RandomSource =>
  seededRandomStreams(seed)(stream);

/** Each numbers its streams itself: by log entries, by reports, by calls of W3C Attribution; a split has one. */
const uses = { engine: 0, sealing: 1, w3c: 2, split: 3 } as const;

export type RandomUse = keyof typeof uses;

/** @param use streams of one use are independent of all those of another */
export function seededRandomStreams(
  seed: string,
  use: RandomUse = 'engine',
): (stream: number) => RandomSource {
  const key = keyOf(seed);
  return (stream) => keyStream(key, stream, uses[use]);
}

/** One block at a time, made with the first draw: most registrations draw nothing, or a word. */
function keyStream(key: Int32Array, stream: number, use: number): RandomSource {
  let block: Int32Array | null = null;
  let counter = 0;
  let used = BLOCK_WORDS;
  return {
    uint64() {
      block ??= new Int32Array(BLOCK_WORDS);
      if (used === BLOCK_WORDS) {
        chachaBlock(key, counter++, [stream | 0, Math.floor(stream / 2 ** 32), use], block);
        used = 0;
      }
      const word = wordIn(block, used);
      block[used] = block[used + 1] = 0;
      used += 2;
      return word;
    },
  };
}

/** RFC 8439, 2.3: the words of a block are written with their lowest byte first. */
const wordIn = (words: Int32Array, index: number): bigint =>
  (BigInt((words[index + 1] ?? 0) >>> 0) << 32n) | BigInt((words[index] ?? 0) >>> 0);

const CHUNK_BYTES = 4 * KEY_WORDS;

/** A key from a seed of any length: one ChaCha20 block mixes in each 32 bytes. */
function keyOf(seed: string): Int32Array {
  const text = new TextEncoder().encode(seed);
  const key = new Int32Array(KEY_WORDS);
  for (let start = 0; start <= text.length; start += CHUNK_BYTES) {
    const chunk = new Uint8Array(CHUNK_BYTES);
    chunk.set(text.subarray(start, start + CHUNK_BYTES));
    const words = new DataView(chunk.buffer);
    const nonce = [Math.min(text.length - start, CHUNK_BYTES), 0, 0];
    chachaBlock(key, 0, nonce, key);
    for (let word = 0; word < KEY_WORDS; word++)
      key[word] = (key[word] ?? 0) ^ words.getInt32(4 * word, true);
    chachaBlock(key, 1, nonce, key);
  }
  return key;
}

/** Beyond the streams of registrations: a seed's secret, from which the arms of lift tests are drawn. */
const SECRET_STREAM = 2 ** 53 - 7;

/** The secret of a seed, as a device without a seed draws it once and keeps it. */
export const seededSecret = (random: (stream: number) => RandomSource): string =>
  newSecret(random(SECRET_STREAM));

/** 256 random bits, as hexadecimal digits. */
export const newSecret = (random: RandomSource): string =>
  Array.from({ length: 4 }, () => random.uint64().toString(16).padStart(16, '0')).join('');

/** Randomness for each text, the same whenever a device draws it. Nobody can foresee it without the secret. */
export const lotsOf =
  (secret: string) =>
  (text: string): RandomSource =>
    seededRandomSource(JSON.stringify([secret, text]), 0);
