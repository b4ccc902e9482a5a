import { newAggregatableState } from '../../../../src/aggregate/attribution';
import { tellsTheTruth } from '../report-row';
import { untilTruth } from '../until-truth';
import type { LogEntry } from '../../../../src/model/decision';
import { disclosesNothing } from '../../../../formats/settings/debug-conditions';
import type { Report, Source } from '../../../../src/model/records';
import { withoutDebugKeys } from '../../../../formats/reports/event-level-report';
import { renumbered } from './renumber';
import type { Snapshot } from './snapshot';

/**
 * The snapshot without what randomized response protects: triggers, noise, and what sources counted. Event-level reports stay as they are
 * or were sent, except for debug keys; aggregatable ones are left out. What only true or only fake reports have is removed: keys, debug copies, and the reports of
 * `tellsTheTruth`. All rows get new ids, because a gap would tell how many reports were made at once.
 */
export function withoutTruth(snapshot: Snapshot): Snapshot {
  const { sources, reports, finished, spends, log } = snapshot.tables;
  return {
    ...snapshot,
    truth: false,
    // The seed reveals everything that was drawn from it.
    settings: { ...snapshot.settings, debug: { ...snapshot.settings.debug, seed: null } },
    tables: renumbered({
      sources: sources.map(sourceWithoutTruth),
      reports: reports.filter(({ event }) => event?.held === false).map(reportWithoutTruth),
      finished: finished
        .filter((row) => row.report.event !== null && !tellsTheTruth({ report: row.report, finished: row }))
        .map((row) => ({ ...row, report: reportWithoutTruth(row.report) })),
      // A spend for an attribution reveals part of the truth.
      spends: spends.filter(({ purpose }) => purpose === 'report'),
      log: log.flatMap(entryWithoutTruth),
    }),
  };
}

function sourceWithoutTruth(source: Source): Source {
  const shown: Writable<Source> = {
    ...source,
    noise: { kind: 'truthful' },
    attributable: true,
    reportCount: 0,
    deduplicationKeys: [],
    flexible: source.flexible === null ? null : { conversions: [], pending: [], finalBuckets: new Map() },
    aggregatable: source.aggregatable === null ? null : newAggregatableState(source.registration),
  };
  delete shown.forgotten;
  return shown;
}

function reportWithoutTruth(report: Report): Report {
  const { event } = report;
  const shown: Writable<Report> = {
    ...report,
    body: withoutDebugKeys(report.body),
    // With delays off, a report was due when it was made.
    nextAttempt: report.reportTime,
    event:
      event === null
        ? null
        : { ...event, triggerTime: report.reportTime, triggerPriority: 0n, attributedTo: null, fake: false },
  };
  delete shown.noise;
  return shown;
}

type Writable<T> = T extends unknown ? { -readonly [Field in keyof T]: T[Field] } : never;

function entryWithoutTruth(entry: LogEntry): LogEntry[] {
  if (entry.kind === 'trigger') return [];
  const shown: Writable<typeof entry> = {
    ...entry,
    checks: untilTruth(entry.checks),
    debug: entry.debug.filter(disclosesNothing),
  };
  delete shown.debugReport;
  return shown.kind === 'source' && shown.decision.kind === 'stored'
    ? [{ ...shown, decision: { ...shown.decision, noise: { kind: 'truthful' } } }]
    : [shown];
}
