import 'fake-indexeddb/auto';
import type { Origin } from '../../src/model/units';
import { newRecorder } from './helpers/recorder';
import { sourceRegistration } from './helpers/engine';

test('a forced state waits for a source that is stored, and is for no other', async () => {
  const { recorder, store, settings, forcedState: forced } = await newRecorder();
  await settings.update({ debug: { enabled: true, noise: false } });
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
