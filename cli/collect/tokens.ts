import { createPrivateKey, type KeyObject } from 'node:crypto';
import type { TokenOptions } from '../../collector/intake/token-keys';
import { accept, InputError, readJson, readText } from '../io/input';
import { readSecretText } from '../io/secrets';

/** A digest in base64url. */
const DIGEST = /^[\w-]{43}$/;

/** What the options for tokens say; `tokens` is the mode. */
interface TokenCommandOptions {
  readonly tokens: string;
  readonly trial?: string;
  readonly tokenKeys?: string;
  readonly invitations?: string;
}

/** Null with `--tokens off`. @throws InputError */
export async function tokenOptions({
  tokens: mode,
  trial: file,
  tokenKeys: keyFile,
  invitations: listFile,
}: TokenCommandOptions): Promise<TokenOptions | null> {
  const given = Object.entries({ trial: file, 'token-keys': keyFile, invitations: listFile });
  if (mode === 'off') {
    const [unused] = given.find(([, value]) => value !== undefined) ?? [];
    if (unused === undefined) return null;
    throw new InputError(`collect: --${unused}: must come with --tokens required or --tokens optional`);
  }
  if (file === undefined || keyFile === undefined || listFile === undefined) {
    const [missing = ''] = given.find(([, value]) => value === undefined) ?? [];
    throw new InputError(`collect: --tokens ${mode}: must come with --${missing}`);
  }
  const { readTrial } = await import('../../formats/settings/trial-signature');
  const { trial, signer } = accept(file, await readTrial(readJson(file)));
  if (signer === null) throw new InputError(`${file}: must be signed: cointoss trial --sign`);
  digestsIn(listFile, readText(listFile));
  return {
    required: mode === 'required',
    trial,
    privateKeys: tokenKeysIn(keyFile, readSecretText(keyFile)),
    invitations: () => digestsIn(listFile, readText(listFile)),
  };
}

/** The private keys of a file that `withTokenKeys` made. @throws InputError */
function tokenKeysIn(file: string, text: string): readonly KeyObject[] {
  const pems = text
    .split('-----BEGIN ')
    .slice(1)
    .map((one) => `-----BEGIN ${one}`);
  if (pems.length === 0) throw new InputError(`${file}: must have private RSA keys (PEM)`);
  try {
    return pems.map((pem) => createPrivateKey(pem));
  } catch (error) {
    throw new InputError(`${file}: must have private RSA keys (PEM): ${(error as Error).message}`);
  }
}

/** The digests in a file that `makeInvitations` printed. @throws InputError naming the line */
function digestsIn(file: string, text: string): ReadonlySet<string> {
  const lines = text.split('\n').map((line) => line.trim());
  const wrong = lines.findIndex((line) => line !== '' && !DIGEST.test(line));
  if (wrong >= 0)
    throw new InputError(
      `${file}:${wrong + 1}: must be a digest as cointoss trial --invitations prints it, not the code itself`,
    );
  return new Set(lines.filter((line) => line !== ''));
}
