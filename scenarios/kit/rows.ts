import type { TableRows } from '../../extension/messages';

export type SourceRow = TableRows['sources'];
export type ReportRow = TableRows['reports'];
export type FinishedRow = TableRows['finished'];
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
