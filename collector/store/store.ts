import { joinWriters, newestId, settledId } from './arrival';
import type { Database } from './database';
import type { SourceGroup } from '../../analysis/estimate/joined-groups';
import type { TrueCount } from './true-counts';
import { selectDimensions, type Dimension } from './dimensions';
import { selectOutcomes, type OutcomesAsked } from './chosen-outcomes';
import { selectClockAhead, selectOtherKinds, selectTrueTotals, type TrueTotal } from './estimate-rows';
import { KnownConfigurations } from './known-configurations';
import { migrate } from './migrations';
import { openDatabase } from './open-database';
import { ReportWriter, type OnBatch } from './report-writer';
import {
  bytesOf,
  selectReports,
  selectReportsOfSources,
  type Outcome,
  type ReceivedReport,
  type ReportFilter,
  type StoredReport,
} from './reports';
import { insertPosted, selectNewestPosted, selectPosted, type Posted, type PostedKind } from './posted';
import { anySource, type SourceFilter } from './source-filter';
import type { OpenAfter } from './standings';
import { StoreSize } from './store-size';
import { buildSums, Sums, type OnSummed } from './sums';
import {
  insertSources,
  selectConfigurations,
  selectFeatureColumns,
  selectSources,
  type Configuration,
  type FeatureColumn,
  type LoggedSource,
  type SourceOutcomes,
  type StoredSource,
} from './sources';
import { selectStatistics, type Statistics } from './statistics';
import { selectCounts, type Counts, type Tally } from './tallies';

/** How many rows a download reads at a time. */
const PAGE = 1000;

/** The collector's data: reports, the source log with its configurations, and counts. */
export class CollectorStore {
  readonly #writer: ReportWriter;
  readonly #size: StoreSize;
  readonly #configurations = new KnownConfigurations();
  readonly #sums: Sums;

  private constructor(
    private readonly database: Database,
    onBatch: OnBatch,
  ) {
    this.#size = new StoreSize(database);
    this.#sums = new Sums(database, this.#configurations);
    this.#writer = new ReportWriter(database, (reports) => this.#sums.stored(reports), onBatch);
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
    return new CollectorStore(database, onBatch);
  }

  /** How many reports wait for the current batch to finish. */
  get waiting(): number {
    return this.#writer.waiting;
  }

  /** Its bytes on the disk. */
  bytes(): Promise<number> {
    return this.#size.bytes();
  }

  /** Resolves once the report is durable; rejects when it may not be. */
  async add(report: ReceivedReport): Promise<Outcome> {
    const outcome = await this.#writer.add(report);
    if (outcome === 'stored') this.#size.add(bytesOf(report));
    return outcome;
  }

  countRefused(kind: Tally['kind']): Promise<void> {
    return this.#writer.countRefused(kind);
  }

  /** The reports stored at the start of the call, oldest first. */
  async *reports(filter: ReportFilter, after = 0): AsyncGenerator<StoredReport> {
    const upTo = await settledId(this.database, 'reports');
    for (let last = after; ;) {
      const slice = { order: 'oldest first', limit: PAGE, after: last, upTo } as const;
      const reports = await selectReports(this.database, filter, slice);
      yield* reports;
      if (reports.length < PAGE) return;
      last = reports.at(-1)?.id ?? last;
    }
  }

  /** The newest reports, newest first. */
  async newestReports(filter: ReportFilter, after: number, limit: number): Promise<readonly StoredReport[]> {
    const upTo = await settledId(this.database, 'reports');
    return selectReports(this.database, filter, { order: 'newest first', limit, after, upTo });
  }

  reportsOf(sources: readonly StoredSource[]): Promise<readonly StoredReport[]> {
    return selectReportsOfSources(this.database, sources);
  }

  /** Stores all new sources; if it rejects, it has stored none. */
  async addSources(
    sources: readonly LoggedSource[],
    configurations: readonly Configuration[],
  ): Promise<SourceOutcomes> {
    const outcomes = await this.database.transaction(async (queries) => {
      await joinWriters(queries, 'sources');
      return insertSources(queries, sources, configurations);
    });
    this.#sums.stored(outcomes.stored);
    return outcomes;
  }

  configurations(ids: readonly string[]): Promise<readonly Configuration[]> {
    return selectConfigurations(this.database, ids);
  }

  /** The sources stored at the start of the call, oldest first, in pages. */
  async *sources(filter = anySource): AsyncGenerator<readonly StoredSource[]> {
    const upTo = await settledId(this.database, 'sources');
    for (let last = 0; ;) {
      const sources = await selectSources(this.database, filter, { limit: PAGE, after: last, upTo });
      if (sources.length > 0) yield sources;
      if (sources.length < PAGE) return;
      last = sources.at(-1)?.id ?? last;
    }
  }

  featureColumns(): Promise<readonly FeatureColumn[]> {
    return selectFeatureColumns(this.database);
  }

  /** As the estimates need them, by id; null where nothing can be estimated. */
  async configurationsOfEstimates(): Promise<ReadonlyMap<string, SourceGroup['configuration']>> {
    const known = await this.#configurations.read(this.database);
    return new Map([...known].map(([id, found]) => [id, found?.configuration ?? null]));
  }

  /** Of all sources and reports that were stored before the call. */
  async outcomes(asked: OutcomesAsked): Promise<Awaited<ReturnType<typeof selectOutcomes>>> {
    await this.#sums.catchUp();
    return this.database.transaction(async (queries) => {
      // All statements see the same sums.
      await queries.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ');
      return selectOutcomes(queries, this.#configurations, asked);
    });
  }

  trueTotals(
    filter: SourceFilter,
    groupBy: readonly string[],
    openAfter: readonly OpenAfter[],
    truth: readonly TrueCount[],
  ): Promise<readonly TrueTotal[]> {
    return selectTrueTotals(this.database, filter, groupBy, openAfter, truth);
  }

  /** By how many seconds some browser's clock is ahead of this machine's, judging by reports. */
  clockAhead(): Promise<number> {
    return selectClockAhead(this.database);
  }

  otherKinds(): Promise<ReadonlyMap<string, number>> {
    return selectOtherKinds(this.database);
  }

  async statistics(filter: SourceFilter, group: string): Promise<Statistics> {
    await this.#sums.catchUp();
    return selectStatistics(this.database, filter, group);
  }

  async dimensions(): Promise<readonly Dimension[]> {
    await this.#sums.catchUp();
    return selectDimensions(this.database);
  }

  /** Changes when sources were added. */
  newestSource(): Promise<number> {
    return newestId(this.database, 'sources');
  }

  /** Replaces the last posted data of this kind. */
  post(kind: PostedKind, content: string): Promise<void> {
    return insertPosted(this.database, kind, content);
  }

  posted(kind: PostedKind): Promise<Posted | null> {
    return selectPosted(this.database, kind);
  }

  /** When something was last posted, in ms; 0: never. */
  newestPosted(): Promise<number> {
    return selectNewestPosted(this.database);
  }

  counts(): Promise<Counts> {
    return selectCounts(this.database);
  }

  /** Rejects when the database does not answer, or could not write the last batch. */
  async check(): Promise<void> {
    if (this.#writer.isFailing) throw new Error('the last batch could not be written');
    await this.database.query('SELECT 1', []);
  }

  /** Writes what is waiting, then closes the database. */
  async close(): Promise<void> {
    await this.#writer.drain();
    await this.#sums.drain();
    await this.database.close();
  }
}
