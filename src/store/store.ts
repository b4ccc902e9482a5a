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
import { days, minutes } from '../model/units';

/** What each table holds. */
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

/** The name of a table. */
export type TableName = keyof Rows;

export const tableNames = (): readonly TableName[] => Object.keys(indexes) as TableName[];

/** What rows are found by. */
export type IndexKey = string | number;

/** The text keys between two, both excluded. */
export interface KeyRange {
  readonly above: string;
  readonly below: string;
}

/** A key of several parts, which contain no space. Keys are compared part by part if their numbers are `ordered`. */
const key = (first: string, ...others: readonly string[]): string => {
  let text = brief(first);
  for (const part of others) text += ` ${brief(part)}`;
  return text;
};

/** A site or origin in fewer characters. Firefox keeps a row with all its keys on one page of its file only if they are short. */
function brief(part: string): string {
  if (part.startsWith('https://')) return part.slice('https://'.length);
  return part.startsWith('http://') ? `:${part.slice('http://'.length)}` : part;
}

/** The keys that begin with these parts and have more. */
export const under = (...parts: readonly [string, ...string[]]): KeyRange => ({
  above: `${key(...parts)} `,
  // The character after the space.
  below: `${key(...parts)}!`,
});

/** What all keys begin with that differ from this one in their last part only. */
export const groupOf = (found: string): string => found.slice(0, found.lastIndexOf(' ') + 1);

/** A number from 0 to 2^64 as a part of a key, in the order of numbers: how many digits it has, then those. */
export function ordered(value: number | bigint): string {
  if (value === last.value) return last.text;
  const digits = value.toString(36);
  last = { value, text: digits.length.toString(36) + digits };
  return last.text;
}

/** The keys of a row ask for its time one after the other, and writing a number takes longer than all else about a key. */
let last: { readonly value: number | bigint; readonly text: string } = { value: NaN, text: '' };

const LEAST_PRIORITY = -(2n ** 63n);
const ORDERED_ZERO = ordered(-LEAST_PRIORITY);

/** Nearly all sources have priority 0. */
const orderedPriority = (priority: bigint): string =>
  priority === 0n ? ORDERED_ZERO : ordered(priority - LEAST_PRIORITY);

/** A key among the times of finished reports that no search by time finds. */
export const RANDOMIZED = 'randomized';

/** The secondary keys of a row in one index: several, or none. */
export type Index<Row> = (row: Row) => readonly IndexKey[];

const index = <Row>(keys: Index<Row>): Index<Row> => keys;

/** The secondary keys of each table, computed from a row, so that all stores agree on them. */
export const indexes = {
  sources: {
    candidate: index((source: Source) =>
      source.registration.destinations.map((destination) =>
        candidateKey(source.reportingOrigin, destination),
      ),
    ),
    sourceOrigin: index((source: Source) => [source.sourceOrigin]),
    expiryTime: index((source: Source) => [source.expiryTime]),
    /** By what decides whether a source with other attribution scopes removes it; 0 and 0 without scopes. */
    scopeLimits: index(({ reportingOrigin, registration, attributionScopes: scopes }: Source) =>
      registration.destinations.map((destination) =>
        key(
          candidateKey(reportingOrigin, destination),
          ordered(scopes?.maxEventStates ?? 0),
          ordered(scopes?.limit ?? 0),
        ),
      ),
    ),
    scope: index(({ reportingOrigin, registration, attributionScopes, time }: Source) =>
      registration.destinations.flatMap((destination) =>
        (attributionScopes?.values ?? []).map((scope) =>
          key(candidateKey(reportingOrigin, destination), scopePart(scope), ordered(time)),
        ),
      ),
    ),
  },
  reports: {
    /** Held reports have no time, so that no search for due reports finds them. */
    nextAttempt: index((report: Report) => (report.event?.held === true ? [] : [report.nextAttempt])),
    sourceId: index((report: Report) => (report.event === null ? [] : [report.event.sourceId])),
    destination: index((report: Report) =>
      report.kind === 'event-level' && report.event !== null ? report.event.destinations : [],
    ),
    aggregatableSource: index(({ aggregatable }: Report) => [aggregatable?.sourceId ?? []].flat()),
    /** Without null reports and debug copies. */
    aggregatableDestination: index(({ kind, aggregatable }: Report) =>
      kind === 'aggregatable' && aggregatable !== undefined && aggregatable.sourceId !== null
        ? [aggregatable.destination]
        : [],
    ),
  },
  finished: {
    /** Reports that noise replaced were never sent; a second key counts them. */
    time: index((finished: FinishedReport) =>
      finished.end === 'randomized' ? [finished.time, RANDOMIZED] : [finished.time],
    ),
  },
  undrawn: {
    closesAt: index((output: UndrawnOutput) => [output.closesAt]),
  },
  rateLimits: {
    pair: index((record: RateLimitRecord) => [
      key(pairKey(record), record.reportingOrigin, ordered(record.time)),
    ]),
    /** By day, so that a search for recent records reads no others. */
    day: index((record: RateLimitRecord) =>
      ofSource(record, [
        key(
          record.sourceSite,
          record.reportingSite,
          ordered(dayOf(record.time)),
          record.reportingOrigin,
          record.destination,
          ordered(record.time),
        ),
      ]),
    ),
    minute: index((record: RateLimitRecord) =>
      ofSource(record, [
        key(record.sourceSite, ordered(minuteOf(record.time)), record.destination, ordered(record.time)),
      ]),
    ),
    /** What counts for the destination limit: by destination, then by the order in which the limit keeps records. */
    destination: index((record: RateLimitRecord) =>
      ofDestinationLimit(record, [
        key(
          record.sourceSite,
          record.reportingSite,
          record.destination,
          `${orderedPriority(record.destinationLimitPriority)}${ordered(record.time)}`,
        ),
      ]),
    ),
    expiryTime: index((record: RateLimitRecord) =>
      ofDestinationLimit(record, record.expiryTime === null ? [] : [record.expiryTime]),
    ),
    entity: index((record: RateLimitRecord) =>
      record.entityId === null ? [] : [`${record.scope} ${record.entityId}`],
    ),
    time: index((record: RateLimitRecord) => [record.time]),
  },
  spends: {
    account: index((spend: Spend) => [budgetKey(spend)]),
    end: index((spend: Spend) => [spend.end]),
  },
  log: {
    time: index((entry: LogEntry) => [entry.time]),
    kindAndSite: index((entry: LogEntry) => [kindAndSiteKey(entry.kind, entry.contextSite)]),
  },
  eligibleRequests: {
    /** By who declared it, so that what others declare is not read. */
    asker: index(askersOfDeclared),
    time: index((request: EligibleRequest) => [request.time]),
  },
  undecidedResponses: {
    asker: index(askersOfResponse),
    time: index((response: UndecidedResponse) => [response.time]),
  },
} as const satisfies Indexes;

export type Indexes = { readonly [Name in TableName]: Readonly<Record<string, Index<Rows[Name]>>> };

export const indexesOf = <Name extends TableName>(
  name: Name,
  all: Indexes = indexes,
): readonly (readonly [name: string, index: Index<Rows[Name]>])[] => Object.entries(all[name]);

/** The name of an index of a table. */
export type IndexName<Name extends TableName> = keyof (typeof indexes)[Name] & string;

export const candidateKey = (reportingOrigin: string, destination: string): string =>
  `${reportingOrigin} ${destination}`;

export const kindAndSiteKey = (kind: LogEntry['kind'], site: string): string => `${kind} ${site}`;

export const pairKey = (record: Pick<RateLimitRecord, 'scope' | 'sourceSite' | 'destination'>): string =>
  key(record.scope, record.sourceSite, record.destination);

export const dayOf = (time: number): number => Math.floor(Math.max(time, 0) / days(1));
export const minuteOf = (time: number): number => Math.floor(Math.max(time, 0) / minutes(1));

/** A scope may contain spaces. With its length, none begins as another does. */
const scopePart = (scope: string): string => `${scope.length}:${scope}`;

/** The scope in a key of the index `scope`. */
export function scopeOf(found: string, candidate: string): string {
  const part = groupOf(found).slice(key(candidate).length + 1, -1);
  return part.slice(part.indexOf(':') + 1);
}

const ofSource = ({ scope }: RateLimitRecord, keys: readonly IndexKey[]): readonly IndexKey[] =>
  scope === 'source' ? keys : [];

const ofDestinationLimit = (record: RateLimitRecord, keys: readonly IndexKey[]): readonly IndexKey[] =>
  record.deactivatedForDestinationLimit ? [] : ofSource(record, keys);

/** What of a response says who asked for it. */
type Asked = Pick<
  UndecidedResponse,
  'kind' | 'requestUrl' | 'documentId' | 'documentOrigin' | 'tabId' | 'openerTabId'
>;
/** What of a declaration says whose request it is. */
type Declared = Pick<EligibleRequest, 'via' | 'url' | 'documentId' | 'around' | 'documentOrigin' | 'tabId'>;

/** The keys of a response and of the declarations that can be of its request have one in common. */
export function askersOfResponse(response: Asked): readonly string[] {
  const { kind, requestUrl: url, documentId, documentOrigin, tabId, openerTabId } = response;
  if (kind === 'navigation')
    return documentOrigin === null
      ? [tabId, openerTabId].flatMap((tab) => (tab === null ? [] : [`navigation ${tab} ${url}`]))
      : [`navigation ${documentOrigin} ${url}`];
  const asker = kind === 'worker' ? documentOrigin : documentId;
  return asker === null ? [] : [`${kind === 'worker' ? 'worker' : 'document'} ${asker} ${url}`];
}

/** See `askersOfResponse`. */
export function askersOfDeclared(request: Declared): readonly string[] {
  const { via, url, documentId, around, documentOrigin, tabId } = request;
  if (via === 'navigation') return [`navigation ${documentOrigin ?? tabId} ${url}`];
  const documents = around === undefined ? [documentId] : [documentId, around];
  return [
    ...documents.map((id) => `document ${id} ${url}`),
    ...(documentOrigin === null ? [] : [`worker ${documentOrigin} ${url}`]),
  ];
}

/** A row, and the key that it was found by. */
export interface KeyedRow<Name extends TableName> {
  readonly key: string;
  readonly row: Rows[Name];
}

/** One table in a read transaction. Rows come in ascending order of id unless stated otherwise. */
interface ReadTable<Name extends TableName> {
  /** The row with this id. */
  get(id: InternalId): Promise<Rows[Name] | undefined>;
  /** Whether there is a row with this id, without reading it. */
  has(id: InternalId): Promise<boolean>;
  /** The rows with this key, or by ascending key those in a range; with several keys in it a row comes several times. */
  where(index: IndexName<Name>, keys: IndexKey | KeyRange): Promise<Rows[Name][]>;
  /** How many rows `where` would give. */
  countWhere(index: IndexName<Name>, keys: IndexKey | KeyRange): Promise<number>;
  /** Of the keys that differ in their last part only, the last one, with its last row. By descending key. */
  lastOfEach(index: IndexName<Name>, range: KeyRange): Promise<KeyedRow<Name>[]>;
  /** The rows whose key is at most `last`, by ascending key. */
  upTo(index: IndexName<Name>, last: number): Promise<Rows[Name][]>;
  /** The row with the smallest key; with `after`, the smallest above that. */
  first(index: IndexName<Name>, after?: number): Promise<Rows[Name] | undefined>;
  /** The rows with the greatest ids, descending; with `before`, only smaller ids. */
  latest(limit: number, before?: InternalId): Promise<Rows[Name][]>;
  /** How many rows the table has. */
  count(): Promise<number>;
}

/** One table in a write transaction. What is read later sees a change at once; if it fails, so does the transaction. */
export interface Table<Name extends TableName> extends ReadTable<Name> {
  /** Adds the row, or replaces the one with its id. */
  put(row: Rows[Name]): void;
  /** Removes the row, if it is there. */
  delete(id: InternalId): void;
  /** Removes all rows. */
  clear(): Promise<void>;
}

/** All of it sees the same state. */
export interface ReadTransaction {
  /** The table, to read. */
  table<Name extends TableName>(name: Name): ReadTable<Name>;
}

/**
 * All of it happens or nothing. Work inside may await only the transaction itself, because IndexedDB commits an idle transaction.
 */
export interface Transaction extends ReadTransaction {
  /** The table, to read and write. */
  table<Name extends TableName>(name: Name): Table<Name>;
  /** Whether this transaction has put or deleted a row of the table, or emptied it. */
  hasChanged(name: TableName): boolean;
  /** ARA, "get the next internal ID". */
  nextId(): InternalId;
}

/** Where the engine keeps everything: IndexedDB in the extension, memory in simulations. */
export interface Store {
  /** Write transactions run one after the other. If `work` rejects, nothing changes. */
  write<T>(work: (transaction: Transaction) => T | Promise<T>): Promise<T>;
  /** Resolves to what `work` resolves to. */
  read<T>(work: (transaction: ReadTransaction) => T | Promise<T>): Promise<T>;
}
