import { Chacha20Poly1305 } from '@hpke/chacha20poly1305';
import { CipherSuite } from '@hpke/core';
import { DhkemX25519HkdfSha256, HkdfSha256 } from '@hpke/dhkem-x25519';
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

/** As Chromium encrypts payloads (RFC 9180, base mode). X25519 in JavaScript, because not every browser we run in has it. */
const suite = new CipherSuite({
  kem: new DhkemX25519HkdfSha256(),
  kdf: new HkdfSha256(),
  aead: new Chacha20Poly1305(),
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

/** In JavaScript, for browsers. */
export const sealPayload = async (
  ...[payload, sharedInfo, { key }, random]: Parameters<SealPayload>
): Promise<Uint8Array> => {
  const sender = await suite.createSenderContext({
    recipientPublicKey: await suite.kem.deserializePublicKey(key),
    info: infoOf(sharedInfo),
    ekm: ephemeralSeed(random),
  });
  const ciphertext = new Uint8Array(await sender.seal(payload));
  const sealed = new Uint8Array(KEY_LENGTH + ciphertext.length);
  sealed.set(new Uint8Array(sender.enc));
  sealed.set(ciphertext, KEY_LENGTH);
  return sealed;
};

/** In JavaScript, for browsers. */
export const openPayload = async (
  ...[sealed, sharedInfo, privateKey]: Parameters<OpenPayload>
): Promise<Uint8Array | null> => {
  try {
    const recipient = await suite.createRecipientContext({
      recipientKey: await suite.kem.deserializePrivateKey(privateKey),
      enc: sealed.slice(0, KEY_LENGTH),
      info: infoOf(sharedInfo),
    });
    return new Uint8Array(await recipient.open(sealed.slice(KEY_LENGTH)));
  } catch {
    return null;
  }
};
