import { sha256 } from '@noble/hashes/sha2.js';

const FIRST = 100_000;
const ROUNDS = 6;

/**
 * The id of the nth report, from 1 on: no two get the same one. To whom does not know the key, ids in order would say in which order reports were
 * made, and gaps how many, and so which are fake. Up to 900,000 reports have six digits.
 */
export function scatteredId(key: Uint8Array, nth: number): number {
  let [first, before] = [FIRST, 0];
  while (nth - before > 9 * first) {
    before += 9 * first;
    first *= 10;
  }
  return first + permuted(key, nth - before - 1, 9 * first);
}

/** A permutation of the numbers below `size`: a Feistel network of twice `bits` bits, repeated until the result is below. */
function permuted(key: Uint8Array, number: number, size: number): number {
  const bits = Math.ceil(Math.log2(size) / 2);
  const half = 2 ** bits;
  let result = number;
  do {
    let [left, right] = [Math.floor(result / half), result % half];
    for (let round = 0; round < ROUNDS; round++)
      [left, right] = [right, (left + keyed(key, size, round, right)) % half];
    result = left * half + right;
  } while (result >= size);
  return result;
}

/** 32 bits that nobody can tell from random ones without the key. */
function keyed(key: Uint8Array, size: number, round: number, value: number): number {
  const text = new TextEncoder().encode(` ${size} ${round} ${value}`);
  const input = new Uint8Array(key.length + text.length);
  input.set(key);
  input.set(text, key.length);
  return new DataView(sha256(input).buffer).getUint32(0);
}
