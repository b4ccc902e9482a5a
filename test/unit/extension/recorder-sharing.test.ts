import 'fake-indexeddb/auto';
import type { RegistrationEntry } from '../../../src/engine';
import type { Recorder } from '../../../extension/background/record/recorder';
import { useOf } from '../helpers/counted-reads';
import { sourceRegistration } from '../helpers/engine';
import { newRecorder } from '../helpers/recorder';

/** Registers so many sources that wait at the same time. */
async function registerWaiting(
  recorder: Recorder,
  count: number,
): Promise<readonly (RegistrationEntry | null)[]> {
  let all: readonly Promise<RegistrationEntry | null>[] = [];
  await recorder.alone(() => {
    all = Array.from({ length: count }, () => recorder.byHand(sourceRegistration()));
    return Promise.resolve();
  });
  return Promise.all(all);
}

test('registrations that wait share a transaction', async () => {
  const { recorder, store } = await newRecorder();
  await recorder.byHand(sourceRegistration());
  const use = await useOf(async () => {
    const entries = await registerWaiting(recorder, 8);
    expect(entries.map((entry) => entry?.kind)).toEqual(Array.from(entries, () => 'source'));
  });
  expect(use.transactions).toBe(1);
  expect(await store.count('sources')).toBe(9);
});

test('a forced state is that of one source, also if others wait with it', async () => {
  const { recorder, settings, forcedState } = await newRecorder();
  await settings.update({ debug: { ...settings.current.debug, enabled: true, noise: false } });
  await forcedState.set('0');
  const entries = await registerWaiting(recorder, 3);
  const noises = entries.map((entry) =>
    entry?.kind === 'source' && entry.decision.kind === 'stored' ? entry.decision.noise.kind : null,
  );
  expect(noises).toEqual(['replaced', 'off', 'off']);
});
