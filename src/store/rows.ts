import type { LogEntry } from '../model/decision';
import type { FinishedReport, Report, Source, UndrawnOutput } from '../model/records';
import type { Spend } from '../model/spend';
import type {
  Account,
  CandidateUse,
  DebugUse,
  DestinationUse,
  OriginUse,
  PairUse,
  PartyUse,
  SiteUse,
  SourceReports,
} from '../model/uses';

/** What each table holds. */
export interface Rows {
  readonly sources: Source;
  readonly reports: Report;
  readonly finished: FinishedReport;
  readonly undrawn: UndrawnOutput;
  readonly sourceReports: SourceReports;
  readonly siteUse: SiteUse;
  readonly partyUse: PartyUse;
  readonly pairUse: PairUse;
  readonly originUse: OriginUse;
  readonly destinationUse: DestinationUse;
  readonly candidateUse: CandidateUse;
  readonly debugUse: DebugUse;
  readonly accounts: Account;
  readonly spends: Spend;
  readonly log: LogEntry;
}

/** The name of a table. */
export type TableName = keyof Rows;

/** What a row of a table is read by. */
export type IdOf<Name extends TableName> = Rows[Name]['id'];

export const tableNames = (): readonly TableName[] => Object.keys(indexes) as TableName[];

/** What rows are found by. */
export type IndexKey = string | number;

/** A key of several parts, which contain no space. */
export function keyOf(first: string, ...others: readonly string[]): string {
  let text = brief(first);
  for (const part of others) text += ` ${brief(part)}`;
  return text;
}

/** A site or origin in fewer characters. Firefox keeps a row with all its keys on one page of its file only if they are short. */
function brief(part: string): string {
  if (part.startsWith('https://')) return part.slice('https://'.length);
  return part.startsWith('http://') ? `:${part.slice('http://'.length)}` : part;
}

/** A key among the times of finished reports that no search by time finds. */
export const RANDOMIZED = 'randomized';

/** The secondary keys of a row in one index: several, or none. */
export type Index<Row> = (row: Row) => readonly IndexKey[];

/** By when nothing depends on it any more. */
const ending = { end: ({ end }: { readonly end: number }): readonly IndexKey[] => [end] };

/** The secondary keys of each table, computed from a row, so that all stores agree on them. */
export const indexes = {
  sources: {
    /** By reporting origin and destination. */
    candidate: candidateKeysOf,
    /** When it no longer counts for any limit. */
    expiryTime: ({ expiryTime }: Source) => [expiryTime],
  },
  reports: {
    /** Held reports have no time, so that no search for due reports finds them. */
    nextAttempt: ({ event, nextAttempt }: Report) => (event?.held === true ? [] : [nextAttempt]),
  },
  finished: {
    /** Reports that noise replaced were never sent; a second key counts them. */
    time: ({ end, time }: FinishedReport) => (end === 'randomized' ? [time, RANDOMIZED] : [time]),
  },
  undrawn: {
    /** When its output is drawn. */
    closesAt: ({ closesAt }: UndrawnOutput) => [closesAt],
  },
  sourceReports: {},
  siteUse: ending,
  partyUse: ending,
  pairUse: ending,
  originUse: {},
  destinationUse: {},
  candidateUse: {},
  debugUse: ending,
  accounts: ending,
  spends: ending,
  log: {
    /** When it came. */
    time: ({ time }: LogEntry) => [time],
    /** What pages count. */
    kindAndSite: ({ kind, contextSite }: LogEntry) => [kindAndSiteKey(kind, contextSite)],
  },
} as const satisfies Indexes;

export type Indexes = { readonly [Name in TableName]: Readonly<Record<string, Index<Rows[Name]>>> };

export const indexesOf = <Name extends TableName>(
  name: Name,
  all: Indexes = indexes,
): readonly (readonly [name: string, index: Index<Rows[Name]>])[] => Object.entries(all[name]);

/** The name of an index of a table. */
export type IndexName<Name extends TableName> = keyof (typeof indexes)[Name] & string;

/** Those of some rows of a table whose key in an index is at most `last`, by ascending key and then id. */
export function rowsUpTo<Name extends TableName>(
  name: Name,
  index: IndexName<Name>,
  rows: Iterable<Rows[Name]>,
  last: number,
): readonly Rows[Name][] {
  const keysOf: Index<Rows[Name]> = (indexes as Indexes)[name][index] ?? (() => []);
  return [...rows]
    .flatMap((row) =>
      keysOf(row).flatMap((key) => (typeof key === 'number' && key <= last ? { key, row } : [])),
    )
    .sort((a, b) => a.key - b.key || (a.row.id < b.row.id ? -1 : 1))
    .map(({ row }) => row);
}

export const candidateKey = (reportingOrigin: string, destination: string): string =>
  `${reportingOrigin} ${destination}`;

export const kindAndSiteKey = (kind: LogEntry['kind'], site: string): string => `${kind} ${site}`;

/** One for each destination. */
export function candidateKeysOf({ reportingOrigin, registration }: Source): readonly string[] {
  return registration.destinations.map((destination) => candidateKey(reportingOrigin, destination));
}
