import { decisionsOf, type LogEntry } from '../../../../src/model/decision';
import type { InternalId, Report } from '../../../../src/model/records';
import type { Snapshot } from './snapshot';

/** What a part of a snapshot is about. */
export interface Subject {
  readonly sources: readonly InternalId[];
  /** Besides what belongs to the sources. */
  readonly entry?: InternalId;
  readonly report?: InternalId;
}

/** The part of a snapshot that explains one thing: it, its sources, and all that belongs to them. */
export function onlyAbout(snapshot: Snapshot, { sources: ids, ...subject }: Subject): Snapshot {
  const { sources, reports, finished, spends, log } = snapshot.tables;
  const wanted = new Set(ids);
  const isOf = (report: Report): boolean =>
    report.id === subject.report || (report.event !== null && wanted.has(report.event.sourceId));
  return {
    ...snapshot,
    tables: {
      sources: sources.filter(({ id }) => wanted.has(id)),
      reports: reports.filter(isOf),
      finished: finished.filter(({ report }) => isOf(report)),
      spends: spends.filter((spend) => spend.sourceIds.some((id) => wanted.has(id))),
      log: log.filter((entry) => entry.id === subject.entry || sourcesOf(entry).some((id) => wanted.has(id))),
    },
  };
}

/** The sources that a registration made, or was attributed to. */
export function sourcesOf(entry: LogEntry): readonly InternalId[] {
  if (entry.kind === 'source') return entry.decision.kind === 'stored' ? [entry.decision.sourceId] : [];
  return entry.kind === 'trigger'
    ? decisionsOf(entry.decision).flatMap(({ sourceId }) => sourceId ?? [])
    : [];
}
