import { Chacha20Poly1305 } from '@hpke/chacha20poly1305';
import { CipherSuite } from '@hpke/core';
import { DhkemX25519HkdfSha256, HkdfSha256 } from '@hpke/dhkem-x25519';
import { KEY_LENGTH } from './public-key';
import { ephemeralSeed, infoOf, type OpenPayload, type SealPayload } from './sealed-payload';

/** As Chromium encrypts payloads (RFC 9180, base mode). X25519 in JavaScript, because not every browser we run in has it. Node's programs use its own. */
const suite = new CipherSuite({
  kem: new DhkemX25519HkdfSha256(),
  kdf: new HkdfSha256(),
  aead: new Chacha20Poly1305(),
});

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
