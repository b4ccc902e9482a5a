import 'fake-indexeddb/auto';
import { Registrar } from '../../../extension/background/record/registrar';
import type { Json } from '../../../src/model/json';
import type { Eligibility } from '../../../recording/eligibility';
import type { Place } from '../../../recording/places';
import { newRecorder, plainResponse } from '../helpers/recorder';
import { NEWS, sourceRegistration, triggerRegistration } from '../helpers/engine';

interface Asked {
  readonly noise: boolean;
  /** The state that the next source gets. */
  readonly forced: string | null;
  /** Further settings. */
  readonly more: Readonly<Record<string, Json>>;
}

const nobody = { event_trigger_data: [{}], filters: { source_type: ['event'] } };

/** How often a recorder has had reports sent after each of these registrations. */
async function asked(
  registrations: readonly ReturnType<typeof sourceRegistration>[],
  { noise = false, forced = null, more = {} }: Partial<Asked> = {},
): Promise<readonly number[]> {
  let count = 0;
  const { recorder, settings, forcedState } = await newRecorder(() => ({ onReports: () => void count++ }));
  await settings.update({ debug: { enabled: true, noise, delay: true }, ...more });
  if (forced !== null) await forcedState.set(forced);
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
  expect(await asked([source, source, malformed, triggerRegistration(nobody)])).toEqual([0, 0, 0, 0]);
});

test('a conversion that makes a report has it sent', async () => {
  const registrations = [sourceRegistration(), triggerRegistration(nobody), triggerRegistration()];
  expect(await asked(registrations)).toEqual([0, 0, 1]);
});

test('a source whose output is made up has its reports sent', async () => {
  expect(await asked([sourceRegistration()], { noise: true, forced: '1' })).toEqual([1]);
});

test('a source whose output is drawn later has it drawn', async () => {
  const labelNoise = { kind: 'rr-with-prior', prior: [0.9, 0.05, 0.05] };
  expect(await asked([sourceRegistration({}, 'event')], { noise: true, more: { labelNoise } })).toEqual([1]);
});

const response = {
  ...plainResponse,
  eligibility: 'unset',
  headers: { source: null, trigger: '{}', osSource: false, osTrigger: false, info: null },
} as const;

const news: Place = { kind: 'known', contextOrigin: NEWS };

test.each<[string, Eligibility]>([
  ['would register', 'unset'],
  ['would be ignored', 'event-source'],
])('a response that was erased while it waited, and %s, leaves nothing', async (_what, eligibility) => {
  const parts = await newRecorder();
  const decided = { place: news, eligibility } as const;
  const added = parts.inbox.add({ ...response, eligibility }, news, decided);
  const row = { ...added?.row, id: 1, response, place: news, decided };
  await parts.inbox.erase(null);
  await new Registrar(parts).response(row);
  expect(await parts.store.count('log')).toBe(0);
  await new Registrar(parts).response({
    ...row,
    ...parts.inbox.add({ ...response, eligibility }, news)?.row,
    decided,
  });
  expect(await parts.store.count('log')).toBe(1);
});
