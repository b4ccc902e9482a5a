import { chacha20 } from '@noble/ciphers/chacha';

/** Where every random decision comes from: independent, uniformly distributed 64-bit words. */
export interface RandomSource {
  uint64(): bigint;
}

/** A source over a generator that fills a buffer with random words, such as `crypto.getRandomValues`. */
export function bufferedRandomSource(fill: (words: BigUint64Array<ArrayBuffer>) => void): RandomSource {
  // One call for many words: getRandomValues costs the same for 8 bytes as for 512.
  const words = new BigUint64Array(64);
  let used = words.length;
  return {
    uint64() {
      if (used === words.length) {
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
 * A repeatable source, for debug mode and tests: the ChaCha20 key stream (RFC 8439) of a seed. Streams of one seed are
 * independent; giving each source registration its own makes a draw independent of what was drawn before it, and so
 * nothing but the seed has to survive a restart.
 */
export const seededRandomSource = (seed: string, stream: number): RandomSource =>
  seededRandomStreams(seed)(stream);

/** All streams of one seed, for whoever needs many. */
export function seededRandomStreams(seed: string): (stream: number) => RandomSource {
  const key = keyOf(seed);
  return (stream) => keyStream(key, stream);
}

function keyStream(key: Uint8Array, stream: number): RandomSource {
  const nonce = new Uint8Array(12);
  new DataView(nonce.buffer).setBigUint64(0, BigInt(stream), true);
  let block = 0;
  return bufferedRandomSource((words) => {
    const zeros = new Uint8Array(words.byteLength);
    const stream = chacha20(key, nonce, zeros, undefined, block);
    block += words.byteLength / 64;
    const view = new DataView(stream.buffer, stream.byteOffset);
    words.forEach((_, index) => (words[index] = view.getBigUint64(index * 8, true)));
  });
}

/** Spreads a seed of any length over a key: each 32 bytes of it are mixed in by one ChaCha20 block. */
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
