import 'fake-indexeddb/auto';
import { keepAccounts } from '../../../extension/background/state/accounting';
import { PageMessages } from '../../../extension/background/page-messages';
import { Participation } from '../../../extension/background/state/participation';
import { toJson } from '../../../formats/codec/plain-json';
import { defaultSettings } from '../../../formats/settings/settings';
import { days, epsilon, moment } from '../../../src/model/units';
import { outcomeOf, sourceRegistration } from '../helpers/engine';
import { newRecorder } from '../helpers/recorder';
import type { RegistrationEntry } from '../../../src/engine';

/** The third day of a week, which begins a period of a day. */
const TIME = moment(days(7 * 3000 + 2));
const budget = { ...defaultSettings.budget, unit: 'user' as const, period: 7, epsilon: epsilon(2), cap: 2 };

const turns = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
};

test('an ad that comes while the person changes the period finds no empty account', async () => {
  let accountsKept = (): Promise<void> => Promise.resolve();
  const parts = await newRecorder(() => ({ accountsKept: () => accountsKept() }));
  const { recorder, settings, store, clock } = parts;
  await clock.setTo(TIME, true);
  const participation = await Participation.load(store, clock, () => Promise.resolve(null));
  type Parts = ConstructorParameters<typeof PageMessages>[0];
  const pages = new PageMessages({ ...parts, participation } as unknown as Parts);
  const show = async (): Promise<string> => {
    const ad = sourceRegistration({ event_level_epsilon: 1 }, 'event', { time: TIME });
    const entry = await recorder.byHand(ad);
    return entry === null ? 'nothing' : outcomeOf(entry);
  };
  await settings.update(toJson({ budget }));
  // Something else that follows the settings takes its time.
  const meanwhile: Promise<string>[] = [];
  settings.onChange(async () => {
    meanwhile.push(show());
    await turns(20);
  });
  accountsKept = await keepAccounts(store, settings, participation, clock);
  expect([await show(), await show(), await show()]).toEqual(['stored', 'stored', 'over budget']);
  const change = toJson({ budget: { ...budget, period: 1 } });
  await pages.answer({ kind: 'set-settings', settings: change } as never);
  expect(await Promise.all(meanwhile)).toEqual(['over budget']);
  expect(await show()).toBe('over budget');
  await store.close();
});

test('while what was spent cannot be carried over, nothing is decided', async () => {
  let accountsKept = (): Promise<void> => Promise.resolve();
  const parts = await newRecorder(() => ({ accountsKept: () => accountsKept() }));
  const { recorder, settings, store, clock } = parts;
  await clock.setTo(TIME, true);
  const participation = await Participation.load(store, clock, () => Promise.resolve(null));
  await settings.update(toJson({ budget }));
  accountsKept = await keepAccounts(store, settings, participation, clock);
  const ad = sourceRegistration({ event_level_epsilon: 1 }, 'event', { time: TIME });
  const outcome = async (): Promise<string> => outcomeOf((await recorder.byHand(ad)) as RegistrationEntry);
  expect([await outcome(), await outcome()]).toEqual(['stored', 'stored']);
  const noting = jest.spyOn(store, 'setMetaIn').mockImplementation(() => {
    throw new Error('the disk is full');
  });
  await settings.update(toJson({ budget: { ...budget, period: 1 } })).catch(() => undefined);
  await expect(recorder.byHand(ad)).rejects.toThrow('the disk is full');
  noting.mockRestore();
  expect(await outcome()).toBe('over budget');
  // However often it was tried, each of its days has what the week had.
  const told = await store.read((tx) => tx.table('accounts').latest(Infinity));
  const counts = told.flatMap(({ id, report }) => (id.startsWith('everyone ') ? [report.count] : []));
  expect(counts).toEqual([2, 2, 2, 2, 2, 2, 2]);
  await store.close();
});
