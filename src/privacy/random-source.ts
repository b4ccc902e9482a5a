import { chacha20 } from '@noble/ciphers/chacha';

import type { RealBounds } from './real-bounds';

/** The source of every random decision: independent, uniform 64-bit words. */
export interface RandomSource {
  /** A uniform number from 0 to 2^64 − 1. */
  uint64(): bigint;
  /**
   * Takes a decision itself: returns an index into the probabilities of the possible results. Only the audit has it, to go through
   * all results; without it, words decide.
   */
  readonly decide?: (probabilities: readonly RealBounds[]) => number;
}

/**
 * A source over a function that fills a buffer with random words, such as `crypto.getRandomValues`, which costs the same for 8 bytes as for 512.
 * @param first how many words the first buffer has.
 * @param size how many each later one has.
 */
export function bufferedRandomSource(
  fill: (words: BigUint64Array<ArrayBuffer>) => void,
  first = 64,
  size = first,
): RandomSource {
  // Made with the first draw: many registrations draw nothing.
  let words = new BigUint64Array(0);
  let used = 0;
  return {
    uint64() {
      if (used === words.length) {
        const next = used === 0 ? first : size;
        if (words.length !== next) words = new BigUint64Array(next);
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

export function seededRandomStreams(seed: string): (stream: number) => RandomSource {
  const key = keyOf(seed);
  return (stream) => keyStream(key, stream);
}

/** Most registrations draw fewer. */
const WORDS_OF_BLOCK = 8;
/** Who draws more than one block mostly draws many, and a call takes much longer than a block. */
const LATER_BLOCKS = 16;

const ZEROS = new Uint8Array(8 * WORDS_OF_BLOCK * LATER_BLOCKS);

/** Shared by all streams: to make them anew for each call takes longer than to fill them. */
const nonce = new DataView(new ArrayBuffer(12));
const bytes = new DataView(new ArrayBuffer(ZEROS.length));
const [nonceBytes, keyBytes] = [new Uint8Array(nonce.buffer), new Uint8Array(bytes.buffer)];

function keyStream(key: Uint8Array, stream: number): RandomSource {
  let block = 0;
  return bufferedRandomSource(
    (words) => {
      nonce.setBigUint64(0, BigInt(stream), true);
      const length = 8 * words.length;
      chacha20(key, nonceBytes, ZEROS.subarray(0, length), keyBytes.subarray(0, length), block);
      block += words.length / WORDS_OF_BLOCK;
      for (let index = 0; index < words.length; index++) words[index] = bytes.getBigUint64(index * 8, true);
      keyBytes.fill(0, 0, length);
    },
    WORDS_OF_BLOCK,
    WORDS_OF_BLOCK * LATER_BLOCKS,
  );
}

/** A key from a seed of any length: one ChaCha20 block mixes in each 32 bytes. */
function keyOf(seed: string): Uint8Array {
  const text = new TextEncoder().encode(seed);
  let key = new Uint8Array(32);
  for (let start = 0; start <= text.length; start += 32) {
    const chunk = new Uint8Array(32);
    chunk.set(text.subarray(start, start + 32));
    const nonce = new Uint8Array(12);
    new DataView(nonce.buffer).setUint32(0, Math.min(text.length - start, 32), true);
    const mixed = chacha20(key, nonce, new Uint8Array(32), undefined, 0);
    key = mixed.map((byte, index) => byte ^ (chunk[index] ?? 0));
    key = chacha20(key, nonce, new Uint8Array(32), undefined, 1) as Uint8Array<ArrayBuffer>;
  }
  return key;
}
