import type { Database, Queries } from './database';

/**
 * Each entry makes the next version of the tables, the first from an empty database. The store records which ones have run. Never change
 * a released one: CONTRIBUTING.md says how to add the next.
 */
export const versions: readonly string[] = [
  // If tables are distributed over machines, each unique key must contain the distribution column. So ids are not unique keys.
  `CREATE TABLE reports (
     id BIGINT GENERATED ALWAYS AS IDENTITY,
     kind TEXT NOT NULL,
     report_id TEXT NOT NULL,
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
     noisy_value DOUBLE PRECISION,
     PRIMARY KEY (report_id, kind)
   );
   CREATE INDEX reports_by_arrival ON reports (id);
   CREATE INDEX reports_by_source ON reports (source_event_id, reporting_origin, kind, id);
   CREATE INDEX reports_of_other_kinds ON reports (kind) WHERE kind <> 'event-level';

   CREATE TABLE report_counts (
     collector TEXT NOT NULL,
     kind TEXT NOT NULL,
     outcome TEXT NOT NULL,
     reports BIGINT NOT NULL,
     PRIMARY KEY (collector, kind, outcome)
   );

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
   CREATE INDEX sources_by_arrival ON sources (id);
   CREATE INDEX sources_by_time ON sources (source_time);

   CREATE TABLE posted (kind TEXT PRIMARY KEY, received_time TIMESTAMPTZ NOT NULL, content TEXT NOT NULL);

   -- The sums. They are small, and stay on one machine. sums.ts fills them.
   CREATE TABLE kinds (
     id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
     digest BYTEA NOT NULL UNIQUE,
     destinations TEXT[] NOT NULL,
     source_type TEXT NOT NULL,
     reporting_origin TEXT NOT NULL,
     configuration TEXT,
     features TEXT,
     sources BIGINT NOT NULL DEFAULT 0
   );
   -- By the days of both registration and arrival.
   CREATE TABLE report_sums (
     kind BIGINT NOT NULL,
     registered TIMESTAMPTZ NOT NULL,
     received TIMESTAMPTZ NOT NULL,
     delay INTEGER NOT NULL,
     reports BIGINT NOT NULL,
     first TIMESTAMPTZ NOT NULL,
     last TIMESTAMPTZ NOT NULL,
     PRIMARY KEY (kind, registered, received, delay)
   );
   CREATE TABLE outcome_sums (
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
   -- By the hours of both; for reports of unknown sources, registration is minus infinity.
   CREATE TABLE report_hours (
     registered TIMESTAMPTZ NOT NULL,
     kind BIGINT NOT NULL,
     received TIMESTAMPTZ NOT NULL,
     delay INTEGER NOT NULL,
     reports BIGINT NOT NULL,
     first TIMESTAMPTZ NOT NULL,
     last TIMESTAMPTZ NOT NULL,
     PRIMARY KEY (registered, kind, received, delay)
   );
   CREATE TABLE summed (sources BIGINT NOT NULL, reports BIGINT NOT NULL);
   INSERT INTO summed VALUES (0, 0);

   -- Up to where the lines of a folder's journal are in the tables.
   CREATE TABLE journal (part BIGINT NOT NULL, position BIGINT NOT NULL);
   INSERT INTO journal VALUES (0, 0);

   -- Tokens of trials. Whoever gets them and whoever spends them have nothing in common here, and no times of their own.
   CREATE TABLE members (invitation TEXT PRIMARY KEY, member TEXT NOT NULL UNIQUE);
   CREATE TABLE token_batches (
     member TEXT NOT NULL,
     key_id TEXT NOT NULL,
     blinded TEXT NOT NULL,
     PRIMARY KEY (member, key_id)
   );
   CREATE TABLE spent_tokens (key_id TEXT NOT NULL, nonce TEXT NOT NULL, used_for TEXT NOT NULL, PRIMARY KEY (key_id, nonce));

   -- What rows of the source log said before they were corrected.
   CREATE TABLE source_corrections (
     id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
     corrected_time TIMESTAMPTZ NOT NULL,
     reporting_origin TEXT NOT NULL,
     source_event_id NUMERIC(20) NOT NULL,
     destinations TEXT[] NOT NULL,
     source_type TEXT NOT NULL,
     source_time TIMESTAMPTZ NOT NULL,
     configuration TEXT NOT NULL,
     features TEXT NOT NULL
   );`,
];

/** An advisory lock number that nothing else in the database uses. */
const MIGRATION_LOCK = 7_263_510_001;

/**
 * Brings the tables to the last of the versions in one transaction. If several collectors start together, one does it and the others wait.
 * @param known the versions that this collector knows.
 * @throws Error when the store has a later version.
 */
export async function migrate(database: Database, known = versions): Promise<void> {
  await database.transaction(async (queries) => {
    await queries.query('SELECT pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
    await queries.query(
      'CREATE TABLE IF NOT EXISTS migrations (version INTEGER PRIMARY KEY, applied_time TIMESTAMPTZ NOT NULL)',
    );
    const version = await currentVersion(queries);
    if (version > known.length)
      throw new Error(
        `a newer collector has upgraded this store to version ${version}, and this one knows versions up to ${known.length}: start a collector at least as new as that one, or restore the backup from before its upgrade`,
      );
    for (const [index, sql] of known.entries()) {
      if (index < version) continue;
      await queries.query(sql);
      await queries.query('INSERT INTO migrations (version, applied_time) VALUES ($1, now())', [index + 1]);
    }
  });
}

/**
 * Removes all tables, of any version, so the list also has tables that only earlier collectors made.
 * @throws Error when the database has no tables of a collector.
 */
export const dropTables = (database: Database): Promise<void> =>
  database.transaction(async (queries) => {
    await queries.query('SELECT pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
    const found = await queries.query(`SELECT 1 FROM pg_tables WHERE tablename = 'migrations'`);
    if (found.length === 0) throw new Error('there is no store in this database');
    await queries.query(
      'DROP TABLE IF EXISTS reports, report_counts, configurations, sources, source_corrections, posted, kinds, source_sums, report_sums, report_hours, outcome_sums, summed, journal, members, token_batches, spent_tokens, migrations',
    );
  });

async function currentVersion(queries: Queries): Promise<number> {
  const [row] = await queries.query<{ version: number }>(
    'SELECT coalesce(max(version), 0) AS version FROM migrations',
  );
  return row?.version ?? 0;
}
