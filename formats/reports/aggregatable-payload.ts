import { CBORTag, decodeCBOR, encodeCBOR, type CBORType } from '@levischuck/tiny-cbor';
import { CONTRIBUTION_BUDGET, type AggregatableContribution } from '../../src/model/aggregatable';
import type { Json } from '../../src/model/json';
import { mistake } from '../codec/mistakes';
import { list, choice, type Parser } from '../codec/codec';
import { Fields } from '../codec/record';
import { parse, type Parsed, type Place } from '../codec/issues';
import type { AggregatableApi } from './aggregatable-report';

/** The length of a report's list of contributions (ARA, "max aggregation keys per source registration" and its debug counterpart). */
export const CONTRIBUTIONS_PER_REPORT: Readonly<Record<AggregatableApi, number>> = {
  'attribution-reporting': 20,
  'attribution-reporting-debug': 2,
};

const NULL_CONTRIBUTION: AggregatableContribution = { key: 0n, value: 0, filteringId: 0n };
const KEY_BYTES = 16;
const VALUE_BYTES = 4;
const MAX_FILTERING_ID_BYTES = 8;

/**
 * The plaintext payload of a report, in CBOR with the fields in Chromium's order (ARA, "plaintext payload"). Padding hides the number of
 * contributions in its length.
 * @param filteringIdMaxBytes how many bytes each filtering id takes, 1 to 8.
 */
export function encodePayload(
  contributions: readonly AggregatableContribution[],
  api: AggregatableApi,
  filteringIdMaxBytes: number,
): Uint8Array {
  const padded = Array.from(
    { length: CONTRIBUTIONS_PER_REPORT[api] },
    (_, index) => contributions[index] ?? NULL_CONTRIBUTION,
  );
  const data = padded.map(
    ({ key, value, filteringId }) =>
      new Map([
        ['id', bytesOf(filteringId, filteringIdMaxBytes)],
        ['value', bytesOf(BigInt(value), VALUE_BYTES)],
        ['bucket', bytesOf(key, KEY_BYTES)],
      ]),
  );
  return encodeCBOR(
    new Map<string, CBORType>([
      ['data', data],
      ['operation', 'histogram'],
    ]),
  );
}

/** ARA, "encoding an unsigned k-byte integer". */
function bytesOf(value: bigint, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  const digits = value.toString(16);
  for (let end = digits.length, index = length - 1; end > 0 && index >= 0; end -= 2, index--)
    bytes[index] = parseInt(digits.slice(Math.max(end - 2, 0), end), 16);
  return bytes;
}

/** The two hexadecimal digits of each byte. */
const hexadecimal = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** The contributions of a payload, including the null contributions. Anybody can make a payload, so everything is checked. */
export function decodePayload(
  bytes: Uint8Array,
  api: AggregatableApi,
): Parsed<readonly AggregatableContribution[]> {
  let document: Json;
  try {
    document = asJson(decodeCBOR(bytes));
  } catch {
    // The library throws different errors, stack overflow in nested lists included.
    return parse(null, (place) => (place.expected('payload'), []));
  }
  return parse(document, (place) => payload(place, api));
}

function payload(place: Place, api: AggregatableApi): readonly AggregatableContribution[] {
  const fields = new Fields(place);
  fields.required('operation', choice('histogram'), null);
  const data = fields.required('data', list(contribution, { max: CONTRIBUTIONS_PER_REPORT[api] }), []);
  fields.refuseUnknown();
  const sum = data.reduce((total, { value }) => total + value, 0);
  if (sum > CONTRIBUTION_BUDGET)
    place.add(mistake('over-contribution-budget', { sum, max: CONTRIBUTION_BUDGET }));
  return data;
}

/** The number in a big-endian byte string, which `asJson` has made hexadecimal; null for anything else. */
function unsigned(value: Json, minBytes: number, maxBytes: number): bigint | null {
  if (typeof value !== 'string' || !/^0x([0-9a-f]{2})*$/.test(value)) return null;
  const length = value.length / 2 - 1;
  return length >= minBytes && length <= maxBytes ? BigInt(value) : null;
}

const unsignedOf =
  (count: number): Parser<bigint> =>
  (place) => {
    const read = unsigned(place.value, count, count);
    if (read === null) place.expected('bytes', { count });
    return read ?? 0n;
  };

const filteringId: Parser<bigint> = (place) => {
  const read = unsigned(place.value, 1, MAX_FILTERING_ID_BYTES);
  if (read === null) place.expected('bytes-up-to', { max: MAX_FILTERING_ID_BYTES });
  return read ?? 0n;
};

const contribution: Parser<AggregatableContribution> = (place) => {
  const fields = new Fields(place);
  const read = {
    key: fields.required('bucket', unsignedOf(KEY_BYTES), 0n),
    value: Number(fields.required('value', unsignedOf(VALUE_BYTES), 0n)),
    // Version 0.1 has none; the aggregation service counts it as 0.
    filteringId: fields.optional('id', filteringId, 0n),
  };
  fields.refuseUnknown();
  return read;
};

/** CBOR for our parsers. Byte strings become hexadecimal, and types that JSON lacks become null. */
function asJson(value: CBORType): Json {
  if (value instanceof Uint8Array)
    return value.reduce((digits, byte) => digits + (hexadecimal[byte] ?? ''), '0x');
  if (value instanceof Map)
    return Object.fromEntries([...value].map(([name, item]) => [String(name), asJson(item)]));
  if (Array.isArray(value)) return value.map(asJson);
  if (typeof value === 'bigint') return String(value);
  return value === undefined || value instanceof CBORTag ? null : value;
}
