import { RSABSSA } from '@cloudflare/blindrsa-ts';
import { fromBase64Url, toBase64Url } from '../../../formats/codec/base64-url';
import { authorizationOf, tokenInput } from '../../../formats/tokens/token';
import { keyIdOf, modulusOf } from '../../../formats/tokens/token-key';

/** RFC 9578, section 6: the input has a nonce already, so it is not randomized further. */
const suite = RSABSSA.SHA384.PSS.Deterministic();
const NONCE_BYTES = 32;

/** A token that waits for its signature. Everything is in base64url. */
export interface BlindToken {
  readonly input: string;
  /** What the collector sees of it. */
  readonly blinded: string;
  /** What takes the blinding off. Only the device has it. */
  readonly inverse: string;
}

/** Makes new tokens and blinds them. It takes the processor some 40 ms for each. */
export async function blindBatch(
  key: string,
  challengeDigest: Uint8Array,
  count: number,
): Promise<readonly BlindToken[]> {
  const [publicKey, keyId] = [await imported(key), await keyIdOf(key)];
  const batch: BlindToken[] = [];
  while (batch.length < count) {
    const nonce = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
    const input = tokenInput(nonce, challengeDigest, keyId);
    const { blindedMsg, inv } = await suite.blind(publicKey, input);
    batch.push({ input: toBase64Url(input), blinded: toBase64Url(blindedMsg), inverse: toBase64Url(inv) });
  }
  return batch;
}

/**
 * Takes the blinding off signatures.
 * @returns the values of the header `Authorization`
 * @throws Error unless each signature is one by this key: the collector may have signed with another one, to recognize the device
 */
export async function finishBatch(
  key: string,
  batch: readonly BlindToken[],
  signatures: readonly string[],
): Promise<readonly string[]> {
  const publicKey = await imported(key);
  if (signatures.length !== batch.length)
    throw new Error(`${signatures.length} signatures for ${batch.length} tokens`);
  const tokens: string[] = [];
  for (const [index, { input, inverse }] of batch.entries()) {
    const [message, signature] = [bytesOf(input), bytesOf(signatures[index] ?? '')];
    tokens.push(
      authorizationOf(message, await suite.finalize(publicKey, message, signature, bytesOf(inverse))),
    );
  }
  return tokens;
}

const imported = (key: string): Promise<CryptoKey> =>
  crypto.subtle.importKey(
    'jwk',
    { kty: 'RSA', alg: 'PS384', n: toBase64Url(modulusOf(key) ?? new Uint8Array()), e: 'AQAB', ext: true },
    { name: 'RSA-PSS', hash: 'SHA-384' },
    true,
    ['verify'],
  );

/** Of text that was made or parsed before. */
const bytesOf = (text: string): Uint8Array<ArrayBuffer> => fromBase64Url(text) ?? new Uint8Array();
