import { generateKeyPairSync } from 'node:crypto';
import type { JsonObject } from '../../../src/model/json';
import { signTrial } from '../../../formats/settings/trial-signature';

/** Somebody who signs trials, with a key that is made anew in each run. */
export class Researcher {
  readonly publicKey: string;
  private readonly key: Promise<CryptoKey>;

  constructor() {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    this.publicKey = publicKey.export({ format: 'jwk' }).x ?? '';
    const bytes = new Uint8Array(privateKey.export({ type: 'pkcs8', format: 'der' }));
    this.key = crypto.subtle.importKey('pkcs8', bytes, 'Ed25519', false, ['sign']);
  }

  async sign(trial: JsonObject): Promise<JsonObject> {
    const key = { privateKey: await this.key, publicKey: this.publicKey };
    const { value, errors } = await signTrial(trial, key);
    if (value === null) throw new Error(JSON.stringify(errors));
    return value;
  }
}
