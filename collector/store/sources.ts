import { definition as codec, storedDefinition, type IdentifiedConfiguration } from '../sources/definition';
import type { LoggedSource } from '../sources/logged-source';
import { arrayLiteral, type Queries, type Scalar } from './database';
import { conditions, Parameters, type SourceFilter } from './source-filter';

export type { IdentifiedConfiguration, LoggedSource };

export interface StoredSource extends LoggedSource {
  readonly id: number;
}

/** The number of rows of a source log by outcome. The first row with a reporting origin and source event id is kept unchanged. */
export interface SourceOutcomes {
  readonly stored: number;
  /** Equal to a stored row. */
  readonly duplicates: number;
  /** Same identity as a stored row, but different content. */
  readonly conflicting: number;
}

const ROWS_PER_STATEMENT = 2000;

export const keyOf = ({
  sourceEventId,
  reportingOrigin,
}: Pick<LoggedSource, 'sourceEventId' | 'reportingOrigin'>): string =>
  `${String(sourceEventId)} ${reportingOrigin}`;

export async function insertSources(
  queries: Queries,
  sources: readonly LoggedSource[],
  configurations: readonly IdentifiedConfiguration[],
): Promise<SourceOutcomes> {
  await insertConfigurations(queries, configurations);
  const first = new Map<string, LoggedSource>();
  for (const source of sources) if (!first.has(keyOf(source))) first.set(keyOf(source), source);
  // A common order avoids deadlocks between collectors that store the same rows.
  const sorted = [...first].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, source]) => source);
  const stored = new Set<string>();
  const known = new Map<string, LoggedSource>();
  for (let start = 0; start < sorted.length; start += ROWS_PER_STATEMENT) {
    const part = sorted.slice(start, start + ROWS_PER_STATEMENT);
    for (const key of await insertDistinct(queries, part)) stored.add(key);
    const old = part.filter((source) => !stored.has(keyOf(source)));
    for (const source of await selectByKey(queries, old)) known.set(keyOf(source), source);
  }
  const again = sources.filter(
    (source) => !(stored.has(keyOf(source)) && first.get(keyOf(source)) === source),
  );
  const conflicting = again.filter(
    (source) => !saysTheSame(source, known.get(keyOf(source)) ?? first.get(keyOf(source)) ?? source),
  ).length;
  return { stored: stored.size, duplicates: again.length - conflicting, conflicting };
}

export const saysTheSame = (a: LoggedSource, b: LoggedSource): boolean => saidBy(a) === saidBy(b);

const saidBy = ({ destinations, sourceType, time, configuration, features }: LoggedSource): string =>
  JSON.stringify([
    destinations,
    sourceType,
    time.getTime(),
    configuration,
    Object.entries(features).sort(([x], [y]) => (x < y ? -1 : 1)),
  ]);

export async function insertConfigurations(
  queries: Queries,
  configurations: readonly IdentifiedConfiguration[],
): Promise<void> {
  const sorted = [...configurations].sort((a, b) => (a.id < b.id ? -1 : 1));
  await queries.query(
    `INSERT INTO configurations (id, definition) SELECT * FROM unnest($1::TEXT[], $2::TEXT[]) ON CONFLICT DO NOTHING`,
    [sorted.map(({ id }) => id), sorted.map(({ definition }) => JSON.stringify(codec.write(definition)))],
  );
}

export async function selectConfigurations(
  queries: Queries,
  ids: readonly string[],
): Promise<readonly IdentifiedConfiguration[]> {
  if (ids.length === 0) return [];
  const rows = await queries.query<{ id: string; definition: string }>(
    'SELECT id, definition FROM configurations WHERE id = ANY($1::TEXT[])',
    [ids],
  );
  return rows.map(({ id, definition }) => ({ id, definition: storedDefinition(definition) }));
}

/** Every configuration that a source has ever had, without the known ones. */
export async function selectOtherConfigurations(
  queries: Queries,
  known: readonly string[],
): Promise<readonly IdentifiedConfiguration[]> {
  const rows = await queries.query<{ id: string; definition: string }>(
    'SELECT id, definition FROM configurations WHERE id <> ALL($1::TEXT[]) ORDER BY id',
    [known],
  );
  return rows.map(({ id, definition }) => ({ id, definition: storedDefinition(definition) }));
}

/** @returns the keys of those that were new. */
async function insertDistinct(
  queries: Queries,
  sources: readonly LoggedSource[],
): Promise<readonly string[]> {
  const rows = await queries.query<{ source_event_id: string; reporting_origin: string }>(
    `INSERT INTO sources (reporting_origin, source_event_id, destinations, source_type, source_time, configuration, features)
     SELECT origin, event_id::NUMERIC, destinations::TEXT[], source_type, time::TIMESTAMPTZ, configuration, features
     FROM unnest($1::TEXT[], $2::TEXT[], $3::TEXT[], $4::TEXT[], $5::TEXT[], $6::TEXT[], $7::TEXT[])
       AS batch (origin, event_id, destinations, source_type, time, configuration, features)
     ON CONFLICT DO NOTHING
     RETURNING source_event_id::TEXT, reporting_origin`,
    [
      sources.map(({ reportingOrigin }) => reportingOrigin),
      sources.map(({ sourceEventId }) => String(sourceEventId)),
      sources.map(({ destinations }) => arrayLiteral(destinations)),
      sources.map(({ sourceType }) => sourceType),
      sources.map(({ time }) => time.toISOString()),
      sources.map(({ configuration }) => configuration),
      sources.map(({ features }) => JSON.stringify(features)),
    ],
  );
  return rows.map((row) =>
    keyOf({ sourceEventId: BigInt(row.source_event_id), reportingOrigin: row.reporting_origin }),
  );
}

interface Row {
  readonly id: number;
  readonly reporting_origin: string;
  readonly source_event_id: string;
  readonly destinations: readonly string[];
  readonly source_type: 'navigation' | 'event';
  readonly source_time: Date;
  readonly configuration: string;
  readonly features: string;
}

const CONTENT =
  'reporting_origin, source_event_id, destinations, source_type, source_time, configuration, features';
const COLUMNS = `id, ${CONTENT}`;

export async function selectByKey(
  queries: Queries,
  sources: readonly LoggedSource[],
): Promise<readonly StoredSource[]> {
  if (sources.length === 0) return [];
  const rows = await queries.query<Row>(
    `SELECT ${COLUMNS} FROM sources WHERE (source_event_id, reporting_origin) IN (
       SELECT event_id::NUMERIC, origin FROM unnest($1::TEXT[], $2::TEXT[]) AS source (event_id, origin))`,
    [
      sources.map(({ sourceEventId }) => String(sourceEventId)),
      sources.map(({ reportingOrigin }) => reportingOrigin),
    ],
  );
  return rows.map(sourceOfRow);
}

/** Replaces a row, and keeps what it said. */
export async function updateSource(
  queries: Queries,
  before: StoredSource,
  { destinations, sourceType, time, configuration, features }: StoredSource,
): Promise<void> {
  await queries.query(
    `INSERT INTO source_corrections (corrected_time, ${CONTENT}) SELECT clock_timestamp(), ${CONTENT} FROM sources WHERE id = $1`,
    [before.id],
  );
  await queries.query(
    `UPDATE sources SET destinations = $2::TEXT[], source_type = $3, source_time = $4::TIMESTAMPTZ, configuration = $5, features = $6
     WHERE id = $1`,
    [
      before.id,
      arrayLiteral(destinations),
      sourceType,
      time.toISOString(),
      configuration,
      JSON.stringify(features),
    ],
  );
}

/** What a row of the log said until it was corrected. */
export interface CorrectedSource extends StoredSource {
  readonly correctedTime: Date;
}

/** Up to `limit` corrections, oldest first. @param after the id of the last one that is known */
export async function selectCorrections(
  queries: Queries,
  after: number,
  limit: number,
): Promise<readonly CorrectedSource[]> {
  const rows = await queries.query<Row & { readonly corrected_time: Date }>(
    `SELECT corrected_time, ${COLUMNS} FROM source_corrections WHERE id > $1 ORDER BY id LIMIT $2`,
    [after, limit],
  );
  return rows.map((row) => ({ ...sourceOfRow(row), correctedTime: row.corrected_time }));
}

export async function selectSources(
  queries: Queries,
  filter: SourceFilter,
  { limit, after, upTo }: { readonly limit: number; readonly after: number; readonly upTo: number },
): Promise<readonly StoredSource[]> {
  const parameters = new Parameters();
  const rows = await queries.query<Row>(
    `SELECT ${COLUMNS} FROM sources s
     WHERE id > ${parameters.add(after)} AND id <= ${parameters.add(upTo)} AND ${conditions(filter, 's', parameters)}
     ORDER BY id LIMIT ${parameters.add(limit)}`,
    parameters.values,
  );
  return rows.map(sourceOfRow);
}

/** A feature of the source log, and the type that all its values have. */
export interface FeatureColumn {
  readonly name: string;
  readonly type: 'number' | 'boolean' | 'string';
}

/** The features of all sources, by name. */
export async function selectFeatureColumns(queries: Queries): Promise<readonly FeatureColumn[]> {
  const rows = await queries.query<{ name: string; numbers: boolean | null; booleans: boolean | null }>(
    `SELECT key AS name, bool_and(json_typeof(value) = 'number') AS numbers, bool_and(json_typeof(value) = 'boolean') AS booleans
     FROM sources, json_each(features::JSON) WHERE json_typeof(value) <> 'null'
     GROUP BY key ORDER BY key`,
    [],
  );
  return rows.map(({ name, numbers, booleans }) => ({
    name,
    type: numbers === true ? 'number' : booleans === true ? 'boolean' : 'string',
  }));
}

const sourceOfRow = (row: Row): StoredSource => ({
  id: row.id,
  reportingOrigin: row.reporting_origin,
  sourceEventId: BigInt(row.source_event_id),
  destinations: row.destinations,
  sourceType: row.source_type,
  time: row.source_time,
  configuration: row.configuration,
  features: JSON.parse(row.features) as Readonly<Record<string, Scalar>>,
});
