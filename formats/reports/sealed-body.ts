import { isJsonObject, type Json } from '../../src/model/json';
import type { Report } from '../../src/model/records';
import type { RandomSource } from '../../src/privacy/random-source';
import { encodePayload } from './aggregatable-payload';
import { sealedPayloads } from './aggregatable-report';
import type { PublicKey, SealPayload } from './sealed-payload';

/**
 * The body that is sent (ARA, "obtain an aggregatable report body"). It resolves outside any transaction of IndexedDB.
 * @throws RangeError unless the report is aggregatable.
 */
export async function sealedBody(
  { kind, body, aggregatable }: Report,
  key: PublicKey,
  random: RandomSource,
  seal: SealPayload,
): Promise<Json> {
  if (aggregatable === undefined || !isJsonObject(body))
    throw new RangeError('the report is not aggregatable');
  const { contributions, filteringIdMaxBytes } = aggregatable;
  const api = kind === 'aggregate-debug' ? 'attribution-reporting-debug' : 'attribution-reporting';
  const payload = encodePayload(contributions, api, filteringIdMaxBytes);
  return {
    ...body,
    aggregation_service_payloads: sealedPayloads.write({
      keyId: key.id,
      sealed: await seal(payload, body['shared_info'] as string, key, random),
      // Shared info says so, too: both sides gave debug keys.
      cleartext: 'source_debug_key' in body ? payload : null,
    }),
  };
}
