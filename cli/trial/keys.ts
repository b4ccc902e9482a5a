import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { closeSync } from 'node:fs';
import { createFile, writeAll } from '../../node/files';
import { InputError } from '../io/input';
import { readSecretText } from '../io/secrets';

/** The key of somebody who signs trials. */
export interface SigningKey {
  readonly privateKey: CryptoKey;
  /** 32 bytes in base64url. */
  readonly publicKey: string;
}

/**
 * Makes a file with a new private key (PKCS #8, PEM), which only its owner can read.
 * @returns the public key
 * @throws InputError if the file exists: participants know its key
 */
export function makeKey(file: string): string {
  const { privateKey } = generateKeyPairSync('ed25519');
  writeNew(file, privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());
  return publicKeyOf(privateKey);
}

/**
 * Makes a file that only its owner can read.
 * @throws InputError if it exists
 */
export function writeNew(file: string, text: string): void {
  try {
    const descriptor = createFile(file, 'owner');
    writeAll(descriptor, Buffer.from(text));
    closeSync(descriptor);
  } catch (error) {
    throw new InputError(
      `${file}: cannot be made: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

/** @throws InputError unless the file has a private Ed25519 key */
export async function readKey(file: string): Promise<SigningKey> {
  const key = parsed(readSecretText(file));
  if (key?.asymmetricKeyType !== 'ed25519')
    throw new InputError(
      `${file}: must have a private Ed25519 key (PEM), as cointoss trial --new-key makes it`,
    );
  const bytes = new Uint8Array(key.export({ type: 'pkcs8', format: 'der' }));
  const privateKey = await crypto.subtle.importKey('pkcs8', bytes, 'Ed25519', false, ['sign']);
  return { privateKey, publicKey: publicKeyOf(key) };
}

function parsed(pem: string): KeyObject | null {
  try {
    return createPrivateKey(pem);
  } catch {
    return null;
  }
}

const publicKeyOf = (key: KeyObject): string => createPublicKey(key).export({ format: 'jwk' }).x ?? '';
