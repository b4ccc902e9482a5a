import 'fake-indexeddb/auto';
import type { Json } from '../../src/model/json';
import { newRecorder } from './helpers/recorder';
import { sourceRegistration, triggerRegistration } from './helpers/engine';

const nobody = { event_trigger_data: [{}], filters: { source_type: ['event'] } };

/** How often a recorder has had reports sent after each of these registrations. @param noise whether it is on */
async function asked(
  registrations: readonly ReturnType<typeof sourceRegistration>[],
  noise: boolean,
  more: Json = {},
): Promise<readonly number[]> {
  let count = 0;
  const { recorder, settings, forcedState } = await newRecorder(() => ({ onReports: () => void count++ }));
  await settings.update({ debug: { enabled: true, noise, delay: true }, ...(more as object) });
  if (noise && more === null) await forcedState.set('1');
  const counts: number[] = [];
  for (const registration of registrations) {
    await recorder.byHand(registration);
    counts.push(count);
  }
  return counts;
}

test('registrations that make no report do not look for reports to send', async () => {
  const source = sourceRegistration();
  const malformed = { ...source, header: '{' };
  expect(await asked([source, source, malformed, triggerRegistration(nobody)], false)).toEqual([0, 0, 0, 0]);
});

test('a conversion that makes a report has it sent', async () => {
  const registrations = [sourceRegistration(), triggerRegistration(nobody), triggerRegistration()];
  expect(await asked(registrations, false)).toEqual([0, 0, 1]);
});

test('a source whose output is made up has its reports sent', async () => {
  expect(await asked([sourceRegistration()], true, null)).toEqual([1]);
});

test('a source whose output is drawn later has it drawn', async () => {
  const labelNoise = { kind: 'rr-with-prior', prior: [0.9, 0.05, 0.05] };
  expect(await asked([sourceRegistration({}, 'event')], true, { labelNoise })).toEqual([1]);
});
