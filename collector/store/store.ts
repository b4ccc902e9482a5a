import { excludeWriters, joinWriters } from './arrival';
import { unlessStopped, type Database } from './database';
import { journalOf } from './journal-of';
import type { Journal } from './journal';
import { KnownConfigurations } from './known-configurations';
import { admitIssuance, type Issuance, type IssuanceDecision } from './members';
import { migrate } from './migrations';
import { openDatabase } from './open-database';
import { Questions } from './questions';
import { ReportWriter, type OnBatch } from './report-writer';
import { bytesOf, type Outcome, type ReceivedReport } from './reports';
import { insertPosted, type PostedKind } from './posted';
import { areEmpty, insertTables, selectTables, type StoredTables } from './stored-tables';
import { StoreSize } from './store-size';
import { buildSums, Sums, type OnSummed } from './sums';
import {
  insertSources,
  selectConfigurations,
  type IdentifiedConfiguration,
  type LoggedSource,
  type SourceOutcomes,
} from './sources';
import type { CountedReport } from './report-counts';

/** The collector's data: reports, the source log with its configurations, and counts. */
export class CollectorStore {
  readonly #writer: ReportWriter;
  readonly #size: StoreSize;
  readonly #configurations = new KnownConfigurations();
  readonly #sums: Sums;

  private constructor(
    private readonly database: Database,
    private readonly journal: Journal | null,
    onBatch: OnBatch,
  ) {
    this.#size = new StoreSize(database);
    this.#sums = new Sums(database, this.#configurations);
    this.#writer = new ReportWriter(database, journal, (reports) => this.#sums.stored(reports), onBatch);
  }

  /**
   * @param store a folder, `memory://` or `postgres://…`.
   * @throws Error when it cannot be opened, or a newer version of the collector wrote it.
   */
  static async open(
    store: string,
    onBatch: OnBatch = () => undefined,
    onSummed: OnSummed = () => undefined,
  ): Promise<CollectorStore> {
    const database = await openDatabase(store, async (opened) => {
      await migrate(opened);
      await buildSums(opened, onSummed);
    });
    try {
      const opened = new CollectorStore(database, await journalOf(store, database), onBatch);
      await opened.#writer.recover();
      await opened.#size.bytes();
      return opened;
    } catch (error) {
      await database.close();
      throw error;
    }
  }

  /** How many reports the database does not have yet. */
  get waiting(): number {
    return this.#writer.waiting;
  }

  /** Its bytes on the disk, as they were last measured, with what was written since. */
  get knownBytes(): number {
    return this.#size.known;
  }

  /** Its bytes on the disk. */
  bytes(): Promise<number> {
    return this.#size.bytes();
  }

  /**
   * Resolves once the report is durable; rejects when it may not be.
   * @throws TokenSpent when another report has spent its token
   * @returns what becomes of it, once the database has it.
   */
  async accept(report: ReceivedReport): Promise<{ readonly outcome: Promise<Outcome> }> {
    const accepted = await this.#writer.add(report);
    const outcome = accepted.outcome.then((found) => {
      if (found === 'stored') this.#size.add(bytesOf(report));
      return found as Outcome; // one that is refused has thrown, unless its journal was changed by hand
    });
    return { outcome };
  }

  /** Resolves once the database has the report. */
  async add(report: ReceivedReport): Promise<Outcome> {
    return (await this.accept(report)).outcome;
  }

  countRefused(kind: CountedReport['kind']): Promise<void> {
    return this.#writer.countRefused(kind);
  }

  /** Forgets which tokens of these keys were spent. Only for keys whose tokens are refused. */
  forgetTokens(keyIds: readonly string[]): Promise<void> {
    return this.#writer.forgetTokens(keyIds);
  }

  /** Whether a device gets this batch of tokens. It is noted before the answer. */
  admit(issuance: Issuance, isInvited: (digest: string) => boolean): Promise<IssuanceDecision> {
    return this.database.transaction((queries) => admitIssuance(queries, issuance, isInvited));
  }

  /** Stores all new sources; if it rejects, it has stored none. */
  async addSources(
    sources: readonly LoggedSource[],
    configurations: readonly IdentifiedConfiguration[],
  ): Promise<SourceOutcomes> {
    const outcomes = await this.database.transaction(async (queries) => {
      await joinWriters(queries, 'sources');
      return insertSources(queries, sources, configurations);
    });
    this.#sums.stored(outcomes.stored);
    return outcomes;
  }

  configurations(ids: readonly string[]): Promise<readonly IdentifiedConfiguration[]> {
    return selectConfigurations(this.database, ids);
  }

  /** Its reports, its sources and their sums, as another store can get them. */
  async tables(): Promise<StoredTables> {
    await this.#writer.applied();
    await this.#sums.catchUp();
    return selectTables(this.database);
  }

  /** Gives an empty store what another one had. @returns whether it was empty; otherwise nothing changes. */
  async restore(
    tables: StoredTables,
    posted: Readonly<Partial<Record<PostedKind, string>>>,
  ): Promise<boolean> {
    const wasEmpty = await this.database.transaction(async (queries) => {
      // Otherwise a report of another collector could come between the two.
      await excludeWriters(queries);
      // Reports that are refused are counted beside the others.
      await queries.query('LOCK TABLE report_counts, posted IN SHARE ROW EXCLUSIVE MODE');
      if (!(await areEmpty(queries))) return false;
      await insertTables(queries, tables);
      for (const [kind, content] of Object.entries(posted))
        await insertPosted(queries, kind as PostedKind, content);
      return true;
    });
    if (!wasEmpty) return false;
    await this.#sums.learn();
    await this.#size.bytes();
    return true;
  }

  /** Replaces the last posted data of this kind. */
  post(kind: PostedKind, content: string): Promise<void> {
    return insertPosted(this.database, kind, content);
  }

  /**
   * To ask about what was accepted before the call.
   * @param stop when nobody waits for the answers any more
   * @throws QuestionStopped also when a statement takes too long
   */
  async asking(stop = new AbortController().signal): Promise<Questions> {
    await unlessStopped(this.#writer.applied(), stop);
    return new Questions(this.database.asking(stop), this.#configurations, () =>
      unlessStopped(this.#sums.catchUp(), stop),
    );
  }

  /** Rejects when the database does not answer, or could not write the last batch. It waits for no question. */
  async check(): Promise<void> {
    if (this.#writer.isFailing) throw new Error('the last batch could not be written');
    if (this.journal === null) await this.database.query('SELECT 1', []);
  }

  /** Writes what is waiting, then closes the database. */
  async close(): Promise<void> {
    await this.#writer.close();
    await this.#sums.drain();
    await this.database.close();
  }
}
