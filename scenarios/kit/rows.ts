import type { TableRows } from '../../extension/messages';

/** A stored source. `registration` holds what its header said, such as `sourceEventId`, with every default. */
export type SourceRow = TableRows['sources'];
/** A report that waits. `body` is what will be sent; `reportTime` when its window makes it due; `attempts` how sending failed. */
export type ReportRow = TableRows['reports'];
/** A report that was sent, replaced or given up, and when. */
export type FinishedRow = TableRows['finished'];
/** What became of one registration: `decision`, `errors` or `reason`, by `kind`; and every check that led to it. */
export type TraceEntry = TableRows['log'];
export type TriggerEntry = Extract<TraceEntry, { readonly kind: 'trigger' }>;

/** A row of any of the extension's tables. */
export type Row = Readonly<Record<string, unknown>>;

/** Which entries of the trace to return; they must match every field. */
export interface TraceFilter {
  readonly kind?: TraceEntry['kind'];
  /** An origin. */
  readonly contextOrigin?: string;
  /** An origin. */
  readonly reportingOrigin?: string;
}

export const matches = (entry: TraceEntry, filter: TraceFilter): boolean =>
  (filter.kind === undefined || entry.kind === filter.kind) &&
  (filter.contextOrigin === undefined || entry.contextOrigin === filter.contextOrigin) &&
  (filter.reportingOrigin === undefined || entry.reportingOrigin === filter.reportingOrigin);
