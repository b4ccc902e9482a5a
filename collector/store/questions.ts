import { settledId, newestId } from './arrival';
import type { SourceGroup } from '../../analysis/estimate/join/joined-groups';
import type { TrueCount } from './true-counts';
import type { Transactions } from './database';
import { selectDimensions, type Dimension } from './dimensions';
import { selectOutcomes, type OutcomesAsked } from './chosen-outcomes';
import { selectClockAhead, selectOtherKinds, selectTrueTotals, type TrueTotal } from './estimate-rows';
import type { KnownConfigurations } from './known-configurations';
import { selectReports, selectReportsOfSources, type ReportFilter, type StoredReport } from './reports';
import { selectNewestPosted, selectPosted, type Posted, type PostedKind } from './posted';
import { anySource, type SourceFilter } from './source-filter';
import type { OpenAfter } from './source-status';
import {
  selectConfigurations,
  selectCorrections,
  selectFeatureColumns,
  selectSources,
  type IdentifiedConfiguration,
  type CorrectedSource,
  type FeatureColumn,
  type StoredSource,
} from './sources';
import { selectStatistics, type Statistics } from './statistics';
import { selectCounts, type Counts } from './report-counts';

/** How many rows a download reads at a time. */
const PAGE = 1000;

/** What one who asks can read of the collector's data. Intake does not wait for it. */
export class Questions {
  /**
   * @param database for questions
   * @param caughtUp resolves once the sums cover what was stored before
   */
  constructor(
    private readonly database: Transactions,
    private readonly known: KnownConfigurations,
    private readonly caughtUp: () => Promise<void>,
  ) {}

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

  configurations(ids: readonly string[]): Promise<readonly IdentifiedConfiguration[]> {
    return selectConfigurations(this.database, ids);
  }

  /** The sources stored at the start of the call, oldest first, in pages. */
  async *sources(filter = anySource): AsyncGenerator<readonly StoredSource[]> {
    const upTo = await settledId(this.database, 'sources');
    yield* inPages((after) => selectSources(this.database, filter, { limit: PAGE, after, upTo }));
  }

  /** What rows of the source log said before they were corrected, oldest correction first, in pages. */
  corrections(): AsyncGenerator<readonly CorrectedSource[]> {
    return inPages((after) => selectCorrections(this.database, after, PAGE));
  }

  featureColumns(): Promise<readonly FeatureColumn[]> {
    return selectFeatureColumns(this.database);
  }

  /** As the estimates need them, by id; null where reports say nothing. */
  async configurationsOfEstimates(): Promise<ReadonlyMap<string, SourceGroup['configuration']>> {
    const known = await this.known.read(this.database);
    return new Map([...known].map(([id, found]) => [id, found?.configuration ?? null]));
  }

  /** The outcomes of all sources and reports that were stored before the call. */
  async outcomes(asked: OutcomesAsked): Promise<Awaited<ReturnType<typeof selectOutcomes>>> {
    await this.caughtUp();
    return this.database.transaction(async (queries) => {
      // All statements see the same sums.
      await queries.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ');
      return selectOutcomes(queries, this.known, asked);
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
    await this.caughtUp();
    return selectStatistics(this.database, filter, group);
  }

  async dimensions(): Promise<readonly Dimension[]> {
    await this.caughtUp();
    return selectDimensions(this.database);
  }

  /** Changes when sources were added. */
  newestSource(): Promise<number> {
    return newestId(this.database, 'sources');
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
}

/** Pages of rows by ascending id, none of them empty. @param select up to `PAGE` rows after an id */
async function* inPages<Row extends { readonly id: number }>(
  select: (after: number) => Promise<readonly Row[]>,
): AsyncGenerator<readonly Row[]> {
  for (let last = 0; ;) {
    const rows = await select(last);
    if (rows.length > 0) yield rows;
    if (rows.length < PAGE) return;
    last = rows.at(-1)?.id ?? last;
  }
}
