import 'fake-indexeddb/auto';
import { setTimeout } from 'node:timers/promises';
import { Clock } from '../../../extension/background/state/clock';
import { Erasing } from '../../../extension/background/record/erasing';
import { LiftArms } from '../../../extension/background/lift-arms';
import { Participation } from '../../../extension/background/state/participation';
import { SettingsHolder } from '../../../extension/background/state/settings';
import { IdbStore } from '../../../extension/store/idb-store';
import type { Arm } from '../../../recording/lift-test';
import type { Registration } from '../../../src/model/incoming-registration';
import { days, type Site } from '../../../src/model/units';
import { Researcher } from '../helpers/trial-key';
import { conditions, newEngine, sourceRegistration, START, triggerRegistration } from '../helpers/engine';

const CAMPAIGNS = 64;

const liftTest = { campaign: 'campaign', holdout: 0.5 };
const budget = { unit: 'user-advertiser', epsilon: 4, cap: 4 };

/** A background over a database, which may have been there before. */
async function background(name: string) {
  const store = await IdbStore.open(name);
  const clock = await Clock.load(store);
  await clock.setTo(START, true);
  const participation = await Participation.load(store, clock, () => Promise.resolve(null));
  await participation.setAgreement({ answer: 'accepted', time: 0, trial: null });
  const settings = await SettingsHolder.load(store, participation, true);
  await settings.update({ liftTest, budget });
  const arms = new LiftArms(store, settings, participation, clock);
  const erasing = new Erasing(store, {
    forgetArms: () => arms.forget(),
    armsWhileErased: () => arms.whileErased(),
  });
  const armOf = (campaign: string): Promise<Arm | null> =>
    arms.of({
      reportingSite: 'https://ads.example' as Site,
      destination: 'https://shop.example' as Site,
      name: campaign,
    });
  /** Two secrets give the same with a chance of 2 to the minus 64. */
  const drawn = async (): Promise<string> => {
    const names = Array.from({ length: CAMPAIGNS }, (_, index) => `campaign ${index}`);
    return (await Promise.all(names.map(armOf))).join();
  };
  return { store, participation, settings, arms, erasing, armOf, drawn };
}

test('arms outlast the background and erasing, but not the end of the participation', async () => {
  const one = await background('arms');
  const first = await one.drawn();
  expect(await one.drawn()).toBe(first);
  const two = await background('arms');
  await two.erasing.erase(null);
  expect(await two.drawn()).toBe(first);
  expect(await (await background('arms')).drawn()).toBe(first);

  await two.erasing.eraseForGood();
  expect(await two.store.getMeta('liftSecret')).toBeNull();
  const next = await two.drawn();
  expect(next).not.toBe(first);
  expect(await (await background('arms')).drawn()).toBe(next);
});

test('an arm that was being drawn when the participation ended is forgotten with it', async () => {
  const { store, erasing, drawn } = await background('arms-meanwhile');
  const first = drawn();
  await erasing.eraseForGood();
  expect(await store.getMeta('liftSecret')).toBeNull();
  expect(await drawn()).not.toBe(await first);
});

test('a secret that could not be read is read again', async () => {
  const first = await (await background('arms-unread')).drawn();
  const { drawn } = await background('arms-unread');
  const failing = jest
    .spyOn(IdbStore.prototype, 'getMeta')
    .mockRejectedValueOnce(new Error('the disk fails'));
  await expect(drawn()).rejects.toThrow('the disk fails');
  failing.mockRestore();
  expect(await drawn()).toBe(first);
});

test('there is no arm without a test', async () => {
  const { settings, armOf } = await background('arms-off');
  await settings.update({ liftTest: null });
  expect(await armOf('spring')).toBeNull();
});

const asIs = (registration: Registration): Promise<Registration> => Promise.resolve(registration);

const view = sourceRegistration(
  { filter_data: { campaign: ['spring'] }, max_event_level_reports: 1 },
  'event',
);

const filterDataIn = async (store: IdbStore): Promise<unknown[]> =>
  (await store.read((tx) => tx.table('sources').latest(Infinity))).map(({ registration }) => [
    ...registration.filterData,
  ]);

const withArm = [
  ['campaign', ['spring']],
  ['arm', [expect.stringMatching(/^(exposed|holdout)$/)]],
];
const withoutArm = [
  ['campaign', ['spring']],
  ['arm', []],
];

test('after the test, a trigger does not find out the arm, also after a restart', async () => {
  const { store, arms, settings, participation } = await background('arms-ended');
  const { engine } = newEngine({ store });
  await arms.inTest(view, (source) => engine.register(source, conditions()));
  const trigger = triggerRegistration({
    event_trigger_data: [{ filters: { arm: ['exposed'] } }, { filters: { arm: ['holdout'] } }],
  });
  expect(await arms.inTest(trigger, asIs)).toBe(trigger);
  expect(await filterDataIn(store)).toEqual([withArm]);
  await settings.update({ liftTest: null, attribution: { kind: 'exponential', epsilon: 1, tau: 1 } });
  const next = new LiftArms(store, settings, participation, await Clock.load(store));
  const failing = jest
    .spyOn(IdbStore.prototype, 'write')
    .mockRejectedValueOnce(new Error('the disk is full'));
  await expect(next.inTest(trigger, asIs)).rejects.toThrow('the disk is full');
  failing.mockRestore();
  expect(await next.inTest(trigger, asIs)).toBe(trigger);
  expect(await filterDataIn(store)).toEqual([withoutArm]);
  const entry = await engine.register(trigger, conditions());
  expect(entry).toMatchObject({
    decision: { kind: 'dropped', reason: 'trigger-event-no-matching-configurations' },
  });
});

test('if the end of a test fails, the next test ends it before it draws', async () => {
  const { store, arms, settings, drawn } = await background('arms-end-failed');
  const { engine } = newEngine({ store });
  const first = await drawn();
  await arms.inTest(view, (source) => engine.register(source, conditions()));
  await settings.update({ liftTest: null });
  const failing = jest.spyOn(IdbStore.prototype, 'write');
  for (const message of ['the disk is full', 'the disk is still full'])
    failing.mockRejectedValueOnce(new Error(message));
  const trigger = triggerRegistration({ event_trigger_data: [{}] });
  await expect(arms.inTest(trigger, asIs)).rejects.toThrow('the disk is full');
  const { current } = settings;
  jest.spyOn(settings, 'current', 'get').mockReturnValue({ ...current, liftTest });
  await expect(drawn()).rejects.toThrow('the disk is still full');
  const next = await drawn();
  failing.mockRestore();
  expect(next).not.toBe(first);
  expect(await filterDataIn(store)).toEqual([withoutArm]);
  expect(await drawn()).toBe(next);
});

test.each([
  ['its end failed', true],
  ['before anything was registered', false],
])(
  'a test that the settings ended is over for the next one, also if the background was killed: %s',
  async (title, fails) => {
    const one = await background(`arms-killed ${title}`);
    const { engine } = newEngine({ store: one.store });
    const first = await one.drawn();
    await one.arms.inTest(view, (source) => engine.register(source, conditions()));
    await one.settings.update({ liftTest: null });
    if (fails) {
      const failing = jest
        .spyOn(IdbStore.prototype, 'write')
        .mockRejectedValueOnce(new Error('the disk is full'));
      const trigger = triggerRegistration({ event_trigger_data: [{}] });
      await expect(one.arms.inTest(trigger, asIs)).rejects.toThrow('the disk is full');
      failing.mockRestore();
    }
    // The next background begins the next test and is killed before it draws; the third knows this test only.
    await one.store.close();
    const two = await background(`arms-killed ${title}`);
    await two.store.close();
    const three = await background(`arms-killed ${title}`);
    const next = await three.drawn();
    expect(next).not.toBe(first);
    expect(await filterDataIn(three.store)).toEqual([withoutArm]);
    expect(await three.drawn()).toBe(next);
    expect(await (await background(`arms-killed ${title}`)).drawn()).toBe(next);
  },
);

test('a test that is switched off and on ends, after what still draws its arms', async () => {
  const { store, arms, settings, drawn } = await background('arms-off-and-on');
  const { engine } = newEngine({ store });
  const first = await drawn();
  let goOn = (): void => undefined;
  const paused = new Promise<void>((resolve) => (goOn = resolve));
  const registering = arms.inTest(view, async (source) => {
    await paused;
    return engine.register(source, conditions());
  });
  await settings.update({ liftTest: null });
  await settings.update({ liftTest });
  const next = drawn();
  expect(await Promise.race([next, setTimeout(50, 'waits')])).toBe('waits');
  goOn();
  await registering;
  expect(await next).not.toBe(first);
  expect(await filterDataIn(store)).toEqual([withoutArm]);
});

test('a test that ends while nothing may be recorded ends all the same', async () => {
  const { participation, settings, drawn } = await background('arms-not-recording');
  const first = await drawn();
  await participation.setAgreement({ answer: 'declined', time: 1, trial: null });
  await settings.update({ liftTest: null });
  await settings.update({ liftTest });
  await participation.setAgreement({ answer: 'accepted', time: 2, trial: null });
  expect(await drawn()).not.toBe(first);
});

/** Agrees to versions of a trial. */
function agreeing({ participation }: Pick<Awaited<ReturnType<typeof background>>, 'participation'>) {
  const signer = new Researcher();
  return async (version: number, test: typeof liftTest | null): Promise<void> => {
    const joint = { epsilon: 4, reportingSite: 2, sourceSite: 2, destination: 2 };
    const settings = { budget: { ...budget, joint }, liftTest: test, collector: 'https://collector.example' };
    const text = { en: 'Lift' };
    const researcher = { name: 'A', contact: 'a@uni.example' };
    const trial = await signer.sign({
      ...{ id: 'lift', version, title: text, researcher, information: text },
      end: new Date(START + days(1)).toISOString(),
      settings,
    });
    await participation.setAgreement({ answer: 'accepted', time: version, trial });
  };
}

test.each([
  ['without a test ends that of its first', null, false],
  ['with the same test goes on with it', liftTest, true],
])('a version of a trial %s, also if nothing registers in it', async (title, second, isSame) => {
  const one = await background(`arms-versions ${title}`);
  const { participation, drawn } = one;
  const agreeTo = agreeing(one);
  await agreeTo(1, liftTest);
  expect(participation.problem).toBeNull();
  expect(participation.agreedTrial).not.toBeNull();
  const first = await drawn();
  await agreeTo(2, second);
  await agreeTo(3, liftTest);
  expect((await drawn()) === first).toBe(isSame);
});

test('a version of a trial without a test ends that of its first, also if an arm is drawn while it is agreed to', async () => {
  const one = await background('arms-versions-meanwhile');
  const { store, participation, drawn } = one;
  const agreeTo = agreeing(one);
  await agreeTo(1, liftTest);
  const setMeta = store.setMeta.bind(store);
  const meanwhile: string[] = [];
  jest.spyOn(store, 'setMeta').mockImplementationOnce(async (...set) => {
    await setMeta(...set);
    meanwhile.push(await drawn());
  });
  await agreeTo(2, null);
  expect(participation.agreedTrial?.settings.liftTest).toBeNull();
  expect(meanwhile[0]).toMatch(/exposed/);
  await agreeTo(3, liftTest);
  expect(await drawn()).not.toBe(meanwhile[0]);
});

test('an end that comes while an earlier one is carried out is not forgotten', async () => {
  const { store, arms, settings, drawn } = await background('arms-newer-end');
  let goOn = (): void => undefined;
  const paused = new Promise<void>((resolve) => (goOn = resolve));
  const registering = arms.inTest(view, () => paused);
  await settings.update({ liftTest: null });
  await settings.update({ liftTest });
  const next = drawn();
  // It has seen the first end, and waits for the source.
  expect(await Promise.race([next, setTimeout(50, 'waits')])).toBe('waits');
  await settings.update({ liftTest: null });
  goOn();
  await registering;
  const second = await next;
  expect(await store.getMeta('liftTestEnded')).not.toBeNull();
  await settings.update({ liftTest });
  expect(await drawn()).not.toBe(second);
});

test('a change of settings while a test is being ended does not end the next one, too', async () => {
  const { store, arms, settings, drawn } = await background('arms-ended-once');
  const { engine } = newEngine({ store });
  await drawn();
  await settings.update({ liftTest: null });
  await settings.update({ liftTest });
  let goOn = (): void => undefined;
  const paused = new Promise<void>((resolve) => (goOn = resolve));
  const clearMeta = store.clearMeta.bind(store);
  jest.spyOn(store, 'clearMeta').mockImplementationOnce(async (...cleared) => {
    await paused;
    return clearMeta(...cleared);
  });
  const registering = arms.inTest(view, (source) => engine.register(source, conditions()));
  expect(await Promise.race([registering, setTimeout(50, 'waits')])).toBe('waits');
  await settings.update({ paused: true });
  const next = drawn();
  expect(await Promise.race([next, setTimeout(50, 'waits')])).toBe('waits');
  goOn();
  await registering;
  const secret = await store.getMeta('liftSecret');
  await next;
  expect(await filterDataIn(store)).toEqual([withArm]);
  expect(await store.getMeta('liftSecret')).toBe(secret);
});

test('a change of other settings ends no test', async () => {
  const { settings, drawn } = await background('arms-other-settings');
  const first = await drawn();
  await settings.update({ paused: true });
  expect(await drawn()).toBe(first);
});

test('a source that is being registered when the test ends has no arm afterwards', async () => {
  const { store, arms, settings } = await background('arms-under-way');
  const { engine } = newEngine({ store });
  let goOn = (): void => undefined;
  const paused = new Promise<void>((resolve) => (goOn = resolve));
  const registering = arms.inTest(view, async (source) => {
    await paused;
    return engine.register(source, conditions());
  });
  await settings.update({ liftTest: null });
  const other = triggerRegistration({ event_trigger_data: [{}] });
  const next = arms.inTest(other, asIs);
  // It waits for the source, however long that takes.
  expect(await Promise.race([next, setTimeout(50, 'waits')])).toBe('waits');
  goOn();
  await Promise.all([registering, next]);
  expect(await filterDataIn(store)).toEqual([withoutArm]);
});

test.each([
  ['still goes on', { liftTest }, withArm],
  ['has ended', { liftTest: null }, withoutArm],
])('an erased source comes back as it may be while its test %s', async (title, meanwhile, expected) => {
  const { store, arms, settings, erasing } = await background(`arms-undone ${title}`);
  const { engine } = newEngine({ store });
  await arms.inTest(view, (source) => engine.register(source, conditions()));
  await erasing.erase(null);
  await settings.update(meanwhile);
  await arms.inTest(triggerRegistration({ event_trigger_data: [{}] }), asIs);
  await erasing.undo();
  expect(await filterDataIn(store)).toEqual([expected]);
});

test('an erased source that comes back just when the arms were taken has none', async () => {
  const { store, arms, settings, erasing } = await background('arms-undone-meanwhile');
  const { engine } = newEngine({ store });
  await arms.inTest(view, (source) => engine.register(source, conditions()));
  await erasing.erase(null);
  await settings.update({ liftTest: null });
  const write = store.write.bind(store);
  jest.spyOn(store, 'write').mockImplementationOnce(async (work) => {
    const written = await write(work);
    await erasing.undo();
    return written;
  });
  await arms.inTest(triggerRegistration({ event_trigger_data: [{}] }), asIs);
  expect(await filterDataIn(store)).toEqual([withoutArm]);
});

test('the end of a test forgets the secret together with the arms, also if the test only asked for one', async () => {
  const { store, arms, settings, drawn } = await background('arms-asked-for');
  const trigger = triggerRegistration({ event_trigger_data: [{}] });
  await settings.update({ liftTest: null });
  await arms.inTest(trigger, asIs);
  await settings.update({ liftTest });
  const first = await drawn();
  const setMeta = jest.spyOn(store, 'setMeta');
  await settings.update({ liftTest: null });
  setMeta.mockClear();
  await arms.inTest(trigger, asIs);
  expect(setMeta).not.toHaveBeenCalled();
  expect(await store.getMeta('liftSecret')).toBeNull();
  await settings.update({ liftTest });
  expect(await drawn()).not.toBe(first);
});

test('a test that begins while an earlier one ends draws with a secret that stays, and its sources keep their arms', async () => {
  const { store, arms, settings, drawn } = await background('arms-on-again');
  const { engine } = newEngine({ store });
  const first = await drawn();
  await settings.update({ liftTest: null });
  let goOn = (): void => undefined;
  const paused = new Promise<void>((resolve) => (goOn = resolve));
  const read = store.getMeta.bind(store);
  jest.spyOn(store, 'getMeta').mockImplementationOnce(async (key) => {
    const found = await read(key);
    await paused;
    return found;
  });
  const ending = arms.inTest(triggerRegistration({ event_trigger_data: [{}] }), asIs);
  await settings.update({ liftTest });
  const registering = arms.inTest(view, (source) => engine.register(source, conditions()));
  const meanwhile = drawn();
  // Enough for both, if they do not wait.
  await setTimeout(50);
  goOn();
  await Promise.all([ending, registering]);
  expect(await filterDataIn(store)).toEqual([withArm]);
  expect(await meanwhile).not.toBe(first);
  expect(await drawn()).toBe(await meanwhile);
});
