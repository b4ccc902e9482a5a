import { debugConditions } from '../../../formats/settings/debug-conditions';
import { effectiveDebug } from '../../../formats/settings/settings';
import type { Snapshot } from './snapshot/snapshot';
import type { Overview } from '../../messages';
import { isOnlyTruth } from './report-row';

/** The overview that the background would give if it had the file's data. */
export function snapshotOverview({ time, clockAhead, settings, tables }: Snapshot): Overview {
  const debug = effectiveDebug(settings);
  const waiting = tables.reports.filter((report) => !isOnlyTruth({ report, finished: null }));
  const latest = tables.log.reduce((most, entry) => Math.max(most, entry.time), 0);
  const attempts = waiting.map(({ nextAttempt }) => nextAttempt);
  return {
    now: time,
    clockAhead,
    differences: [
      ...debugConditions(settings, { frozen: false, ahead: clockAhead }),
      ...(latest > time ? [{ id: 'records-ahead', by: latest - time } as const] : []),
    ],
    debugEnabled: debug.enabled,
    debug,
    forcedState: null,
    paused: settings.paused,
    pausedHere: false,
    consentStatus: 'recording',
    trial: null,
    freeSettings: null,
    nextReportTime: attempts.reduce<number | null>((least, next) => Math.min(least ?? next, next), null),
    jointLoss: null,
    sources: tables.sources.length,
    pendingReports: waiting.length,
    finishedReports: tables.finished.filter(({ end }) => end !== 'randomized').length,
    here: { sources: 0, triggers: 0, refused: 0 },
  };
}
