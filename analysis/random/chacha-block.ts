/** How many 32-bit words a key and a block have. */
export const KEY_WORDS = 8;
export const BLOCK_WORDS = 16;

/** RFC 8439, 2.3: "expand 32-byte k". */
const CONSTANTS = [0x61707865, 0x3320646e, 0x79622d32, 0x6b206574];
const DOUBLE_ROUNDS = 10;

/** Shared by all calls: each fills both whole. */
const state = new Int32Array(BLOCK_WORDS);
const mixed = new Int32Array(BLOCK_WORDS);

/**
 * One block of the ChaCha20 key stream (RFC 8439, 2.3), as words.
 * @param nonce three words.
 * @param into receives the first words of the block. It can be the key.
 */
export function chachaBlock(
  key: Int32Array,
  counter: number,
  nonce: readonly number[],
  into: Int32Array,
): void {
  state.set(CONSTANTS);
  state.set(key, 4);
  state[12] = counter;
  state.set(nonce, 13);
  mixed.set(state);
  for (let round = 0; round < DOUBLE_ROUNDS; round++) {
    quarterRound(0, 4, 8, 12);
    quarterRound(1, 5, 9, 13);
    quarterRound(2, 6, 10, 14);
    quarterRound(3, 7, 11, 15);
    quarterRound(0, 5, 10, 15);
    quarterRound(1, 6, 11, 12);
    quarterRound(2, 7, 8, 13);
    quarterRound(3, 4, 9, 14);
  }
  for (let word = 0; word < into.length; word++) into[word] = at(mixed, word) + at(state, word);
  state.fill(0);
  mixed.fill(0);
}

/** RFC 8439, 2.1. */
function quarterRound(a: number, b: number, c: number, d: number): void {
  let x = at(mixed, a);
  let y = at(mixed, b);
  let z = at(mixed, c);
  let w = at(mixed, d);
  x = (x + y) | 0;
  w = rotated(w ^ x, 16);
  z = (z + w) | 0;
  y = rotated(y ^ z, 12);
  x = (x + y) | 0;
  w = rotated(w ^ x, 8);
  z = (z + w) | 0;
  y = rotated(y ^ z, 7);
  mixed[a] = x;
  mixed[b] = y;
  mixed[c] = z;
  mixed[d] = w;
}

const rotated = (word: number, bits: number): number => (word << bits) | (word >>> (32 - bits));

const at = (words: Int32Array, index: number): number => words[index] ?? 0;
