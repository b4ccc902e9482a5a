import type { Database, Queries } from './database';

/** Applied in order to the empty database. Never change a released step. */
const steps: readonly string[] = [
  `CREATE TABLE reports (
     id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
     kind TEXT NOT NULL,
     report_id TEXT,
     reporting_origin TEXT NOT NULL,
     report_url TEXT,
     received_time TIMESTAMPTZ NOT NULL,
     scheduled_time TIMESTAMPTZ,
     destinations TEXT[],
     source_type TEXT,
     source_event_id NUMERIC(20),
     trigger_data NUMERIC(20),
     randomized_trigger_rate DOUBLE PRECISION,
     bucket_first BIGINT,
     bucket_last BIGINT,
     body TEXT NOT NULL,
     duplicates BIGINT NOT NULL DEFAULT 0,
     UNIQUE (kind, report_id)
   );
   CREATE TABLE refusals (kind TEXT PRIMARY KEY, refused BIGINT NOT NULL);`,

  // When a table is distributed over machines, every unique key must contain the distribution column.
  `CREATE TABLE tallies (
     collector TEXT NOT NULL,
     kind TEXT NOT NULL,
     outcome TEXT NOT NULL,
     reports BIGINT NOT NULL,
     PRIMARY KEY (collector, kind, outcome)
   );
   INSERT INTO tallies SELECT '', kind, 'stored', count(*) FROM reports GROUP BY kind;
   INSERT INTO tallies SELECT '', kind, 'duplicate', sum(duplicates) FROM reports GROUP BY kind;
   INSERT INTO tallies SELECT '', kind, 'refused', refused FROM refusals;
   DROP TABLE refusals;
   UPDATE reports SET report_id = gen_random_uuid()::TEXT WHERE report_id IS NULL;
   ALTER TABLE reports DROP COLUMN duplicates;
   ALTER TABLE reports DROP CONSTRAINT reports_pkey;
   ALTER TABLE reports DROP CONSTRAINT reports_kind_report_id_key;
   ALTER TABLE reports ADD COLUMN noisy_value DOUBLE PRECISION;
   ALTER TABLE reports ADD PRIMARY KEY (report_id, kind);
   CREATE INDEX reports_by_arrival ON reports (id);
   CREATE INDEX reports_by_source ON reports (source_event_id, reporting_origin);
   CREATE TABLE configurations (id TEXT PRIMARY KEY, definition TEXT NOT NULL);
   CREATE TABLE sources (
     id BIGINT GENERATED ALWAYS AS IDENTITY,
     reporting_origin TEXT NOT NULL,
     source_event_id NUMERIC(20) NOT NULL,
     destinations TEXT[] NOT NULL,
     source_type TEXT NOT NULL,
     source_time TIMESTAMPTZ NOT NULL,
     configuration TEXT NOT NULL,
     features TEXT NOT NULL,
     PRIMARY KEY (source_event_id, reporting_origin)
   );
   CREATE INDEX sources_by_arrival ON sources (id);`,

  'CREATE TABLE posted (kind TEXT PRIMARY KEY, received_time TIMESTAMPTZ NOT NULL, content TEXT NOT NULL);',

  // The sums start empty: `addRows` of sums.ts fills them. They are small, and stay on one machine.
  `CREATE TABLE kinds (
     id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
     digest BYTEA NOT NULL UNIQUE,
     destinations TEXT[] NOT NULL,
     source_type TEXT NOT NULL,
     reporting_origin TEXT NOT NULL,
     configuration TEXT,
     features TEXT
   );
   CREATE TABLE source_sums (
     kind BIGINT NOT NULL,
     registered DATE NOT NULL,
     sources BIGINT NOT NULL,
     PRIMARY KEY (kind, registered)
   );
   CREATE TABLE report_sums (
     kind BIGINT NOT NULL,
     unit TEXT NOT NULL,
     registered DATE NOT NULL,
     received TIMESTAMPTZ NOT NULL,
     delay INTEGER NOT NULL,
     reports BIGINT NOT NULL,
     first TIMESTAMPTZ NOT NULL,
     last TIMESTAMPTZ NOT NULL,
     PRIMARY KEY (kind, unit, registered, received, delay)
   );
   CREATE TABLE summed (sources BIGINT NOT NULL, reports BIGINT NOT NULL);
   INSERT INTO summed VALUES (0, 0);
   CREATE INDEX sources_by_time ON sources (source_time);`,

  // All sums start anew, because \`addRows\` fills them together.
  `CREATE TABLE outcome_sums (
     kind BIGINT NOT NULL,
     unit TEXT NOT NULL,
     registered TIMESTAMPTZ NOT NULL,
     output TEXT NOT NULL,
     sources BIGINT NOT NULL,
     incomplete BIGINT NOT NULL,
     reports BIGINT NOT NULL,
     strays BIGINT NOT NULL,
     used BIGINT NOT NULL,
     late BIGINT NOT NULL,
     other_rate BIGINT NOT NULL,
     wrong_trigger_data BIGINT NOT NULL,
     wrong_window BIGINT NOT NULL,
     wrong_bucket BIGINT NOT NULL,
     too_many BIGINT NOT NULL,
     wrong_value BIGINT NOT NULL,
     PRIMARY KEY (unit, registered, kind, output)
   );
   TRUNCATE kinds, source_sums, report_sums;
   UPDATE summed SET sources = 0, reports = 0;
   CREATE INDEX reports_of_other_kinds ON reports (kind) WHERE kind <> 'event-level';`,

  // By the hours of both registration and arrival. It is apart from report_sums, which is read as a whole.
  `CREATE TABLE report_hours (
     registered TIMESTAMPTZ NOT NULL,
     kind BIGINT NOT NULL,
     received TIMESTAMPTZ NOT NULL,
     delay INTEGER NOT NULL,
     reports BIGINT NOT NULL,
     first TIMESTAMPTZ NOT NULL,
     last TIMESTAMPTZ NOT NULL,
     PRIMARY KEY (registered, kind, received, delay)
   );
   TRUNCATE kinds, source_sums, report_sums, outcome_sums;
   UPDATE summed SET sources = 0, reports = 0;`,
];

/** An advisory lock number that nothing else in the database uses. */
const MIGRATION_LOCK = 7_263_510_001;

/**
 * Migrates the tables to this version in one transaction. If several collectors start together, one migrates and the others wait.
 * @throws Error when a newer version of the collector wrote the store.
 */
export async function migrate(database: Database): Promise<void> {
  await database.transaction(async (queries) => {
    await queries.query('SELECT pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
    await queries.query(
      'CREATE TABLE IF NOT EXISTS migrations (version INTEGER PRIMARY KEY, applied_time TIMESTAMPTZ NOT NULL)',
    );
    const version = await currentVersion(queries);
    if (version > steps.length)
      throw new Error(
        `the store has version ${version}; this collector knows versions up to ${steps.length}`,
      );
    for (const [index, sql] of steps.entries()) {
      if (index < version) continue;
      await queries.query(sql);
      await queries.query('INSERT INTO migrations (version, applied_time) VALUES ($1, now())', [index + 1]);
    }
  });
}

/** Removes all tables. @throws Error when the database has none of a collector. */
export const dropTables = (database: Database): Promise<void> =>
  database.transaction(async (queries) => {
    await queries.query('SELECT pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
    const found = await queries.query(`SELECT 1 FROM pg_tables WHERE tablename = 'migrations'`);
    if (found.length === 0) throw new Error('there is no store in this database');
    await queries.query(
      'DROP TABLE reports, tallies, configurations, sources, posted, kinds, source_sums, report_sums, report_hours, outcome_sums, summed, migrations',
    );
  });

async function currentVersion(queries: Queries): Promise<number> {
  const [row] = await queries.query<{ version: number }>(
    'SELECT coalesce(max(version), 0) AS version FROM migrations',
  );
  return row?.version ?? 0;
}
