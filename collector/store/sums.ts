import { settledId } from './arrival';
import {
  digestOf,
  KIND,
  loggedCells,
  reportedCells,
  MOST_STRANGE_KINDS,
  reportedKinds,
  reportedKindsOfSources,
  REST,
  sourceCells,
  sourceKinds,
  startOf,
} from './cells';
import type { Database, Queries } from './database';
import { KnownConfigurations } from './known-configurations';
import { addOutcomes, type Summed } from './outcome-sums';
import { BY_INDEX } from './outcomes';

/** While reports arrive, at most so many rows of each table are added in one transaction. */
const FEW = 10_000;
/** The same limit before the collector starts. Then only the start waits. */
const MANY = 100_000;

/**
 * The sums that the dashboard reads. They cover the rows up to an id of each table, and each row is added once: in one transaction with the
 * ids up to which the sums now go. So it does not matter in which order reports and their sources come, whether the collector is killed, or how
 * many collectors there are. Reports need not wait for it, because rows are added later: when there are enough of them, and before sums are
 * read.
 */
export class Sums {
  #waiting = 0;
  #running: Promise<void> = Promise.resolve();
  #next: Promise<void> | null = null;
  /** Rows since the planner learned about the sums. */
  #unknown = 0;

  /** @param known the store's configurations */
  constructor(
    private readonly database: Database,
    private readonly known: KnownConfigurations,
  ) {}

  /** Call it after rows were stored. It adds them once there are enough. */
  stored(rows: number): void {
    this.#waiting += rows;
    // If it fails, whoever reads the sums tries again and gets the error.
    if (this.#waiting >= FEW && this.#next === null) this.catchUp().catch(() => undefined);
  }

  /** Adds all rows that were stored before the call. All who wait share one connection. */
  catchUp(): Promise<void> {
    this.#next ??= this.#running
      .catch(() => undefined)
      .then(() => {
        this.#running = this.#next ?? this.#running;
        this.#next = null;
        this.#waiting = 0;
        return this.addAll();
      });
    return this.#next;
  }

  /** Resolves when no rows are being added in the background. */
  async drain(): Promise<void> {
    await (this.#next ?? this.#running).catch(() => undefined);
  }

  private async addAll(): Promise<void> {
    const { added, all } = await addRows(this.database, this.known, FEW);
    this.#unknown += added;
    if (this.#unknown < Math.max(FEWEST_UNKNOWN, all * MOST_UNKNOWN)) return;
    this.#unknown = 0;
    await this.database.query(ANALYZE);
  }
}

/** Is called with how many rows of both tables are done, and how many there are. */
export type OnSummed = (done: number, all: number) => void;

/** Adds what the sums lack before the collector starts: all rows, where new tables came without sums. */
export async function buildSums(database: Database, progress: OnSummed): Promise<void> {
  const { added } = await addRows(database, new KnownConfigurations(), MANY, progress);
  if (added > 0) await database.query(ANALYZE);
}

/**
 * Makes the sums of all rows again that they have, because some of these rows say something else now. Nobody reads or adds to them before the
 * transaction ends.
 */
export async function buildAnew(
  queries: Queries,
  known: KnownConfigurations,
  progress: OnSummed,
): Promise<void> {
  const upTo = await summedUpTo(queries);
  await queries.query(FORGET);
  const all = upTo.sources + upTo.reports;
  for (let done = 0; done < all;) {
    const now = await addSome(queries, known, upTo, MANY);
    done = now.sources + now.reports;
    progress(done, all);
  }
  await queries.query(FORGET_KINDS);
}

const FORGET = `DELETE FROM source_sums; DELETE FROM report_sums; DELETE FROM report_hours; DELETE FROM outcome_sums;
  UPDATE summed SET sources = 0, reports = 0`;

/** Those that only rows had that say something else now. */
const FORGET_KINDS = `DELETE FROM kinds WHERE id NOT IN
  (SELECT kind FROM source_sums UNION SELECT kind FROM report_sums UNION SELECT kind FROM report_hours UNION SELECT kind FROM outcome_sums)`;

/** PGlite's planner learns only so, and a server's only minutes later. Without, it takes large sums for small ones. */
const ANALYZE = 'ANALYZE kinds, source_sums, report_sums, report_hours, outcome_sums';
const FEWEST_UNKNOWN = 1000;
/** As a share of all rows. */
const MOST_UNKNOWN = 0.2;

/** @returns how many rows were added, and how many there are. */
async function addRows(
  database: Database,
  known: KnownConfigurations,
  rows: number,
  progress?: OnSummed,
): Promise<{ readonly added: number; readonly all: number }> {
  const upTo = {
    sources: await settledId(database, 'sources'),
    reports: await settledId(database, 'reports'),
  };
  const all = upTo.sources + upTo.reports;
  let added = 0;
  for (let done = 0; done < all;) {
    const now = await database.transaction((queries) => addSome(queries, known, upTo, rows));
    done = now.sources + now.reports;
    added += now.added;
    progress?.(done, all);
  }
  return { added, all };
}

/** @returns the id up to which the sums now go, at most `upTo`. */
async function addSome(
  queries: Queries,
  known: KnownConfigurations,
  upTo: Summed,
  rows: number,
): Promise<Summed & { readonly added: number }> {
  const before = await summedUpTo(queries);
  const next = (table: keyof Summed): number =>
    Math.max(before[table], Math.min(before[table] + rows, upTo[table]));
  const after = { sources: next('sources'), reports: next('reports') };
  const added = after.sources - before.sources + after.reports - before.reports;
  if (added > 0) {
    await queries.query(additions(before, after).join(';\n'));
    await addOutcomes(queries, known, before, after);
  }
  return {
    sources: Math.min(after.sources, upTo.sources),
    reports: Math.min(after.reports, upTo.reports),
    added,
  };
}

/** Collectors with the same store, and corrections, take turns from here to the end of the transaction. */
export async function summedUpTo(queries: Queries): Promise<Summed> {
  const [found] = await queries.query<Summed>('SELECT sources, reports FROM summed FOR UPDATE');
  if (found === undefined) throw new Error('the store does not say what was summed');
  return found;
}

/** The statements without parameters, so that they go together. */
function additions(before: Summed, after: Summed): readonly string[] {
  const newSources = `s.id > ${before.sources} AND s.id <= ${after.sources}`;
  const newReports = `r.id > ${before.reports} AND r.id <= ${after.reports}`;
  return [
    BY_INDEX,
    `SET LOCAL work_mem = '64MB'`,
    addKinds(sourceKinds(newSources)),
    // So that strangers cannot take the place of what the log has.
    addKinds(reportedKindsOfSources(newSources)),
    addKinds(REST),
    addStrangeKinds(reportedKinds(newReports)),
    addSources(sourceCells(newSources)),
    addReports(reportedCells(newReports)),
    addLoggedReports(`${newReports} AND s.id <= ${after.sources}`),
    addLoggedReports(`r.id <= ${before.reports} AND ${newSources}`),
    `UPDATE summed SET sources = ${after.sources}, reports = ${after.reports}`,
  ];
}

const addKinds = (kinds: string): string =>
  `INSERT INTO kinds (digest, ${KIND.join(', ')})
   SELECT ${digestOf('c')}, ${KIND.join(', ')} FROM (${kinds}) AS c ON CONFLICT DO NOTHING`;

/** Anybody can make up kinds with reports. */
const addStrangeKinds = (kinds: string): string =>
  `INSERT INTO kinds (digest, ${KIND.join(', ')})
   SELECT digest, ${KIND.join(', ')} FROM (SELECT ${digestOf('c')} AS digest, c.* FROM (${kinds}) AS c) AS found
   WHERE digest NOT IN (SELECT digest FROM kinds)
   LIMIT greatest(0, ${MOST_STRANGE_KINDS} - (SELECT count(*) FROM kinds WHERE configuration IS NULL))`;

const addSources = (cells: string): string =>
  `INSERT INTO source_sums (kind, registered, sources)
   SELECT kinds.id, registered, sources FROM (${cells}) AS c JOIN kinds ON kinds.digest = ${digestOf('c')}
   ON CONFLICT (kind, registered) DO UPDATE SET sources = source_sums.sources + EXCLUDED.sources`;

const addReports = (cells: string): string =>
  `WITH cells AS MATERIALIZED (
     SELECT coalesce(kinds.id, (SELECT id FROM kinds WHERE digest = (SELECT ${digestOf('rest')} FROM (${REST}) AS rest))) AS kind,
       registered, received, delay, reports, first, last
     FROM (${cells}) AS c LEFT JOIN kinds ON kinds.digest = ${digestOf('c')}) ${addByDay}`;

const addLoggedReports = (where: string): string =>
  `WITH cells AS MATERIALIZED (${ofKinds(loggedCells(where))}),
   by_hour AS (INSERT INTO report_hours (registered, kind, received, delay, reports, first, last)
     SELECT registered, kind, received, delay, reports, first, last FROM cells ORDER BY registered, kind
     ON CONFLICT (registered, kind, received, delay) DO UPDATE SET ${addition('report_hours')})
   ${addByDay}`;

const ofKinds = (cells: string): string =>
  `SELECT kinds.id AS kind, registered, received, delay, reports, first, last
   FROM (${cells}) AS c JOIN kinds ON kinds.digest = ${digestOf('c')}`;

const addition = (table: string): string =>
  `reports = ${table}.reports + EXCLUDED.reports, first = least(${table}.first, EXCLUDED.first), last = greatest(${table}.last, EXCLUDED.last)`;

const addByDay = `INSERT INTO report_sums (kind, unit, registered, received, delay, reports, first, last)
   SELECT kind, unit, day, start, delay, sum(reports)::BIGINT, min(first), max(last)
   FROM cells, (VALUES ('hour'), ('day')) AS units (unit),
   LATERAL (SELECT (registered AT TIME ZONE 'UTC')::DATE AS day, ${startOf('unit', 'received')} AS start) AS times
   GROUP BY kind, unit, day, start, delay
   ON CONFLICT (kind, unit, registered, received, delay) DO UPDATE SET ${addition('report_sums')}`;
