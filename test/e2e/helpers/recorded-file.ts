import type { Json, JsonObject } from '../../../src/model/json';
import type { Snapshot } from '../../../extension/pages/data/snapshot/snapshot';
import { snapshotToJson } from '../../../extension/pages/data/snapshot/snapshot-json';
import { snapshotOf } from '../../unit/helpers/causes';

type Tables = Snapshot['tables'];

/** A file of everything that was recorded, as JSON. */
export type RecordedFile = JsonObject & {
  readonly tables: Readonly<Record<keyof Tables, readonly JsonObject[]>>;
};

/** What these cases of the engine recorded, under ids of their own. */
export async function recordedFile(cases: readonly string[]): Promise<RecordedFile> {
  const files = await Promise.all(cases.map(async (name) => snapshotToJson(await snapshotOf(name))));
  const shifted = (files as unknown as RecordedFile[]).map((file, index) =>
    withIds(file.tables, 1000 * (index + 1)),
  );
  const [first] = files as unknown as RecordedFile[];
  if (first === undefined) throw new Error('a file holds at least one case');
  return { ...first, time: latest(shifted), tables: joined(shifted) };
}

type JsonTables = RecordedFile['tables'];

const joined = (all: readonly JsonTables[]): JsonTables => ({
  sources: all.flatMap(({ sources }) => sources),
  reports: all.flatMap(({ reports }) => reports),
  finished: all.flatMap(({ finished }) => finished),
  spends: all.flatMap(({ spends }) => spends),
  log: all.flatMap(({ log }) => log),
});

const latest = (all: readonly JsonTables[]): number =>
  Math.max(...all.flatMap(({ log, finished }) => [...log, ...finished].map(({ time }) => Number(time))));

/** The file with so many more of each row: half belong to sources of their own, the others all to the first rows' sources. */
export const withCopies = (file: RecordedFile, n: number): RecordedFile => ({
  ...file,
  tables: joined([
    file.tables,
    ...Array.from({ length: n / 2 }, (_, copy) => withIds(file.tables, 1_000_000 * (copy + 1))),
    ...Array.from({ length: n / 2 }, (_, copy) => withIds(file.tables, 1_000_000 * (n + copy), OWN_IDS)),
  ]),
});

/** The file with each list and each map in its rows `n` long. */
export const withLists = (file: RecordedFile, n: number): RecordedFile => ({
  ...file,
  tables: Object.fromEntries(
    Object.entries(file.tables).map(([name, rows]) => [name, rows.map((row) => grown(row, n))]),
  ) as unknown as JsonTables,
});

const MAP = '$map';

function grown(value: Json, n: number): Json {
  if (typeof value !== 'object' || value === null) return value;
  if (isList(value)) return value.length === 0 ? value : repeated(value, n);
  const entries = Object.entries<Json>(value);
  return Object.fromEntries(
    entries.map(([name, inner]) => [
      name,
      name === MAP && isList(inner)
        ? repeated(inner, n).map((entry, index) => withOwnKey(entry, index))
        : grown(inner, n),
    ]),
  );
}

const isList = (value: Json): value is readonly Json[] => Array.isArray(value);

const repeated = (list: readonly Json[], n: number): readonly Json[] =>
  Array.from({ length: list.length === 0 ? 0 : n }, (_, index) => list[index % list.length] ?? null);

const withOwnKey = (entry: Json, index: number): Json =>
  isList(entry) && typeof entry[0] === 'string' ? [`${entry[0]}${index}`, entry[1] ?? null] : entry;

/** The names of fields with the ids of rows. In `OWN_IDS`, of those that are no sources. */
const IDS = /^(id|sourceId|triggerId|reportId|report|reports|sourceIds)$/;
const OWN_IDS = /^(id|triggerId|reportId|report|reports)$/;

function withIds(tables: JsonTables, by: number, ids = IDS): JsonTables {
  const shift = (value: Json, name: string, isIn: boolean): Json => {
    // A number of reports is none of their ids.
    if (typeof value === 'number') return ids.test(name) && (isIn || name !== 'reports') ? value + by : value;
    if (typeof value !== 'object' || value === null) return value;
    if (isList(value)) return value.map((one) => shift(one, name, true));
    return Object.fromEntries(
      Object.entries<Json>(value).map(([key, inner]) => [key, shift(inner, key, false)]),
    );
  };
  const { sources, ...others } = tables;
  const all = ids === IDS ? { sources, ...others } : { sources: [], ...others };
  return shift(all, '', false) as unknown as JsonTables;
}
