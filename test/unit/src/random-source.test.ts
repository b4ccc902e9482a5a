import { createCipheriv } from 'node:crypto';
import { type RandomSource } from '../../../src/privacy/random-source';
import { bufferedRandomSource, seededRandomSource } from '../../../analysis/random/sources';

const take = (source: RandomSource, count: number): bigint[] =>
  Array.from({ length: count }, () => source.uint64());

/** Node's own ChaCha20, whose initialisation vector is the little-endian block counter and then the nonce. */
function chacha20(key: Uint8Array, nonce: Uint8Array, block: number, data: Uint8Array): Buffer {
  const counter = Buffer.alloc(4);
  counter.writeUInt32LE(block);
  return createCipheriv('chacha20', key, Buffer.concat([counter, nonce])).update(data);
}

/** The documented derivation, over Node's cipher: every 32 bytes of the seed are mixed into the key by one block. */
function expectedWords(seed: string, stream: number, count: number): bigint[] {
  const text = Buffer.from(seed, 'utf8');
  let key = Buffer.alloc(32);
  for (let start = 0; start <= text.length; start += 32) {
    const chunk = Buffer.alloc(32);
    text.copy(chunk, 0, start, Math.min(start + 32, text.length));
    const nonce = Buffer.alloc(12);
    nonce.writeUInt32LE(Math.min(text.length - start, 32));
    const mixed = chacha20(key, nonce, 0, Buffer.alloc(32));
    const sum = Buffer.from(mixed.map((byte, index) => byte ^ (chunk[index] ?? 0)));
    key = Buffer.from(chacha20(sum, nonce, 1, Buffer.alloc(32)));
  }
  const nonce = Buffer.alloc(12);
  nonce.writeBigUInt64LE(BigInt(stream));
  const keyStream = chacha20(key, nonce, 0, Buffer.alloc(count * 8));
  return Array.from({ length: count }, (_, index) => keyStream.readBigUInt64LE(index * 8));
}

describe('a seeded source', () => {
  // 200 words are more than the first block and the first call for many, and so cross block counters.
  test.each([
    ['', 0],
    ['', 1],
    ['a', 0],
    ['a', 2 ** 40 + 1],
    ['exactly thirty-two bytes of seed', 3],
    ['thirty-three bytes of seed, or so', 3],
    ['grüße, 世界 🌍', 7],
    ['x'.repeat(200), Number.MAX_SAFE_INTEGER],
  ])('is the ChaCha20 key stream of its seed: %j, stream %s', (seed, stream) => {
    expect(take(seededRandomSource(seed, stream), 200)).toEqual(expectedWords(seed, stream, 200));
  });

  test('repeats itself for the same seed and stream', () => {
    expect(take(seededRandomSource('seed', 5), 100)).toEqual(take(seededRandomSource('seed', 5), 100));
  });

  test('differs for every seed and stream', () => {
    const seeds = ['', 'a', 'b', 'aa', 'a\0', '\0', '\0\0', 'x'.repeat(31), 'x'.repeat(32), 'x'.repeat(33)];
    const streams = [0, 1, 2, 255, 256, 2 ** 32, 2 ** 32 + 1];
    const firsts = seeds.flatMap((seed) =>
      streams.map((stream) => take(seededRandomSource(seed, stream), 2).join()),
    );
    expect(new Set(firsts).size).toBe(seeds.length * streams.length);
  });
});

test('a buffered source hands out every word once, in order, filling 64 at a time', () => {
  let next = 0n;
  let fills = 0;
  const source = bufferedRandomSource((words) => {
    fills += 1;
    expect(words).toHaveLength(64);
    words.forEach((_, index) => (words[index] = next++));
  });
  expect(fills).toBe(0);
  expect(take(source, 130)).toEqual(Array.from({ length: 130 }, (_, index) => BigInt(index)));
  expect(fills).toBe(3);
});

test('a buffered source forgets the words that it handed out', () => {
  let buffer = new BigUint64Array(0);
  const source = bufferedRandomSource((words) => {
    buffer = words;
    words.fill(7n);
  });
  take(source, 3);
  expect([...buffer.subarray(0, 4)]).toEqual([0n, 0n, 0n, 7n]);
});
