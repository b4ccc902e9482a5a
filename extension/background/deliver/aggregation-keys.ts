import type { AggregationKey } from '../../../src/model/aggregatable';
import type { RandomSource } from '../../../src/privacy/random-source';
import { uniformBelow } from '../../../src/privacy/uniform';
import { parse } from '../../../formats/codec/issues';
import { readJsonText } from '../../../formats/codec/json-text';
import {
  PUBLIC_KEYS_PATH,
  publicKeyOf,
  publicKeys,
  type PublicKey,
} from '../../../formats/reports/sealed-payload';
import { endAnswer, textWithin } from '../../answer-body';
import { words } from '../../words';

/** In ms of the device's clock: as long as the collector may leave a key in use that it has withdrawn. */
const LIFETIME = 24 * 3_600_000;
/** In bytes: far more than the keys of a service need. */
const MAX_LENGTH = 20_000;

/** The public keys of the aggregation service: those that the report names, or else those that the collector serves. No other server is asked. */
export class AggregationKeys {
  /** By collector. There are as many as consents whose reports are pending. */
  private readonly known = new Map<string, { readonly until: number; readonly keys: readonly PublicKey[] }>();

  /**
   * Any of the keys (ARA, "obtain the public key for encryption").
   * @param named those that the report names.
   * @throws Error saying why there is none
   */
  async key(
    collector: string | null,
    named: readonly AggregationKey[],
    random: RandomSource,
    signal: AbortSignal,
  ): Promise<PublicKey> {
    const keys = named.length > 0 ? named.map(publicKeyOf) : await this.served(collector, signal);
    const key = keys[Number(uniformBelow(random, BigInt(keys.length)))];
    if (key === undefined) throw new Error('the collector has no key');
    return key;
  }

  /** Asks each collector anew. */
  forget(): void {
    this.known.clear();
  }

  private async served(collector: string | null, signal: AbortSignal): Promise<readonly PublicKey[]> {
    if (collector === null) throw new Error('no collector is set, whose key would encrypt the report');
    const known = this.known.get(collector);
    if (known !== undefined && known.until >= Date.now()) return known.keys;
    const keys = await fetchKeys(keysUrl(collector), signal);
    this.known.set(collector, { until: Date.now() + LIFETIME, keys });
    return keys;
  }
}

export const keysUrl = (collector: string): string => `${collector}${PUBLIC_KEYS_PATH}`;

async function fetchKeys(url: string, signal: AbortSignal): Promise<readonly PublicKey[]> {
  const response = await fetch(url, {
    credentials: 'omit',
    cache: 'no-store',
    referrerPolicy: 'no-referrer',
    redirect: 'error',
    signal,
  });
  if (!response.ok) {
    await endAnswer(response);
    throw new Error(`${url} answered ${response.status}, not the key that encrypts the report`);
  }
  const text = await textWithin(response, MAX_LENGTH);
  if (text === null) throw new Error(`${url} is longer than ${MAX_LENGTH} bytes`);
  const { value: json, problem } = readJsonText(text);
  if (problem !== null) throw new Error(`${url} is not JSON: ${words.mistakeText(problem)}`);
  const { value, errors } = parse(json, publicKeys);
  if (value === null) throw new Error(`${url}: ${words.issuesText(errors)}`);
  return value.keys;
}
