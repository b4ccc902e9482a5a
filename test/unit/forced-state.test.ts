import 'fake-indexeddb/auto';
import type { Badge } from '../../extension/background/badge';
import { Clock } from '../../extension/background/clock';
import { DebugLimits } from '../../extension/background/debug-limits';
import { ForcedState } from '../../extension/background/forced-state';
import { IdbStore } from '../../extension/store/idb-store';
import { Participation } from '../../extension/background/participation';
import { Recorder } from '../../extension/background/recorder';
import { SettingsHolder } from '../../extension/background/settings';
import type { Origin } from '../../src/model/units';
import { newEngine, sourceRegistration } from './helpers/engine';

test('a forced state waits for a source that is stored, and is for no other', async () => {
  const store = await IdbStore.open('forced-state');
  const clock = await Clock.load(store);
  const participation = await Participation.load(store, clock, () => Promise.resolve(null));
  await participation.setAgreement({ answer: 'accepted', time: 0, trial: null });
  const settings = await SettingsHolder.load(store, participation, false);
  await settings.update({ debug: { enabled: true, noise: false } });
  const limits = await DebugLimits.load(store, settings);
  const forced = await ForcedState.load(store);
  const { engine } = newEngine({ store });
  // The button of the browser is not asked for what is registered by hand.
  const badge = {} as unknown as Badge;
  const recorder = new Recorder({
    store,
    engine,
    clock,
    settings,
    forcedState: forced,
    badge,
    limits,
    onRegistered: () => undefined,
  });
  const saved = (): Promise<unknown> => store.getMeta('forcedState');

  await recorder.byHand(sourceRegistration());
  await forced.set('3');
  // A second reporting origin of the same site within a day is refused.
  const reportingOrigin = 'https://other.adtech.example' as Origin;
  const refused = await recorder.byHand(sourceRegistration({}, 'navigation', { reportingOrigin }));
  expect(refused).toMatchObject({ decision: { kind: 'rejected' } });
  expect([forced.current, await saved()]).toEqual([3n, 3n]);

  const stored = await recorder.byHand(sourceRegistration());
  expect(stored).toMatchObject({ decision: { kind: 'stored', noise: { kind: 'replaced', state: 3n } } });
  expect([forced.current, await saved()]).toEqual([null, null]);
  expect(await recorder.byHand(sourceRegistration())).toMatchObject({ decision: { noise: { kind: 'off' } } });
  await store.close();
});
