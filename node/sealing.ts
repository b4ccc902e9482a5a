import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  type KeyObject,
} from 'node:crypto';
import { KEY_LENGTH } from '../formats/reports/public-key';
import { ephemeralSeed, infoOf, type OpenPayload, type SealPayload } from '../formats/reports/sealed-payload';

/*
 * RFC 9180 in base mode, by OpenSSL: a tenth of what X25519 takes in JavaScript. Web Crypto's X25519 in Node is no faster than JavaScript's.
 */

const TAG_LENGTH = 16;
const NONCE_LENGTH = 12;
const EMPTY = Buffer.alloc(0);
const NO_SALT = Buffer.alloc(32);
const VERSION = Buffer.from('HPKE-v1');
/** DHKEM(X25519, HKDF-SHA256); the suite adds HKDF-SHA256 and ChaCha20Poly1305 (RFC 9180, section 7). */
const kem = Buffer.concat([Buffer.from('KEM'), Buffer.from([0, 0x20])]);
const suite = Buffer.concat([Buffer.from('HPKE'), Buffer.from([0, 0x20, 0, 1, 0, 3])]);

// Keys in DER take ten times as long as in JWK (RFC 8037).
const okp = { kty: 'OKP', crv: 'X25519' };
const text = (key: Uint8Array): string => Buffer.from(key).toString('base64url');

const publicKeyOf = (key: Uint8Array): KeyObject =>
  createPublicKey({ key: { ...okp, x: text(key) }, format: 'jwk' });

interface KeyPair {
  readonly privateKey: KeyObject;
  readonly publicBytes: Buffer;
}

/** Node takes the public half of a private key from the private one, and not from `x`, which must be there. */
function keyPairOf(key: Uint8Array): KeyPair {
  const privateKey = createPrivateKey({ key: { ...okp, d: text(key), x: text(key) }, format: 'jwk' });
  return { privateKey, publicBytes: Buffer.from(privateKey.export({ format: 'jwk' }).x ?? '', 'base64url') };
}

/** Many payloads have one recipient: to read its key takes as long as to use it. Nobody changes the bytes of a key. */
function remembered<Key>(read: (key: Uint8Array) => Key): (key: Uint8Array) => Key {
  const known = new WeakMap<Uint8Array, Key>();
  return (key) => {
    const found = known.get(key) ?? read(key);
    known.set(key, found);
    return found;
  };
}

const recipientOf = remembered(publicKeyOf);
const ownPairOf = remembered(keyPairOf);

/** "LabeledExtract" (section 4). */
const extract = (id: Buffer, label: string, input: Uint8Array, salt: Uint8Array = NO_SALT): Buffer =>
  createHmac('sha256', salt)
    .update(Buffer.concat([VERSION, id, Buffer.from(label), input]))
    .digest();

/** "LabeledExpand" (section 4), of at most one block of HKDF. */
const expand = (id: Buffer, key: Buffer, label: string, info: Uint8Array, length: number): Buffer =>
  createHmac('sha256', key)
    .update(
      Buffer.concat([Buffer.from([0, length]), VERSION, id, Buffer.from(label), info, Buffer.from([1])]),
    )
    .digest()
    .subarray(0, length);

/** "DeriveKeyPair" (section 7.1.3). */
const derivedPair = (seed: Uint8Array): KeyPair =>
  keyPairOf(expand(kem, extract(kem, 'dkp_prk', seed), 'sk', EMPTY, KEY_LENGTH));

const pskIdHash = extract(suite, 'psk_id_hash', EMPTY);

/** "ExtractAndExpand" (section 4.1), then "KeySchedule" (section 5.1) for the first message of a context. */
function firstMessage(exchanged: Buffer, enc: Uint8Array, recipient: Uint8Array, sharedInfo: string) {
  const kemContext = Buffer.concat([enc, recipient]);
  const shared = expand(kem, extract(kem, 'eae_prk', exchanged), 'shared_secret', kemContext, KEY_LENGTH);
  const infoHash = extract(suite, 'info_hash', infoOf(sharedInfo));
  const context = Buffer.concat([Buffer.from([0]), pskIdHash, infoHash]);
  const secret = extract(suite, 'secret', EMPTY, shared);
  return {
    key: expand(suite, secret, 'key', context, KEY_LENGTH),
    nonce: expand(suite, secret, 'base_nonce', context, NONCE_LENGTH),
  };
}

/** As `sealPayload`, with the same bytes for the same random numbers. */
export const sealWithOpenSsl: SealPayload = (payload, sharedInfo, recipient, random) => {
  const { privateKey, publicBytes: enc } = derivedPair(ephemeralSeed(random));
  const exchanged = diffieHellman({ privateKey, publicKey: recipientOf(recipient.key) });
  const { key, nonce } = firstMessage(exchanged, enc, recipient.key, sharedInfo);
  const cipher = createCipheriv('chacha20-poly1305', key, nonce, { authTagLength: TAG_LENGTH });
  return new Uint8Array(Buffer.concat([enc, cipher.update(payload), cipher.final(), cipher.getAuthTag()]));
};

/** As `openPayload`. */
export const openWithOpenSsl: OpenPayload = (sealed, sharedInfo, secret) => {
  const ciphertext = sealed.subarray(KEY_LENGTH, -TAG_LENGTH);
  try {
    const { privateKey, publicBytes } = ownPairOf(secret);
    const enc = sealed.subarray(0, KEY_LENGTH);
    const exchanged = diffieHellman({ privateKey, publicKey: publicKeyOf(enc) });
    const { key, nonce } = firstMessage(exchanged, enc, publicBytes, sharedInfo);
    const decipher = createDecipheriv('chacha20-poly1305', key, nonce, { authTagLength: TAG_LENGTH });
    decipher.setAuthTag(sealed.subarray(-TAG_LENGTH));
    return new Uint8Array(Buffer.concat([decipher.update(ciphertext), decipher.final()]));
  } catch {
    return null;
  }
};
