import { fromBase64Url, toBase64Url } from '../codec/base64-url';
import { plain, type Codec } from '../codec/codec';

// oxlint-disable-next-line no-restricted-globals -- all that is used of it depends on its arguments alone
const { subtle } = crypto;

/** The length of the key's modulus, and so of a signature. */
export const MODULUS_BYTES = 256;

/**
 * The SubjectPublicKeyInfo that RFC 9578 demands for token type 0x0002, around the modulus: RSASSA-PSS with SHA-384, MGF1 with SHA-384 and a
 * salt of 48 bytes, a modulus of 2048 bits, and the exponent 65537. Browsers cannot import it, so we take the modulus out.
 */
const BEFORE = Uint8Array.from(
  (
    '30820152' +
    '303d06092a864886f70d01010a3030a00d300b0609608648016503040202a11a301806092a864886f70d010108300b0609608648016503040202a203020130' +
    '0382010f003082010a0282010100'
  ).match(/../g) ?? [],
  (digits) => parseInt(digits, 16),
);
const AFTER = Uint8Array.of(2, 3, 1, 0, 1);
const KEY_BYTES = BEFORE.length + MODULUS_BYTES + AFTER.length;

/** A public key as text. */
export const tokenKey: Codec<string> = plain(
  (place) => {
    if (typeof place.value === 'string' && modulusOf(place.value) !== null) return place.value;
    place.expected('token-key');
    return '';
  },
  { type: 'string', contentEncoding: 'base64url' },
);

/** @param modulus with the highest bit set */
export function keyOfModulus(modulus: Uint8Array): string {
  const bytes = new Uint8Array(KEY_BYTES);
  bytes.set(BEFORE);
  bytes.set(modulus, BEFORE.length);
  bytes.set(AFTER, BEFORE.length + MODULUS_BYTES);
  return toBase64Url(bytes);
}

/** Null if the text is no key of this type. */
export function modulusOf(key: string): Uint8Array<ArrayBuffer> | null {
  const bytes = fromBase64Url(key);
  const modulus = bytes?.slice(BEFORE.length, BEFORE.length + MODULUS_BYTES);
  if (modulus === undefined || modulus.length !== MODULUS_BYTES || (modulus[0] ?? 0) < 128) return null;
  return keyOfModulus(modulus) === key ? modulus : null;
}

/** The key's id in tokens. @param key of this type */
export const keyIdOf = async (key: string): Promise<Uint8Array<ArrayBuffer>> =>
  new Uint8Array(await subtle.digest('SHA-256', fromBase64Url(key) ?? new Uint8Array()));
