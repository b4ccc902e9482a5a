import { effectiveDebug } from '../../formats/settings/settings';
import type { Trial } from '../../formats/settings/trial';
import type { StoredEngine } from '../../transactions/stored-engine';
import { jointLossSoFar } from './state/joint-loss-so-far';
import type { LogEntry } from '../../src/model/decision';
import { kindAndSiteKey } from '../../src/store/rows';
import { forReader } from '../i18n';
import type { Difference, Overview } from '../messages';
import type { IdbStore } from '../store/idb-store';
import { countedReports } from './deliver/counted-reports';
import type { ForcedState } from './record/forced-state';
import type { Clock } from './state/clock';
import type { DebugLimits } from './state/debug-limits';
import type { Participation } from './state/participation';
import type { SettingsHolder } from './state/settings';

/** The parts of the background that an overview is about. */
export interface OverviewParts {
  readonly store: IdbStore;
  readonly engine: StoredEngine;
  readonly clock: Clock;
  readonly settings: SettingsHolder;
  readonly forcedState: ForcedState;
  readonly limits: DebugLimits;
  readonly participation: Participation;
}

/** What the background says of itself. @param site that the counts of `here` are of; null: of none */
export async function overviewOf(
  { store, engine, clock, settings, forcedState, limits, participation }: OverviewParts,
  site: string | null,
): Promise<Overview> {
  const nextReportTime = await engine.nextDue();
  const { paused, pausedSites, debug } = settings.current;
  const { consentStatus, trial } = participation;
  const soFar = await store.read(jointLossSoFar);
  const here = await store.read(async (tx) => {
    const count = (kind: LogEntry['kind']): Promise<number> =>
      tx.table('log').countWhere('kindAndSite', kindAndSiteKey(kind, site ?? ''));
    return {
      sources: await count('source'),
      triggers: await count('trigger'),
      refused: await count('refused'),
    };
  });
  const forced = debug.enabled ? forcedState.current : null;
  return {
    now: clock.now(),
    clockAhead: clock.ahead,
    differences: [
      ...settings.differences(clock),
      ...(forced === null ? [] : [{ id: 'next-state-forced', state: String(forced) } as const]),
      ...(limits.changed ? [{ id: 'limits-changed' } as const] : []),
      ...recordsAhead(await store.greatestKey('log', 'time'), clock.now()),
    ],
    debugEnabled: debug.enabled,
    debug: effectiveDebug(settings.current),
    forcedState: forced === null ? null : String(forced),
    paused,
    pausedHere: pausedSites.includes(site ?? ''),
    consentStatus,
    trial: trial === null ? null : inShort(trial),
    freeSettings: settings.free,
    nextReportTime,
    jointLoss: participation.lossOf(settings.current.budget, soFar),
    sources: await store.count('sources'),
    ...(await countedReports(store)),
    here,
  };
}

function recordsAhead(latest: number | null, now: number): readonly Difference[] {
  return latest !== null && latest > now ? [{ id: 'records-ahead', by: latest - now }] : [];
}

function inShort({ title, start, end }: Trial): Overview['trial'] {
  const { text, language } = forReader(title);
  return { title: text, titleLanguage: language, start, end };
}
