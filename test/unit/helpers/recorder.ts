import { Clock } from '../../../extension/background/state/clock';
import { DebugLimits } from '../../../extension/background/state/debug-limits';
import { ForcedState } from '../../../extension/background/record/forced-state';
import { Inbox } from '../../../extension/background/record/inbox';
import { Participation } from '../../../extension/background/state/participation';
import { Recorder, type RecorderParts } from '../../../extension/background/record/recorder';
import { SettingsHolder } from '../../../extension/background/state/settings';
import { IdbStore } from '../../../extension/store/idb-store';
import type { PagePlace } from '../../../recording/places';
import type { Requester } from '../../../recording/requests';
import { ADTECH, NEWS, newEngine, START } from './engine';

let opened = 0;

/** A page whose place a test gives itself. */
export const requester: Requester = {
  tabId: 1,
  frameId: 0,
  documentId: 'd1',
  documentOrigin: NEWS,
};

/** A response to a call of `fetch` on that page. */
export const plainResponse = {
  time: START,
  requestId: '1',
  kind: 'fetch',
  requestUrl: `${ADTECH}/ad`,
  reportingOrigin: ADTECH,
  openerTabId: null,
  requester,
} as const;

/** Nobody clicks, and nothing is opened. */
export const noClicks = {
  navigations: { openerOf: () => null },
  lackOf: () => 'press' as const,
  ownRequests: { navigationSourcesSettled: () => Promise.resolve() },
};

const unknown: PagePlace = { kind: 'unknown', unknown: 'document', seenOn: NEWS };

/** A recorder over a database of its own, for a person who agreed. @param changed parts that differ from the usual ones */
export async function newRecorder(
  changed: (parts: RecorderParts) => Partial<RecorderParts> = () => ({}),
  agreed = true,
): Promise<RecorderParts & { readonly recorder: Recorder }> {
  const store = await IdbStore.open(`recorder-${++opened}`);
  const clock = await Clock.load(store);
  const participation = await Participation.load(store, clock, () => Promise.resolve(null));
  if (agreed) await participation.setAgreement({ answer: 'accepted', time: 0, trial: null });
  const settings = await SettingsHolder.load(store, participation, false);
  const usual: RecorderParts = {
    store,
    inbox: await Inbox.load(store.inbox),
    engine: newEngine({ store }).engine,
    clock,
    settings,
    forcedState: await ForcedState.load(store),
    badge: { count: () => undefined },
    limits: await DebugLimits.load(store, settings),
    accountsKept: () => Promise.resolve(),
    inLiftTest: (registration, register) => register(registration),
    onReports: () => undefined,
    requests: { declared: () => undefined, decided: () => undefined },
    documents: {
      isShown: () => Promise.resolve(true),
      wasLeft: () => false,
      placeNow: () => unknown,
      placeOf: () => Promise.resolve(unknown),
      tabsOf: () => [],
    },
    ...noClicks,
  };
  const parts = { ...usual, ...changed(usual) };
  return { ...parts, recorder: new Recorder(parts) };
}
