import type { LogEntry } from '../model/decision';
import type { EligibleRequest, UndecidedResponse } from '../model/requests';
import type {
  FinishedReport,
  InternalId,
  RateLimitRecord,
  Report,
  Source,
  UndrawnOutput,
} from '../model/records';
import { budgetKey, type Spend } from '../model/spend';

/** The tables and what they hold. */
export interface Rows {
  readonly sources: Source;
  readonly reports: Report;
  readonly finished: FinishedReport;
  readonly undrawn: UndrawnOutput;
  readonly rateLimits: RateLimitRecord;
  readonly spends: Spend;
  readonly log: LogEntry;
  readonly eligibleRequests: EligibleRequest;
  readonly undecidedResponses: UndecidedResponse;
}

export type TableName = keyof Rows;

export const tableNames = (): readonly TableName[] => Object.keys(indexes) as TableName[];

export type IndexKey = string | number;

/** Stands beside the times of finished reports; no search up to a time finds it. */
export const RANDOMIZED = 'randomized';

/**
 * The secondary keys of each table, computed from a row, so that every implementation of the store agrees on them. A
 * row may have several keys in one index, or none.
 */
export const indexes = {
  sources: {
    /** Who can be attributed: see `candidateKey`. */
    candidate: (source: Source): readonly IndexKey[] =>
      source.registration.destinations.map((destination) =>
        candidateKey(source.reportingOrigin, destination),
      ),
    sourceOrigin: (source: Source): readonly IndexKey[] => [source.sourceOrigin],
    expiryTime: (source: Source): readonly IndexKey[] => [source.expiryTime],
  },
  reports: {
    /** What is held back has no time: nothing that looks for what is due must find it. */
    nextAttempt: (report: Report): readonly IndexKey[] =>
      report.event?.held === true ? [] : [report.nextAttempt],
    sourceId: (report: Report): readonly IndexKey[] => (report.event === null ? [] : [report.event.sourceId]),
    destination: (report: Report): readonly IndexKey[] =>
      report.kind === 'event-level' && report.event !== null ? report.event.destinations : [],
  },
  finished: {
    /** What was never sent, because other reports left in its place, has a second key, by which it is counted. */
    time: (finished: FinishedReport): readonly IndexKey[] =>
      finished.end === 'randomized' ? [finished.time, RANDOMIZED] : [finished.time],
  },
  undrawn: {
    closesAt: (output: UndrawnOutput): readonly IndexKey[] => [output.closesAt],
  },
  rateLimits: {
    sourceSite: (record: RateLimitRecord): readonly IndexKey[] => [`${record.scope} ${record.sourceSite}`],
    pair: (record: RateLimitRecord): readonly IndexKey[] => [pairKey(record)],
    entity: (record: RateLimitRecord): readonly IndexKey[] =>
      record.entityId === null ? [] : [`${record.scope} ${record.entityId}`],
    time: (record: RateLimitRecord): readonly IndexKey[] => [record.time],
  },
  spends: {
    account: (spend: Spend): readonly IndexKey[] => [budgetKey(spend)],
    time: (spend: Spend): readonly IndexKey[] => [spend.time],
  },
  log: {
    time: (entry: LogEntry): readonly IndexKey[] => [entry.time],
    kindAndSite: (entry: LogEntry): readonly IndexKey[] => [kindAndSiteKey(entry.kind, entry.contextSite)],
  },
  eligibleRequests: {
    url: (request: EligibleRequest): readonly IndexKey[] => [request.url],
    time: (request: EligibleRequest): readonly IndexKey[] => [request.time],
  },
  undecidedResponses: {
    requestUrl: (response: UndecidedResponse): readonly IndexKey[] => [response.requestUrl],
    time: (response: UndecidedResponse): readonly IndexKey[] => [response.time],
  },
} as const satisfies { [Name in TableName]: Record<string, (row: Rows[Name]) => readonly IndexKey[]> };

export type IndexName<Name extends TableName> = keyof (typeof indexes)[Name] & string;

/** Sources of one reporting origin that name one destination. */
export const candidateKey = (reportingOrigin: string, destination: string): string =>
  `${reportingOrigin} ${destination}`;

/** Log entries of one kind on one site. */
export const kindAndSiteKey = (kind: LogEntry['kind'], site: string): string => `${kind} ${site}`;

/** Records of one scope for one source site and destination. */
export const pairKey = (record: Pick<RateLimitRecord, 'scope' | 'sourceSite' | 'destination'>): string =>
  `${record.scope} ${record.sourceSite} ${record.destination}`;

/** One table within a transaction. Rows come in the order of their ids unless said otherwise. */
export interface Table<Name extends TableName> {
  get(id: InternalId): Promise<Rows[Name] | undefined>;
  /** Adds the row, or replaces the one with its id. */
  put(row: Rows[Name]): Promise<void>;
  delete(id: InternalId): Promise<void>;
  /** The rows with that key in the index. */
  where(index: IndexName<Name>, key: IndexKey): Promise<Rows[Name][]>;
  countWhere(index: IndexName<Name>, key: IndexKey): Promise<number>;
  /** The rows whose key is at most `last`, in ascending order of the key. */
  upTo(index: IndexName<Name>, last: number): Promise<Rows[Name][]>;
  /** The row with the smallest key of the index. */
  first(index: IndexName<Name>): Promise<Rows[Name] | undefined>;
  /** The rows with the greatest ids, greatest first; of those with smaller ids than `before`, if that is given. */
  latest(limit: number, before?: InternalId): Promise<Rows[Name][]>;
  count(): Promise<number>;
  clear(): Promise<void>;
}

/**
 * A transaction: all of it happens or nothing. Work inside it may await nothing but the transaction itself, because
 * IndexedDB commits as soon as nothing is asked of it.
 */
export interface Transaction {
  table<Name extends TableName>(name: Name): Table<Name>;
  /** ARA, "get the next internal ID". */
  nextId(): Promise<InternalId>;
}

export interface Store {
  /** Transactions that write run one after the other. When `work` rejects, nothing of it stays. */
  write<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>;
  read<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>;
}
