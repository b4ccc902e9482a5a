import { base64Url } from '../codec/base64-url';
import { list, string, type Codec } from '../codec/codec';
import { optional, record, required } from '../codec/record';
import { MODULUS_BYTES } from './token-key';

/** The path at which the collector signs blinded tokens. */
export const TOKENS_PATH = '/tokens';

/** In bytes. */
export const MEMBER_BYTES = 32;
const KEY_ID_BYTES = 32;

/** Asks for the tokens of a period. The same request may be made again, and gets the same answer. */
export interface TokenBatchRequest {
  /** The code that the participant was given. Null once the collector knows the member. */
  readonly invitation: string | null;
  /** The secret that the device made for this trial. */
  readonly member: string;
  readonly keyId: string;
  readonly blinded: readonly string[];
}

export const tokenBatchRequest: Codec<TokenBatchRequest> = record({
  invitation: optional('invitation', string),
  member: required('member', base64Url(MEMBER_BYTES)),
  keyId: required('key_id', base64Url(KEY_ID_BYTES)),
  blinded: required('blinded', list(base64Url(MODULUS_BYTES), { min: 1, max: 500 })),
});

/** One for each blinded token, in order. */
export interface TokenBatchAnswer {
  readonly signatures: readonly string[];
}

export const tokenBatchAnswer: Codec<TokenBatchAnswer> = record({
  signatures: required('signatures', list(base64Url(MODULUS_BYTES))),
});

/** Why a collector gives a participant no tokens, as `reason` in its answer says. */
export const issuanceRefusals = [
  'invitation-unknown',
  'invitation-used',
  'invitation-withdrawn',
  'tokens-issued',
] as const;

export type IssuanceRefusal = (typeof issuanceRefusals)[number];

const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
/** In digits. */
const CODE_LENGTH = 20;

/** A code of 100 random bits, in groups to be typed (Crockford's Base32). @param bytes 20 random ones */
export const invitationOf = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => DIGITS[byte % 32])
    .join('')
    .replace(/.{5}(?=.)/g, '$&-');

/** A code as people type it; null if it can be none. */
export function readInvitation(text: string): string | null {
  const code = text.toUpperCase().replace(/[\s-]/g, '').replace(/O/g, '0').replace(/[IL]/g, '1');
  const isCode = code.length === CODE_LENGTH && Array.from(code).every((digit) => DIGITS.includes(digit));
  return isCode ? code : null;
}
