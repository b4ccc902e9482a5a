import { settledId } from './arrival';
import { addToSums, type Summed } from './additions';
import type { Database, Queries } from './database';
import { KnownConfigurations } from './known-configurations';

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
    await this.learn();
  }

  /** Lets the planner learn about the sums. */
  async learn(): Promise<void> {
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

const FORGET = `DELETE FROM report_sums; DELETE FROM report_hours; DELETE FROM outcome_sums;
  UPDATE kinds SET sources = 0; UPDATE summed SET sources = 0, reports = 0`;

/** Those that only rows had that say something else now. */
const FORGET_KINDS = `DELETE FROM kinds WHERE id NOT IN
  (SELECT kind FROM report_sums UNION SELECT kind FROM report_hours UNION SELECT kind FROM outcome_sums)`;

/** PGlite's planner learns only so, and a server's only minutes later. Without, it takes large sums for small ones. */
const ANALYZE = 'ANALYZE kinds, report_sums, report_hours, outcome_sums';
const FEWEST_UNKNOWN = 1000;
/** As a share of all rows. */
const MOST_UNKNOWN = 0.2;

/** A crash of the server may lose such a commit, and then the same rows are added again. So no report waits for its way to the disk. */
const LOSABLE = 'SET LOCAL synchronous_commit = off';

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
    const now = await database.transaction(async (queries) => {
      await queries.query(LOSABLE);
      return addSome(queries, known, upTo, rows);
    });
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
  if (added > 0) await addToSums(queries, known, before, after);
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
