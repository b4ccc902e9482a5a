import { parseUrl } from '../../src/model/origin';
import { fromBase64Url, toBase64Url } from '../codec/base64-url';
import { MODULUS_BYTES } from './token-key';

// oxlint-disable-next-line no-restricted-globals -- all that is used of it depends on its arguments alone
const { subtle } = crypto;

/** Blind RSA with 2048 bits (RFC 9578, section 8.2.2). */
const TOKEN_TYPE = Uint8Array.of(0, 2);
/** In bytes: of the nonce, of the challenge's digest and of the key's id. */
const PART = 32;
const INPUT = TOKEN_TYPE.length + 3 * PART;
const SCHEME = /^PrivateToken +token="?([\w-]+)"?$/i;

/** A token as a report brings it (RFC 9577, section 2.2). */
export interface Token {
  /** What is signed: everything but the authenticator. */
  readonly input: Uint8Array<ArrayBuffer>;
  readonly nonce: Uint8Array<ArrayBuffer>;
  readonly challengeDigest: Uint8Array<ArrayBuffer>;
  readonly keyId: Uint8Array<ArrayBuffer>;
  /** The signature. */
  readonly authenticator: Uint8Array<ArrayBuffer>;
}

/**
 * What all tokens of a trial answer (RFC 9577, section 2.1): its collector is the issuer and the origin. The context is the trial's, so that a
 * token of one trial counts in no other. The period is in the key.
 * @param collector its origin
 */
export async function challengeOf(collector: string, trialId: string): Promise<Uint8Array<ArrayBuffer>> {
  const host = utf8(parseUrl(collector)?.host ?? '');
  const context = await sha256(utf8(`cointoss-trial-tokens\n${trialId}`));
  return joined([
    TOKEN_TYPE,
    uint16(host.length),
    host,
    Uint8Array.of(PART),
    context,
    uint16(host.length),
    host,
  ]);
}

/** What is to be signed for a new token. */
export const tokenInput = (
  nonce: Uint8Array,
  challengeDigest: Uint8Array,
  keyId: Uint8Array,
): Uint8Array<ArrayBuffer> => joined([TOKEN_TYPE, nonce, challengeDigest, keyId]);

/** The value of the header `Authorization`. */
export const authorizationOf = (input: Uint8Array, authenticator: Uint8Array): string =>
  `PrivateToken token="${toBase64Url(joined([input, authenticator]))}"`;

/** Null if the header's value is no token of this type. */
export function readToken(authorization: string): Token | null {
  const bytes = fromBase64Url(SCHEME.exec(authorization)?.[1] ?? null);
  if (bytes?.length !== INPUT + MODULUS_BYTES || bytes[0] !== TOKEN_TYPE[0] || bytes[1] !== TOKEN_TYPE[1])
    return null;
  const part = (index: number): Uint8Array<ArrayBuffer> =>
    bytes.slice(TOKEN_TYPE.length + index * PART, TOKEN_TYPE.length + (index + 1) * PART);
  return {
    input: bytes.slice(0, INPUT),
    nonce: part(0),
    challengeDigest: part(1),
    keyId: part(2),
    authenticator: bytes.slice(INPUT),
  };
}

/** The value of the header `WWW-Authenticate`. Its Base64 has padding, as RFC 9577 demands. */
export const challengeHeader = (challenge: Uint8Array, key: string): string =>
  `PrivateToken challenge="${padded(toBase64Url(challenge))}", token-key="${padded(key)}"`;

export const sha256 = async (bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> =>
  new Uint8Array(await subtle.digest('SHA-256', bytes));

const padded = (text: string): string => text.padEnd(4 * Math.ceil(text.length / 4), '=');

const utf8 = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

const uint16 = (value: number): Uint8Array => Uint8Array.of(value >> 8, value & 255);

function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
