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

/** A key among the times of finished reports that no search by time finds. */
export const RANDOMIZED = 'randomized';

export interface Index<Row> {
  /** The version of the schema that last changed the index or its keys. */
  readonly since: number;
  /** A row may have several keys in one index, or none. */
  readonly keys: (row: Row) => readonly IndexKey[];
}

const index = <Row>(since: number, keys: Index<Row>['keys']): Index<Row> => ({ since, keys });

/**
 * The secondary keys of each table, computed from a row, so that all stores agree on them. To add or change one, give it the next
 * version of the schema; the database upgrade does the rest.
 */
export const indexes = {
  sources: {
    candidate: index(1, (source: Source) =>
      source.registration.destinations.map((destination) =>
        candidateKey(source.reportingOrigin, destination),
      ),
    ),
    sourceOrigin: index(1, (source: Source) => [source.sourceOrigin]),
    expiryTime: index(1, (source: Source) => [source.expiryTime]),
  },
  reports: {
    /** Held reports have no time, so that no search for due reports finds them. */
    nextAttempt: index(1, (report: Report) => (report.event?.held === true ? [] : [report.nextAttempt])),
    sourceId: index(1, (report: Report) => (report.event === null ? [] : [report.event.sourceId])),
    destination: index(1, (report: Report) =>
      report.kind === 'event-level' && report.event !== null ? report.event.destinations : [],
    ),
  },
  finished: {
    /** Reports that noise replaced were never sent; a second key counts them. */
    time: index(3, (finished: FinishedReport) =>
      finished.end === 'randomized' ? [finished.time, RANDOMIZED] : [finished.time],
    ),
  },
  undrawn: {
    closesAt: index(2, (output: UndrawnOutput) => [output.closesAt]),
  },
  rateLimits: {
    sourceSite: index(1, (record: RateLimitRecord) => [`${record.scope} ${record.sourceSite}`]),
    pair: index(1, (record: RateLimitRecord) => [pairKey(record)]),
    entity: index(1, (record: RateLimitRecord) =>
      record.entityId === null ? [] : [`${record.scope} ${record.entityId}`],
    ),
    time: index(1, (record: RateLimitRecord) => [record.time]),
  },
  spends: {
    account: index(4, (spend: Spend) => [budgetKey(spend)]),
    time: index(2, (spend: Spend) => [spend.time]),
  },
  log: {
    time: index(1, (entry: LogEntry) => [entry.time]),
    kindAndSite: index(1, (entry: LogEntry) => [kindAndSiteKey(entry.kind, entry.contextSite)]),
  },
  eligibleRequests: {
    url: index(1, (request: EligibleRequest) => [request.url]),
    time: index(1, (request: EligibleRequest) => [request.time]),
  },
  undecidedResponses: {
    requestUrl: index(1, (response: UndecidedResponse) => [response.requestUrl]),
    time: index(1, (response: UndecidedResponse) => [response.time]),
  },
} as const satisfies Indexes;

export type Indexes = { readonly [Name in TableName]: Readonly<Record<string, Index<Rows[Name]>>> };

export const indexesOf = <Name extends TableName>(
  name: Name,
  all: Indexes = indexes,
): readonly (readonly [name: string, index: Index<Rows[Name]>])[] => Object.entries(all[name]);

export type IndexName<Name extends TableName> = keyof (typeof indexes)[Name] & string;

export const candidateKey = (reportingOrigin: string, destination: string): string =>
  `${reportingOrigin} ${destination}`;

export const kindAndSiteKey = (kind: LogEntry['kind'], site: string): string => `${kind} ${site}`;

export const pairKey = (record: Pick<RateLimitRecord, 'scope' | 'sourceSite' | 'destination'>): string =>
  `${record.scope} ${record.sourceSite} ${record.destination}`;

/** One table in a read transaction. Rows come in ascending order of id unless stated otherwise. */
interface ReadTable<Name extends TableName> {
  get(id: InternalId): Promise<Rows[Name] | undefined>;
  where(index: IndexName<Name>, key: IndexKey): Promise<Rows[Name][]>;
  countWhere(index: IndexName<Name>, key: IndexKey): Promise<number>;
  /** The rows whose key is at most `last`, by ascending key. */
  upTo(index: IndexName<Name>, last: number): Promise<Rows[Name][]>;
  /** The row with the smallest key; with `after`, the smallest above that. */
  first(index: IndexName<Name>, after?: number): Promise<Rows[Name] | undefined>;
  /** The rows with the greatest ids, descending; with `before`, only smaller ids. */
  latest(limit: number, before?: InternalId): Promise<Rows[Name][]>;
  count(): Promise<number>;
}

export interface Table<Name extends TableName> extends ReadTable<Name> {
  put(row: Rows[Name]): Promise<void>;
  delete(id: InternalId): Promise<void>;
  clear(): Promise<void>;
}

export interface ReadTransaction {
  table<Name extends TableName>(name: Name): ReadTable<Name>;
}

/**
 * All of it happens or nothing. Work inside may await only the transaction itself, because IndexedDB commits an idle transaction.
 */
export interface Transaction extends ReadTransaction {
  table<Name extends TableName>(name: Name): Table<Name>;
  /** ARA, "get the next internal ID". */
  nextId(): Promise<InternalId>;
}

export interface Store {
  /** Write transactions run one after the other. If `work` rejects, nothing changes. */
  write<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>;
  read<T>(work: (transaction: ReadTransaction) => Promise<T>): Promise<T>;
}
