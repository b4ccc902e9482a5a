import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import type { Json } from '../../src/model/json';
import { parse } from '../../formats/codec/issues';
import { base64Of } from '../../formats/codec/base64';
import { list, string } from '../../formats/codec/codec';
import { record, required } from '../../formats/codec/record';
import { publicKeys, type PublicKey } from '../../formats/reports/sealed-payload';
import { accept, InputError, readJson } from './input';
import { isContinuable, replaceFile } from './output';
import { readSecretText } from './secrets';

interface KeyPair extends PublicKey {
  readonly privateKey: Uint8Array;
}

const keyPairs = record<{ readonly keys: readonly KeyPair[] }>({
  keys: required(
    'keys',
    list(
      record<KeyPair>({
        id: required('id', string),
        key: required('key', base64Of(32)),
        privateKey: required('private_key', base64Of(32)),
      }),
      { min: 1 },
    ),
  ),
});

const read = (file: string): readonly KeyPair[] =>
  accept(file, parse(readJson(file, readSecretText(file)), keyPairs)).keys;

/** The private keys by id. @throws InputError */
export const readPrivateKeys = (file: string): ReadonlyMap<string, Uint8Array> =>
  new Map(read(file).map(({ id, privateKey }) => [id, privateKey]));

/** The public keys of a document as `addKey` returns it. @throws InputError */
export const readPublicKeys = (file: string): readonly PublicKey[] =>
  accept(file, parse(readJson(file), publicKeys)).keys;

/**
 * Adds a new key to a file that only its owner may read, and which need not exist.
 * @returns the document of all its public keys, for a server.
 * @throws InputError
 */
export function addKey(file: string): Json {
  if (!isContinuable(file)) throw new InputError(`${file}: must be a file: keys are kept in files only`);
  const { privateKey } = generateKeyPairSync('x25519');
  const { d = '', x = '' } = privateKey.export({ format: 'jwk' });
  const bytes = (part: string): Uint8Array => new Uint8Array(Buffer.from(part, 'base64url'));
  const added = { id: randomUUID(), key: bytes(x), privateKey: bytes(d) };
  const keys = [...(existsSync(file) ? read(file) : []), added];
  replaceFile(file, `${JSON.stringify(keyPairs.write({ keys }), null, 2)}\n`, 'owner');
  return publicKeys.write({ keys });
}
