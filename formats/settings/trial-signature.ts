import type { Json, JsonObject } from '../../src/model/json';
import { mistake } from '../codec/mistakes';
import { refused, type Parsed } from '../codec/issues';
import { fromBase64Url, toBase64Url } from '../codec/base64-url';
import { canonicalJson } from './canonical-json';
import { parseTrial } from './parse-trial';
import type { Trial } from './trial';

// oxlint-disable-next-line no-restricted-globals -- all that is used of it depends on its arguments alone
const { subtle } = crypto;

/** Domain separation: a signature for another purpose cannot pass for one of a trial. */
const DOMAIN = 'cointoss-trial-v1\n';
/** In bytes: of the SHA-256 of a key. Nobody finds two keys with the same 128 bits. */
const FINGERPRINT = 16;

/** The holder of the key that signed a trial. */
export interface Signer {
  /** 32 bytes in base64url. */
  readonly publicKey: string;
  /** Groups of four hexadecimal digits, for people to compare. */
  readonly fingerprint: string;
}

/** A trial whose signature, if any, was found valid. */
export interface ReadTrial {
  /** As written. */
  readonly document: Json;
  readonly trial: Trial;
  /** Null if it is not signed. */
  readonly signer: Signer | null;
}

/** As `parseTrial`, and checks the signature. */
export async function readTrial(document: Json): Promise<Parsed<ReadTrial>> {
  const { value: trial, ...found } = parseTrial(document);
  if (trial === null) return { value: null, ...found };
  if (trial.signature === null) return { value: { document, trial, signer: null }, ...found };
  const { publicKey, value } = trial.signature;
  const bytes = signedBytes(document as JsonObject, publicKey);
  if (bytes.value === null) return { ...bytes, value: null };
  if (!(await verified(publicKey, value, bytes.value))) {
    const { errors } = refused(mistake('wrong-signature'));
    return {
      value: null,
      errors: errors.map((error) => ({ ...error, path: 'signature.value' })),
      warnings: [],
    };
  }
  return { value: { document, trial, signer: await signerOf(publicKey) }, ...found };
}

/** The trial with a signature by this Ed25519 key; an earlier signature is replaced. */
export async function signTrial(
  document: JsonObject,
  { privateKey, publicKey }: { readonly privateKey: CryptoKey; readonly publicKey: string },
): Promise<Parsed<JsonObject>> {
  const bytes = signedBytes(document, publicKey);
  if (bytes.value === null) return { ...bytes, value: null };
  const value = toBase64Url(new Uint8Array(await subtle.sign('Ed25519', privateKey, bytes.value)));
  return { value: { ...document, signature: { publicKey, value } }, errors: [], warnings: [] };
}

export async function signerOf(publicKey: string): Promise<Signer> {
  const digest = new Uint8Array(await subtle.digest('SHA-256', bytesOf(publicKey)));
  const digits = Array.from(digest.subarray(0, FINGERPRINT), (byte) => byte.toString(16).padStart(2, '0'));
  return { publicKey, fingerprint: digits.join('').replace(/.{4}(?=.)/g, '$& ') };
}

/** Everything but the value of the signature. */
function signedBytes(document: JsonObject, publicKey: string): Parsed<Uint8Array<ArrayBuffer>> {
  const { value, ...found } = canonicalJson({ ...document, signature: { publicKey } });
  return { value: value === null ? null : new TextEncoder().encode(DOMAIN + value), ...found };
}

/**
 * The points of Ed25519 with an order of 8 or less, without the sign of x, also as some other bytes that are read as them: 0, 1, two of order 8, −1, and
 * p and p + 1. Anybody can sign for such a key, so a trial with it would belong to everybody. WebCrypto shall refuse them; Node does not.
 */
const SMALL_ORDER: ReadonlySet<string> = new Set([
  '00'.repeat(32),
  `01${'00'.repeat(31)}`,
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  ...['ec', 'ed', 'ee'].map((least) => `${least}${'ff'.repeat(30)}7f`),
]);

function hasSmallOrder(key: Uint8Array): boolean {
  const digits = Array.from(key, (byte, index) => (index === 31 ? byte & 0x7f : byte))
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
  return SMALL_ORDER.has(digits);
}

async function verified(
  publicKey: string,
  signature: string,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  if (hasSmallOrder(bytesOf(publicKey))) return false;
  try {
    const key = await subtle.importKey('raw', bytesOf(publicKey), 'Ed25519', false, ['verify']);
    return await subtle.verify('Ed25519', key, bytesOf(signature), bytes);
  } catch {
    // The bytes are not a point of the curve.
    return false;
  }
}

/** The bytes of a text that was parsed before. */
const bytesOf = (text: string): Uint8Array<ArrayBuffer> => fromBase64Url(text) ?? new Uint8Array();
