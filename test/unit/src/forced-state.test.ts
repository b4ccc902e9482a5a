import 'fake-indexeddb/auto';
import type { Origin } from '../../../src/model/units';
import { newRecorder } from '../helpers/recorder';
import { sourceRegistration, triggerRegistration } from '../helpers/engine';

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

test('forced null reports are for one trigger, which says so', async () => {
  const { recorder, settings, store, forcedState: forced } = await newRecorder();
  await settings.update({
    debug: { enabled: true, noise: false },
    aggregatableReports: true,
    collector: 'https://collector.example',
  });
  const trigger = triggerRegistration({ aggregatable_values: { a: 1 } });
  forced.nullReportDays = [0];
  await recorder.byHand(sourceRegistration());
  expect(await recorder.byHand(trigger)).toMatchObject({
    aggregatable: { nullReportDays: [0] },
    debug: [{ id: 'noise-off' }, { id: 'null-reports-forced' }],
  });
  expect(await recorder.byHand(trigger)).toMatchObject({
    aggregatable: { nullReportDays: [] },
    debug: [{ id: 'noise-off' }],
  });
  await store.close();
});
