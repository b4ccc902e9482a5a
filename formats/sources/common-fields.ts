import { isJsonObject, type Json, type JsonObject } from '../../src/model/json';
import { moment, type Moment } from '../../src/model/units';
import { MAX_UINT64, uint64 } from '../codec/codec';
import type { Place } from '../codec/issues';
import { Fields } from '../codec/record';
import { time, timeOf } from '../codec/time';

/*
 * Sources of a log have most fields in common with others. To parse them again takes most of the time for a row, so readers keep what they made of
 * them.
 */

/** In characters: the common fields of a source of any but the rarest kind. */
export const LONGEST_COMMON = 4000;

const CONFIGURING = ['configuration', 'source_type', 'registration', 'epsilon', 'mechanism'] as const;

/** The fields that decide common parts, besides `destination`, of which there are more. */
export const COMMON_FIELDS: ReadonlySet<string> = new Set([...CONFIGURING, 'reporting_origin']);

/** What decides each common part. */
interface CommonKeys {
  readonly configured: string;
  readonly origin: string;
  readonly destination: string;
}

/** Fields of a registration that describe the source itself, in any spelling: they must be as in the row. */
const OWN_FIELD = /"(source_event_id|destination)"|\\/;

/** Null for a row that must be read as a whole. */
export function commonKeys(json: Json): CommonKeys | null {
  if (!isJsonObject(json)) return null;
  const origin = Object.hasOwn(json, 'reporting_origin') ? json['reporting_origin'] : undefined;
  if (typeof origin !== 'string') return null;
  let configured = '';
  for (const name of CONFIGURING) configured += textOf(json, name);
  return OWN_FIELD.test(configured) ? null : { configured, origin, destination: textOf(json, 'destination') };
}

/** No text begins with that of another value, so that texts can follow each other. That of a missing one is a line's end, as no JSON begins with it. */
function textOf(json: JsonObject, name: string): string {
  if (!Object.hasOwn(json, name)) return '\n';
  const value = json[name] ?? null;
  return typeof value === 'string' ? `"${value.length}:${value}` : `${JSON.stringify(value)}\n`;
}

/** The names of `OwnFields`. */
export const OWN_FIELDS = ['source_event_id', 'time'] as const;

/** What tells a source from others with the same in common. */
interface OwnFields {
  readonly sourceEventId: bigint;
  readonly time: Moment;
}

/** What `ownFields` reads; null if it must say what is wrong. */
export function validOwnFields({ source_event_id: id, time: written }: JsonObject): OwnFields | null {
  const sourceEventId = typeof id === 'string' && DIGITS.test(id) ? BigInt(id) : null;
  const found = timeOf(written ?? null);
  return sourceEventId === null || sourceEventId > MAX_UINT64 || found === null
    ? null
    : { sourceEventId, time: found };
}

/** Ids with more zeros before them are rare. */
const DIGITS = /^\d{1,20}$/;

export function ownFields(place: Place): OwnFields {
  const fields = new Fields(place);
  return {
    sourceEventId: fields.required('source_event_id', uint64, 0n),
    time: fields.required('time', time, moment(0)),
  };
}
