import { base64Of } from '../codec/base64';
import { codec, type Codec } from '../codec/codec';

/** In bytes, of both keys, and of the encapsulated key before a ciphertext. */
export const KEY_LENGTH = 32;

const PRIME = 2n ** 255n - 19n;
/**
 * The points of small order, by their u-coordinate as written, which may exceed the prime (Bernstein, "Curve25519", "Should I validate").
 */
const smallOrder: ReadonlySet<bigint> = new Set([
  0n,
  1n,
  0xb8495f16056286fdb1329ceb8d09da6ac49ff1fae35616aeb8413b7c7aebe0n,
  0x57119fd0dd4e22d8868e1c58c45c44045bef839c55b1d0b1248c50a3bc959c5fn,
  PRIME - 1n,
  PRIME,
  PRIME + 1n,
]);

/** Little-endian, without the highest bit (RFC 7748, section 5). */
const coordinateOf = (key: Uint8Array): bigint =>
  key.reduceRight((number, byte) => number * 256n + BigInt(byte), 0n) % 2n ** 255n;

const bytes = base64Of(KEY_LENGTH);

/**
 * An X25519 public key. For a point of small order, the shared secret is the same for everybody, so sealing refuses it (RFC 9180, section
 * 7.1.4).
 */
export const publicKey: Codec<Uint8Array> = codec(
  (place) => {
    const key = place.attempt(bytes);
    if (key !== null && smallOrder.has(coordinateOf(key))) place.expected('sealing-key');
    return key ?? new Uint8Array(KEY_LENGTH);
  },
  bytes.write,
  bytes.schema,
);
