import type { AggregationKey } from '../../src/model/aggregatable';
import type { RandomSource } from '../../src/privacy/random-source';
import { list, string, type Codec } from '../codec/codec';
import { record, required } from '../codec/record';
import { KEY_LENGTH, publicKey } from './public-key';

export interface PublicKey {
  readonly id: string;
  readonly key: Uint8Array;
}

/** One that settings name, in Base64. */
export const publicKeyOf = ({ id, key }: AggregationKey): PublicKey => ({
  id,
  key: Uint8Array.from(atob(key), (character) => character.charCodeAt(0)),
});

/** The path at which an aggregation coordinator serves its public keys (ARA, "obtain the public key for encryption"). */
export const PUBLIC_KEYS_PATH = '/.well-known/aggregation-service/v1/public-keys';

/** The document at `PUBLIC_KEYS_PATH`. */
export const publicKeys: Codec<{ readonly keys: readonly PublicKey[] }> = record({
  keys: required(
    'keys',
    list(record<PublicKey>({ id: required('id', string), key: required('key', publicKey) }), {
      min: 1,
    }),
  ),
});

/**
 * Encrypts a payload (ARA, "obtain the encrypted payload"): the encapsulated key, then the ciphertext. A promise resolves outside any
 * transaction of IndexedDB.
 * @param sharedInfo the text that goes with it.
 * @param random must be unpredictable, or the payload can be read.
 */
export type SealPayload = (
  payload: Uint8Array,
  sharedInfo: string,
  key: PublicKey,
  random: RandomSource,
) => Uint8Array | Promise<Uint8Array>;

/** The payload, or null if it was sealed for another key or with other shared info, or if a bit has changed. */
export type OpenPayload = (
  sealed: Uint8Array,
  sharedInfo: string,
  privateKey: Uint8Array,
) => Uint8Array | null | Promise<Uint8Array | null>;

/** The context of the encryption. */
export const infoOf = (sharedInfo: string): Uint8Array =>
  new TextEncoder().encode(`aggregation_service${sharedInfo}`);

/** From which the sender's key of one payload is derived. */
export const ephemeralSeed = (random: RandomSource): Uint8Array =>
  new Uint8Array(BigUint64Array.from({ length: KEY_LENGTH / 8 }, () => random.uint64()).buffer);
