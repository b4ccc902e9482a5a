import type { Queries } from './database';

/** The rows of tables as lists in JSON, by the name of the table. PostgreSQL writes and reads them, so that no number loses digits. */
export type StoredTables = Readonly<Record<string, string>>;

/** With reports, sources, and their sums. */
export const tables = [
  ...['configurations', 'sources', 'reports', 'report_counts'],
  ...['kinds', 'report_sums', 'outcome_sums', 'report_hours', 'summed'],
];
const numbered = ['sources', 'reports', 'kinds'];

export async function selectTables(queries: Queries): Promise<StoredTables> {
  const found: Record<string, string> = {};
  for (const table of tables) {
    const [row] = await queries.query<{ rows: string }>(
      `SELECT coalesce(json_agg(t ORDER BY t), '[]')::TEXT AS rows FROM ${table} AS t`,
      [],
    );
    found[table] = row?.rows ?? '[]';
  }
  return found;
}

/** Whether there is nothing that `insertTables` would mix with what it inserts, and nothing posted. */
export async function areEmpty(queries: Queries): Promise<boolean> {
  // This one has a row from the start.
  const filled = [...tables.filter((table) => table !== 'summed'), 'posted'].map(
    (table) => `EXISTS (SELECT FROM ${table})`,
  );
  const [row] = await queries.query<{ filled: boolean }>(`SELECT ${filled.join(' OR ')} AS filled`, []);
  return row?.filled === false;
}

/** Fills tables that are empty. It takes a fraction of the time in which the rows are read, checked, and added to sums one by one. */
export async function insertTables(queries: Queries, stored: StoredTables): Promise<void> {
  for (const table of tables)
    if (typeof stored[table] !== 'string') throw new Error(`the table ${table} is missing`);
  // A collector that waits for this row would not find another one in its place.
  await queries.query(
    `UPDATE summed SET (sources, reports) =
       (SELECT sources, reports FROM json_populate_recordset(NULL::summed, $1::JSON))`,
    [stored['summed'] ?? '[]'],
  );
  for (const table of tables.filter((name) => name !== 'summed'))
    await queries.query(
      `INSERT INTO ${table} OVERRIDING SYSTEM VALUE SELECT * FROM json_populate_recordset(NULL::${table}, $1::JSON)`,
      [stored[table] ?? '[]'],
    );
  for (const table of numbered)
    await queries.query(
      `SELECT setval(pg_get_serial_sequence('${table}', 'id'), (SELECT max(id) FROM ${table}))`,
      [],
    );
}
