import { NO_SEAL } from './eligibility-mark';

/**
 * A document's seal proves that its origin wrote a mark, and not a server that redirects a request or another origin's document. Those without
 * an origin have none, because all of them could use it. It is a random number and its MAC for the document's origin, under a key that only the extension knows. So the background keeps nothing about documents
 * to verify it, and a document that reads its own seal can tell no browser by it, because each document has another.
 */

/** The part of `runtime` that content scripts have as well. */
export interface Runtime {
  getURL(path: string): string;
  /** Chrome's random id of an extension, new whenever the browser starts. It serves web-accessible resources, and Cointoss has none. */
  readonly dynamicId?: string;
}

/** The two halves of a SipHash key. */
export type SealKey = readonly [bigint, bigint];

/** The key, or null where the browser offers none at once. In Firefox it is made of the extension's address, which differs on each device. */
export function sealKeyOf(runtime: Runtime): SealKey | null {
  const id = runtime.dynamicId ?? /^moz-extension:\/\/([^/]*)/.exec(runtime.getURL(''))?.[1] ?? '';
  const digits = id.replaceAll('-', '');
  return /^[\da-f]{32}$/.test(digits)
    ? [BigInt(`0x${digits.slice(0, 16)}`), BigInt(`0x${digits.slice(16)}`)]
    : null;
}

/**
 * A new seal.
 * @param origin of the document, as `self.origin` says: `null` if it is opaque
 * @param nonce random
 */
export const sealFor = (key: SealKey | null, origin: string, nonce: bigint): string =>
  key === null || origin === 'null' ? NO_SEAL : hex(nonce) + macOf(key, hex(nonce), origin);

/** Whether a document of this origin got this seal. */
export function isSealFor(key: SealKey | null, seal: string, origin: string): boolean {
  const nonce = seal.slice(0, 16);
  return key !== null && seal === nonce + macOf(key, nonce, origin);
}

const macOf = (key: SealKey, nonce: string, origin: string): string =>
  hex(sipHash(key, new TextEncoder().encode(`${nonce} ${origin}`)));

const hex = (number: bigint): string => number.toString(16).padStart(16, '0');

const MASK = (1n << 64n) - 1n;

const rotated = (word: bigint, bits: bigint): bigint => ((word << bits) | (word >> (64n - bits))) & MASK;

/** SipHash-2-4 (Aumasson and Bernstein, 2012). WebCrypto's MACs are asynchronous, and a page's first script must find the seal. */
export function sipHash([k0, k1]: SealKey, message: Uint8Array): bigint {
  let v0 = k0 ^ 0x736f6d6570736575n;
  let v1 = k1 ^ 0x646f72616e646f6dn;
  let v2 = k0 ^ 0x6c7967656e657261n;
  let v3 = k1 ^ 0x7465646279746573n;
  const rounds = (count: number): void => {
    for (let round = 0; round < count; round++) {
      v0 = (v0 + v1) & MASK;
      v1 = rotated(v1, 13n) ^ v0;
      v0 = rotated(v0, 32n);
      v2 = (v2 + v3) & MASK;
      v3 = rotated(v3, 16n) ^ v2;
      v0 = (v0 + v3) & MASK;
      v3 = rotated(v3, 21n) ^ v0;
      v2 = (v2 + v1) & MASK;
      v1 = rotated(v1, 17n) ^ v2;
      v2 = rotated(v2, 32n);
    }
  };
  // The last block has the length in its last byte.
  const padded = new Uint8Array((Math.floor(message.length / 8) + 1) * 8);
  padded.set(message);
  padded[padded.length - 1] = message.length & 0xff;
  const blocks = new DataView(padded.buffer);
  for (let offset = 0; offset < padded.length; offset += 8) {
    const block = blocks.getBigUint64(offset, true);
    v3 ^= block;
    rounds(2);
    v0 ^= block;
  }
  v2 ^= 0xffn;
  rounds(4);
  return v0 ^ v1 ^ v2 ^ v3;
}
