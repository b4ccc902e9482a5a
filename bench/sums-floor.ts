import { buildSums } from '../collector/store/sums';
import type { Database } from '../collector/store/database';
import { loggedCells, reportedCells, sourceCells } from '../collector/store/cells';
import { COUNTS } from '../collector/store/outcomes';

/*
 * The least that any code must do for the sums of a batch: read each row once, join reports with their sources and count what is alike; and write
 * the same rows with one bare INSERT … ON CONFLICT DO UPDATE for each table, in one transaction, from a table that already has them.
 */

interface Table {
  readonly keys: readonly string[];
  /** What to do with the other columns if there is such a row already. */
  readonly updates: readonly string[];
}

const sumOf = (table: string, column: string): string =>
  `${column} = ${table}.${column} + EXCLUDED.${column}`;

const arrivals = (table: string): Table => ({
  keys: ['kind', 'registered', 'received', 'delay'],
  updates: [
    sumOf(table, 'reports'),
    `first = least(${table}.first, EXCLUDED.first)`,
    `last = greatest(${table}.last, EXCLUDED.last)`,
  ],
});

const tables: ReadonlyMap<string, Table> = new Map([
  ['report_sums', arrivals('report_sums')],
  ['report_hours', arrivals('report_hours')],
  [
    'outcome_sums',
    {
      keys: ['unit', 'registered', 'kind', 'output'],
      updates: COUNTS.map((name) => sumOf('outcome_sums', name)),
    },
  ],
]);

/**
 * Counts reports by what they say and by their source, in hours, with whatever joins the planner likes best, and keeps nothing. It knows no
 * batches, and computes no outcomes.
 */
export async function readSumRows(database: Database): Promise<void> {
  await database.transaction(async (queries) => {
    await queries.query(`SET LOCAL jit = off; SET LOCAL work_mem = '64MB'`);
    for (const cells of [sourceCells('TRUE'), reportedCells('TRUE'), loggedCells('TRUE')])
      await queries.query(`SELECT count(*) FROM (${cells}) AS cells`);
  });
}

const names = [...tables.keys()];
const EMPTY = `TRUNCATE ${names.join(', ')}`;
const TOTALS = names
  .map((name) => `SELECT '${name}' AS name, count(*) AS rows, sum(reports)::BIGINT AS reports FROM ${name}`)
  .join(' UNION ALL ');

/**
 * Makes the sums again, and keeps which rows each transaction wrote.
 * @returns how many rows that were.
 */
export async function recordSumRows(database: Database): Promise<number> {
  await database.query(`${EMPTY}; UPDATE kinds SET sources = 0; UPDATE summed SET sources = 0, reports = 0`);
  // Such a trigger sees each row that a statement would insert, also one that is then added to another.
  for (const name of names)
    await database.query(`CREATE TABLE proposed_${name} AS SELECT 0::BIGINT AS batch, * FROM ${name} WITH NO DATA;
      CREATE FUNCTION propose_${name}() RETURNS TRIGGER LANGUAGE plpgsql AS
        $$ BEGIN INSERT INTO proposed_${name} SELECT txid_current(), NEW.*; RETURN NEW; END $$;
      CREATE TRIGGER propose BEFORE INSERT ON ${name} FOR EACH ROW EXECUTE FUNCTION propose_${name}()`);
  await buildSums(database, () => undefined);
  let rows = 0;
  for (const name of names) {
    await database.query(`DROP TRIGGER propose ON ${name}; DROP FUNCTION propose_${name};
      CREATE INDEX ON proposed_${name} (batch); ANALYZE proposed_${name}`);
    const [found] = await database.query<{ rows: number }>(`SELECT count(*) AS rows FROM proposed_${name}`);
    rows += found?.rows ?? NaN;
  }
  return rows;
}

/**
 * Writes the recorded rows, and nothing else. @param timed around the writing
 * @throws Error if the sums are not the same then
 */
export async function writeSumRows(
  database: Database,
  timed: (work: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const before = JSON.stringify(await database.query(TOTALS));
  const batches = await database.query<{ batch: number }>(
    `${names.map((name) => `SELECT batch FROM proposed_${name}`).join(' UNION ')} ORDER BY batch`,
  );
  await database.query(EMPTY);
  await timed(async () => {
    for (const { batch } of batches)
      await database.transaction((queries) =>
        queries.query(
          `SET LOCAL synchronous_commit = off; ${names.map((name) => writeBatch(name, batch)).join('; ')}`,
        ),
      );
  });
  const after = JSON.stringify(await database.query(TOTALS));
  if (before !== after) throw new Error(`the floor wrote other sums: ${after} instead of ${before}`);
  await database.query(`DROP TABLE ${names.map((name) => `proposed_${name}`).join(', ')}`);
}

function writeBatch(name: string, batch: number): string {
  const { keys, updates } = tables.get(name) ?? { keys: [], updates: [] };
  const columns = [...keys, ...updates.map((update) => update.split(' ', 1)[0] ?? '')].join(', ');
  return `INSERT INTO ${name} (${columns}) SELECT ${columns} FROM proposed_${name} WHERE batch = ${batch}
    ON CONFLICT (${keys.join(', ')}) DO UPDATE SET ${updates.join(', ')}`;
}
