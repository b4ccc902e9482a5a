import { randomUUID } from 'node:crypto';
import type { AggregatableContribution } from '../../../src/model/aggregatable';
import type { JsonObject } from '../../../src/model/json';
import { moment } from '../../../src/model/units';
import { encodePayload } from '../../../formats/reports/aggregatable-payload';
import {
  aggregatableReport,
  sharedInfoText,
  type SharedInfo,
} from '../../../formats/reports/aggregatable-report';
import { sealPayload } from '../../../formats/reports/seal-in-browser';
import type { PublicKey } from '../../../formats/reports/sealed-payload';
import { randomFor } from '../../../cli/io/random';

/** The body of a report, sealed for a key. @param encoded the payload in other bytes than ours */
export async function sealedReport(
  key: PublicKey,
  contributions: readonly Partial<AggregatableContribution>[],
  info: Partial<SharedInfo> = {},
  encoded?: Uint8Array,
): Promise<JsonObject> {
  const sharedInfo = sharedInfoText({
    api: 'attribution-reporting',
    destination: 'https://shop.example',
    debugMode: null,
    reportId: randomUUID(),
    reportingOrigin: 'https://ads.example',
    scheduledTime: moment(Date.UTC(2026, 10, 23)),
    sourceRegistrationTime: null,
    version: '1.0',
    ...info,
  });
  const filled = contributions.map((given) => ({ key: 0n, value: 0, filteringId: 0n, ...given }));
  const payload = encoded ?? encodePayload(filled, sharedInfo.info.api, 1);
  return aggregatableReport.write({
    coordinatorOrigin: 'https://aggregation.example',
    payload: {
      keyId: key.id,
      sealed: await sealPayload(payload, sharedInfo.text, key, randomFor(undefined)(0)),
      cleartext: null,
    },
    sharedInfo,
    sourceDebugKey: null,
    triggerContextId: null,
    triggerDebugKey: null,
  });
}
