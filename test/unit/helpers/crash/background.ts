import type { Badge } from '../../../../extension/background/state/badge';
import { Clock } from '../../../../extension/background/state/clock';
import { Tokens } from '../../../../extension/background/tokens/tokens';
import { DebugLimits } from '../../../../extension/background/state/debug-limits';
import { Delivery } from '../../../../extension/background/deliver/delivery';
import { Erasing } from '../../../../extension/background/record/erasing';
import { ForcedState } from '../../../../extension/background/record/forced-state';
import { Inbox } from '../../../../extension/background/record/inbox';
import { Joining } from '../../../../extension/background/consent/joining';
import { Participation } from '../../../../extension/background/state/participation';
import { Recorder, type RecorderParts } from '../../../../extension/background/record/recorder';
import { SettingsHolder } from '../../../../extension/background/state/settings';
import { StoredEngine } from '../../../../transactions/stored-engine';
import type { RandomSource } from '../../../../src/privacy/random-source';
import type { PagePlace } from '../../../../recording/places';
import type { Requester } from '../../../../recording/requests';
import type { Origin } from '../../../../src/model/units';
import { caches } from '../engine';
import { noClicks } from '../recorder';
import type { LifeStore } from './disk';

export interface Background {
  readonly engine: StoredEngine;
  readonly clock: Clock;
  readonly settings: SettingsHolder;
  readonly participation: Participation;
  readonly delivery: Delivery;
  readonly recorder: Recorder;
  readonly erasing: Erasing;
  readonly joining: Joining;
}

const placeOf = ({ documentOrigin }: Requester, otherwise: Origin): PagePlace => ({
  kind: 'known',
  contextOrigin: documentOrigin ?? otherwise,
});

/** Each document is a page, of which the browser has told. */
export const knownAtOnce: RecorderParts['documents'] = {
  isShown: () => Promise.resolve(true),
  wasLeft: () => false,
  placeNow: placeOf,
  placeOf: (requester, otherwise) => Promise.resolve(placeOf(requester, otherwise)),
  tabsOf: () => [],
};

/** The background as extension/background/main.ts puts it together and starts it, without a browser around it. */
export async function startBackground(
  life: LifeStore,
  random: RandomSource,
  documents: RecorderParts['documents'] = knownAtOnce,
): Promise<Background> {
  const store = life.asIdbStore;
  const inbox = await Inbox.load(store.inbox);
  const clock = await Clock.load(store);
  const forcedState = await ForcedState.load(store);
  const participation = await Participation.load(store, clock, () => Promise.resolve(null));
  const settings = await SettingsHolder.load(store, participation, true);
  const limits = await DebugLimits.load(store, settings);
  const engine = new StoredEngine({ store, limits: limits.current, random: () => random, caches });
  const tokens = await Tokens.load(store, clock, () => participation.agreedTrial);
  const delivery = new Delivery(engine, clock, settings, () => random, store, tokens);
  const badge = { count: () => undefined, clear: () => undefined } as unknown as Badge;
  const recorder = new Recorder({
    store,
    inbox,
    engine,
    clock,
    settings,
    forcedState,
    badge,
    limits,
    requests: { declared: () => undefined, decided: () => undefined },
    accountsKept: () => Promise.resolve(),
    inLiftTest: (registration, register) => register(registration),
    onReports: () => void delivery.run().catch(() => undefined),
    documents,
    ...noClicks,
  });
  const erasing = new Erasing(store, {
    files: { merge: () => Promise.resolve(), replace: () => life.replace() },
    limits: () => limits.current,
    inbox,
    stopReports: (erased) => delivery.stopErased(erased),
    forgetTokens: () => tokens.erase(),
  });
  const joining = new Joining({
    store,
    participation,
    recorder,
    erasing,
    settings,
    clock,
    badge,
    tokens,
    rehearsal: true,
  });
  await joining.start();
  participation.onChange(() => {
    if (!participation.maySend) delivery.stop();
  });
  await recorder.catchUp();
  await delivery.start();
  return { engine, clock, settings, participation, delivery, recorder, erasing, joining };
}
