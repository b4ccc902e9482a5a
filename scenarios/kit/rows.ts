import type { LogEntry } from '../../src/model/decision';
import type { FinishedReport, Report, Source } from '../../src/model/records';

/** A value in the form in which it arrives from the extension: 64-bit numbers as decimal strings, maps as objects. */
type Wire<T> = T extends bigint
  ? string
  : T extends string | number | boolean | null | undefined
    ? T
    : T extends ReadonlyMap<unknown, infer Value>
      ? Readonly<Record<string, Wire<Value>>>
      : T extends readonly (infer Item)[]
        ? readonly Wire<Item>[]
        : { readonly [Key in keyof T]: Wire<T[Key]> };

export type SourceRow = Wire<Source>;
export type ReportRow = Wire<Report>;
export type FinishedRow = Wire<FinishedReport>;
export type TraceEntry = Wire<LogEntry>;
export type TriggerEntry = Extract<TraceEntry, { readonly kind: 'trigger' }>;

/** A row of any of the extension's tables. */
export type Row = Readonly<Record<string, unknown>>;

export interface TableRows {
  readonly sources: SourceRow;
  readonly reports: ReportRow;
  readonly finished: FinishedRow;
  readonly log: TraceEntry;
}

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
