import type { Json } from '../../../../src/model/json';
import { defaultSettings } from '../../../../formats/settings/settings';
import { settings } from '../../../../formats/settings/parse-settings';
import { boolean, integer, list, number, choice, type Parser } from '../../../../formats/codec/codec';
import { Fields } from '../../../../formats/codec/record';
import { parse, type Parsed } from '../../../../formats/codec/issues';
import { converted, SCHEMA_VERSION, type OldRow } from '../../../store/upgrades';
import type { Rows } from '../../../../src/store/rows';
import { noTables, snapshotTables, type Snapshot, type SnapshotTable } from './snapshot';

const FORMAT = 'cointoss-snapshot';

/** As JSON that preserves 64-bit integers and maps. */
export const snapshotToJson = (snapshot: Snapshot): Json => ({
  format: FORMAT,
  version: SCHEMA_VERSION,
  time: snapshot.time,
  clockAhead: snapshot.clockAhead,
  truth: snapshot.truth,
  settings: snapshot.settings as unknown as Json,
  tables: Object.fromEntries(snapshotTables.map((name) => [name, snapshot.tables[name].map(encode)])),
});

/** Reads the output of `snapshotToJson`. Rows are not checked, because a snapshot is only looked at, never restored. */
export const parseSnapshot = (document: Json): Parsed<Snapshot> => parse(document, snapshot);

const snapshot: Parser<Snapshot> = (place) => {
  const fields = new Fields(place);
  fields.required('format', choice(FORMAT), null);
  const version = fields.required('version', integer(1, SCHEMA_VERSION), SCHEMA_VERSION);
  const parsed: Snapshot = {
    time: fields.required('time', integer(0, 8.64e15), 0),
    clockAhead: fields.required('clockAhead', number(-8.64e15, 8.64e15), 0),
    truth: fields.required('truth', boolean, false),
    settings: fields.required('settings', settings(defaultSettings), defaultSettings),
    tables: fields.required('tables', tables(version), noTables),
  };
  fields.warnUnknown();
  return parsed;
};

const tables =
  (version: number): Parser<Snapshot['tables']> =>
  (place) => {
    const fields = new Fields(place);
    const rows = <Name extends SnapshotTable>(name: Name): readonly Rows[Name][] =>
      // Rows are trusted to have their table's type; pages show what they find.
      fields
        .required(name, list(row), [])
        .map((found) => converted(found, name, version)) as unknown as readonly Rows[Name][];
    const parsed = {
      sources: rows('sources'),
      reports: rows('reports'),
      finished: rows('finished'),
      spends: rows('spends'),
      log: rows('log'),
    };
    fields.warnUnknown();
    return parsed;
  };

const row: Parser<OldRow> = (place) => {
  const fields = new Fields(place);
  const id = fields.required('id', integer(0, Number.MAX_SAFE_INTEGER), 0);
  const decoded = decode(place.value);
  return { ...(typeof decoded === 'object' ? decoded : null), id };
};

const BIGINT = '$bigint';
const MAP = '$map';

function encode(value: unknown): Json {
  if (typeof value === 'bigint') return { [BIGINT]: String(value) };
  if (value instanceof Map)
    return { [MAP]: [...value].map(([key, item]) => [encode(key), encode(item)] as const) };
  if (Array.isArray(value)) return value.map(encode);
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(
      Object.entries(value).flatMap(([key, item]) => (item === undefined ? [] : [[key, encode(item)]])),
    );
  return value as Json;
}

function decode(value: Json): unknown {
  if (Array.isArray(value)) return value.map(decode);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries<Json>(value);
  const [name, only] = entries.length === 1 ? (entries[0] ?? []) : [];
  if (name === BIGINT && typeof only === 'string' && /^-?\d+$/.test(only)) return BigInt(only);
  if (name === MAP && Array.isArray(only)) {
    return new Map((only as readonly Json[]).map(pair));
  }
  return Object.fromEntries(entries.map(([key, item]) => [key, decode(item)]));
}

const pair = (entry: Json): readonly [unknown, unknown] =>
  Array.isArray(entry) ? [decode(entry[0] as Json), decode(entry[1] as Json)] : [decode(entry), null];
