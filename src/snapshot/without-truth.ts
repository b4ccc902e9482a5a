import type { LogEntry } from '../model/decision';
import type { RateLimitRecord, Report, Source } from '../model/records';
import type { Snapshot } from './snapshot';

/**
 * The snapshot without what randomized response protects: conversions, whether and how a source was noised, and what it
 * counted. Reports stay as they are or were sent, which is all that a collector sees; what was replaced before it was
 * sent goes, as only true reports are replaced.
 */
export function withoutTruth(snapshot: Snapshot): Snapshot {
  const { sources, reports, finished, rateLimits, spends, log } = snapshot.tables;
  return {
    ...snapshot,
    truth: false,
    // A seed says all that was drawn from it.
    settings: { ...snapshot.settings, debug: { ...snapshot.settings.debug, seed: null } },
    tables: {
      sources: sources.map(sourceWithoutTruth),
      reports: reports.filter(({ event }) => event?.held !== true).map(reportWithoutTruth),
      finished: finished
        .filter(({ end }) => end !== 'replaced' && end !== 'randomized')
        .map((row) => ({ ...row, report: reportWithoutTruth(row.report) })),
      rateLimits: rateLimits.filter(isOfSource),
      // That a conversion was attributed is part of the truth.
      spends: spends.filter(({ purpose }) => purpose === 'report'),
      log: log.flatMap(entryWithoutTruth),
    },
  };
}

const sourceWithoutTruth = (source: Source): Source => ({
  ...source,
  noise: { kind: 'truthful' },
  attributable: true,
  reportCount: 0,
  deduplicationKeys: [],
  flexible: source.flexible === null ? null : { conversions: [], pending: [], finalBuckets: new Map() },
});

const reportWithoutTruth = (report: Report): Report => ({
  ...report,
  event:
    report.event === null
      ? null
      : { ...report.event, triggerTime: report.reportTime, triggerPriority: 0n, fake: false },
});

const isOfSource = ({ scope }: RateLimitRecord): boolean => scope === 'source';

function entryWithoutTruth(entry: LogEntry): LogEntry[] {
  if (entry.kind === 'trigger') return [];
  if (entry.kind !== 'source' || entry.decision.kind !== 'stored') return [entry];
  return [{ ...entry, decision: { ...entry.decision, noise: { kind: 'truthful' } } }];
}
