import { isJsonObject, type Json, type JsonObject } from '../../src/model/json';
import type { AggregatableReport, Report } from '../../src/model/records';

const NULL_CONTRIBUTION = { key: 0n, value: 0, filteringId: 0n };

/** A report as scenario files state it: an aggregatable one in the clear, with its shared info as an object. */
export const scenarioPayload = ({ body, aggregatable }: Report): Json =>
  aggregatable === undefined || !isJsonObject(body) ? body : inTheClear(body, aggregatable.contributions);

/** The body of an aggregatable report, as scenario files state it. */
export function inTheClear(body: JsonObject, contributions: AggregatableReport['contributions']): Json {
  const open = Object.entries(body).filter(([name]) => name !== 'aggregation_service_payloads');
  return {
    ...Object.fromEntries(open),
    shared_info: sharedInfoIn(body),
    histograms: histograms(contributions),
  };
}

/** The shared info in the body of a stored aggregatable report. */
export const sharedInfoIn = (body: JsonObject): JsonObject =>
  // The engine wrote it.
  JSON.parse(body['shared_info'] as string) as JsonObject;

const histograms = (contributions: AggregatableReport['contributions']): Json =>
  (contributions.length === 0 ? [NULL_CONTRIBUTION] : contributions).map(({ key, value, filteringId }) => ({
    id: String(filteringId),
    key: `0x${key.toString(16)}`,
    value,
  }));
