import { DhkemX25519HkdfSha256 } from '@hpke/dhkem-x25519';
import type { AggregationKey } from '../../../src/model/aggregatable';
import type { PublicKey } from '../../../formats/reports/sealed-payload';

/** A key pair of an aggregation service, in the forms of settings, of the sealing code and of `cointoss aggregate`. */
export interface SealingKey {
  readonly setting: AggregationKey;
  readonly key: PublicKey;
  readonly secret: Uint8Array;
  /** The file of private keys. */
  readonly file: object;
}

export async function newSealingKey(id = 'first'): Promise<SealingKey> {
  const kem = new DhkemX25519HkdfSha256();
  const pair = await kem.generateKeyPair();
  const key = new Uint8Array(await kem.serializePublicKey(pair.publicKey));
  const secret = new Uint8Array(await kem.serializePrivateKey(pair.privateKey));
  const [text, privateText] = [key, secret].map((bytes) => Buffer.from(bytes).toString('base64'));
  return {
    setting: { id, key: text ?? '' },
    key: { id, key },
    secret,
    file: { keys: [{ id, key: text, private_key: privateText }] },
  };
}
