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

const KEY_BYTES = 16;
const VALUE_BYTES = 4;
const MAX_FILTERING_ID_BYTES = 8;

/** Where the fields of a contribution begin in a payload. */
interface FieldPlaces {
  readonly id: number;
  readonly value: number;
  readonly key: number;
}

/** A payload without the numbers. All payloads of an API with filtering ids of the same length have one layout. */
interface Layout {
  /** Of null contributions only. */
  readonly empty: Uint8Array;
  /** 255 for each byte that is the same in all payloads, otherwise 0. */
  readonly fixed: Uint8Array;
  readonly contributions: readonly FieldPlaces[];
}

/** Before the contributions: a map, the text "data" and the beginning of a list. */
const HEAD_BYTES = 7;
/** And after them: the operation. */
const AROUND_BYTES = HEAD_BYTES + 20;
/** Of a contribution, before its id and between its fields: the beginning of a map, names, and the lengths of the fields. */
const [BEFORE_ID, BEFORE_VALUE, BEFORE_KEY] = [5, 7, 8] as const;
const CONTRIBUTION_BYTES = BEFORE_ID + BEFORE_VALUE + VALUE_BYTES + BEFORE_KEY + KEY_BYTES;

/** By the length of a filtering id, less one byte. */
const layoutsOf = (count: number): readonly Layout[] =>
  Array.from({ length: MAX_FILTERING_ID_BYTES }, (_, less) => newLayout(count, less + 1));

const LAYOUTS: Readonly<Record<AggregatableApi, readonly Layout[]>> = {
  'attribution-reporting': layoutsOf(CONTRIBUTIONS_PER_REPORT['attribution-reporting']),
  'attribution-reporting-debug': layoutsOf(CONTRIBUTIONS_PER_REPORT['attribution-reporting-debug']),
};

/** @throws RangeError for filtering ids of no byte or more than eight */
function layoutOf(api: AggregatableApi, idBytes: number): Layout {
  const found = LAYOUTS[api][idBytes - 1];
  if (found === undefined) throw new RangeError(`a filtering id has 1 to ${MAX_FILTERING_ID_BYTES} bytes`);
  return found;
}

function newLayout(count: number, idBytes: number): Layout {
  const nothing = new Map([
    ['id', new Uint8Array(idBytes)],
    ['value', new Uint8Array(VALUE_BYTES)],
    ['bucket', new Uint8Array(KEY_BYTES)],
  ]);
  const contribution = encodeCBOR(nothing);
  // With a byte for each contribution.
  const around = encodeCBOR(
    new Map<string, CBORType>([
      ['data', new Array<number>(count).fill(0)],
      ['operation', 'histogram'],
    ]),
  );
  const empty = new Uint8Array(around.length + count * (contribution.length - 1));
  empty.set(around.subarray(0, HEAD_BYTES));
  for (let index = 0; index < count; index++)
    empty.set(contribution, HEAD_BYTES + index * contribution.length);
  empty.set(around.subarray(HEAD_BYTES + count), HEAD_BYTES + count * contribution.length);
  const contributions = Array.from({ length: count }, (_, index): FieldPlaces => {
    const id = HEAD_BYTES + index * (CONTRIBUTION_BYTES + idBytes) + BEFORE_ID;
    const value = id + idBytes + BEFORE_VALUE;
    return { id, value, key: value + VALUE_BYTES + BEFORE_KEY };
  });
  const fixed = new Uint8Array(empty.length).fill(255);
  for (const { id, value, key } of contributions)
    fixed
      .fill(0, id, id + idBytes)
      .fill(0, value, value + VALUE_BYTES)
      .fill(0, key, key + KEY_BYTES);
  return { empty, fixed, contributions };
}

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
  const { empty, contributions: places } = layoutOf(api, filteringIdMaxBytes);
  const bytes = empty.slice();
  const view = new DataView(bytes.buffer);
  for (const [index, place] of places.entries()) {
    const contribution = contributions[index];
    if (contribution === undefined) break;
    const { key, value, filteringId } = contribution;
    writeId(bytes, place.id, filteringIdMaxBytes, filteringId);
    view.setUint32(place.value, value);
    view.setBigUint64(place.key, key >> 64n);
    view.setBigUint64(place.key + 8, key);
  }
  return bytes;
}

/** ARA, "encoding an unsigned k-byte integer". */
function writeId(bytes: Uint8Array, start: number, length: number, id: bigint): void {
  for (let index = start + length - 1, left = id; left > 0n && index >= start; index--, left >>= 8n)
    bytes[index] = Number(left & 255n);
}

/** The two hexadecimal digits of each byte. */
const hexadecimal = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** The contributions of a payload, including the null contributions. Anybody can make a payload, so everything is checked. */
export function decodePayload(
  bytes: Uint8Array,
  api: AggregatableApi,
): Parsed<readonly AggregatableContribution[]> {
  const read = contributionsIn(bytes, api);
  if (read !== null && sumOf(read) <= CONTRIBUTION_BUDGET) return { value: read, errors: [], warnings: [] };
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
  const sum = sumOf(data);
  if (sum > CONTRIBUTION_BUDGET)
    place.add(mistake('over-contribution-budget', { sum, max: CONTRIBUTION_BUDGET }));
  return data;
}

const sumOf = (contributions: readonly AggregatableContribution[]): number =>
  contributions.reduce((total, { value }) => total + value, 0);

/** The contributions of a payload in the layout that we and Chromium write; null for another. */
function contributionsIn(
  bytes: Uint8Array,
  api: AggregatableApi,
): readonly AggregatableContribution[] | null {
  const idBytes = (bytes.length - AROUND_BYTES) / CONTRIBUTIONS_PER_REPORT[api] - CONTRIBUTION_BYTES;
  if (!Number.isInteger(idBytes) || idBytes < 1 || idBytes > MAX_FILTERING_ID_BYTES) return null;
  const { empty, fixed, contributions } = layoutOf(api, idBytes);
  let differences = 0;
  for (let index = 0; index < empty.length; index++)
    differences |= ((bytes[index] ?? 0) ^ (empty[index] ?? 0)) & (fixed[index] ?? 0);
  if (differences !== 0) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  return contributions.map(({ id, value, key }) => ({
    key: (view.getBigUint64(key) << 64n) | view.getBigUint64(key + 8),
    value: view.getUint32(value),
    filteringId: bytes.subarray(id, id + idBytes).reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n),
  }));
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
