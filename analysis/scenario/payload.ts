import { isJsonObject, type Json, type JsonObject } from '../../src/model/json';
import type { AggregatableReport, Report } from '../../src/model/records';

const NULL_CONTRIBUTION = { key: 0n, value: 0, filteringId: 0n };

/** A report as scenario files state it: an aggregatable one in the clear, with its shared info as an object. */
export function scenarioPayload({ body, aggregatable }: Report): Json {
  if (aggregatable === undefined || !isJsonObject(body)) return body;
  const open = Object.entries(body).filter(([name]) => name !== 'aggregation_service_payloads');
  return {
    ...Object.fromEntries(open),
    shared_info: sharedInfoIn(body),
    histograms: histograms(aggregatable),
  };
}

/** Of the body of a stored aggregatable report. */
export const sharedInfoIn = (body: JsonObject): JsonObject =>
  // The engine wrote it.
  JSON.parse(body['shared_info'] as string) as JsonObject;

const histograms = ({ contributions }: AggregatableReport): Json =>
  (contributions.length === 0 ? [NULL_CONTRIBUTION] : contributions).map(({ key, value, filteringId }) => ({
    id: String(filteringId),
    key: `0x${key.toString(16)}`,
    value,
  }));
