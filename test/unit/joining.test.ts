import 'fake-indexeddb/auto';
import type { Runtime } from 'webextension-polyfill';
import type { Badge } from '../../extension/background/badge';
import { Clock } from '../../extension/background/clock';
import { ContentMessages } from '../../extension/background/content-messages';
import type { EligibleHeaders } from '../../extension/background/eligible-headers';
import { Erasing } from '../../extension/background/erasing';
import { IdbStore } from '../../extension/store/idb-store';
import { Joining } from '../../extension/background/joining';
import type { Documents, Maker } from '../../extension/background/documents';
import type { Navigations } from '../../extension/background/navigations';
import type { OwnRequests } from '../../extension/background/own-requests';
import type { PermissionsPolicies } from '../../extension/background/permissions-policies';
import { Participation } from '../../extension/background/participation';
import { keepRealTime } from '../../extension/background/real-time';
import type { Recorder } from '../../extension/background/recorder';
import { SettingsHolder } from '../../extension/background/settings';
import type { Json, JsonObject } from '../../src/model/json';
import { tableNames } from '../../src/store/store';
import { report, source } from './helpers/rows';

const HOUR = 3_600_000;
let opened = 0;

const trial = (more: JsonObject = {}): Json => ({
  id: 'a-trial',
  version: 1,
  title: 'A trial',
  researcher: { name: 'Somebody', contact: 'somebody@uni.example' },
  information: { en: 'What it is about.' },
  settings: { collector: 'https://collector.example' },
  end: new Date(Date.now() + 24 * HOUR).toISOString(),
  ...more,
});

interface Life {
  readonly store: IdbStore;
  readonly participation: Participation;
  readonly settings: SettingsHolder;
  readonly joining: Joining;
  readonly clock: Clock;
}

/** A background over a database of this name; a second one is its next run. */
async function begin(
  name = `joining-${++opened}`,
  { managed = null, rehearsal = false }: { managed?: Json; rehearsal?: boolean } = {},
): Promise<Life> {
  const store = await IdbStore.open(name);
  const clock = await Clock.load(store);
  const participation = await Participation.load(store, clock, () => Promise.resolve(managed));
  const settings = await SettingsHolder.load(store, participation, rehearsal);
  // All that is used of the browser and the recorder here: it runs tasks one after the other.
  let queue: Promise<unknown> = Promise.resolve();
  const alone = (task: () => Promise<unknown>): Promise<unknown> => {
    const result = queue.then(task);
    queue = result.catch(() => undefined);
    return result;
  };
  const recorder = { alone } as unknown as Recorder;
  const badge = { clear: () => undefined } as unknown as Badge;
  const erasing = new Erasing(store);
  const joining = new Joining({ participation, recorder, erasing, settings, clock, badge, rehearsal });
  await joining.start();
  return { store, participation, settings, joining, clock };
}

const fill = ({ store }: Life): Promise<void> =>
  store.write((tx) => {
    tx.table('sources').put(source(1, ['https://shop.example']));
    tx.table('reports').put(report(2, 0, 1));
  });

const count = ({ store }: Life): Promise<number> =>
  store.read(async (tx) => {
    let rows = 0;
    for (const name of tableNames()) rows += await tx.table(name).count();
    return rows;
  });

test.each([
  ['refusal', 'declining', 'declined'],
  ['withdrawal', 'withdrawing', 'unanswered'],
] as const)(
  'a %s that the background did not live to finish is finished by the next',
  async (_what, answer, standing) => {
    const life = await begin(`unfinished-${answer}`);
    await life.joining.accept(null);
    await life.settings.update({ paused: true, pausedSites: ['https://bank.example'] });
    await fill(life);
    // It began with this.
    await life.participation.setAgreement({ answer, time: 0, trial: null });
    expect(life.participation).toMatchObject({ standing, maySend: false });
    expect(await count(life)).toBe(2);
    const next = await begin(`unfinished-${answer}`);
    expect(await count(next)).toBe(0);
    expect(next.settings.current).toMatchObject({ paused: false, pausedSites: [] });
    // As if it had not been interrupted.
    const whole = await begin();
    await whole.joining.accept(null);
    await (answer === 'declining' ? withdrawAndDecline(whole) : whole.joining.withdraw());
    expect(next.participation.standing).toBe(whole.participation.standing);
    expect(next.participation.agreement?.answer).toBe(whole.participation.agreement?.answer);
    // Once only: what they pause from then on stays.
    await next.settings.update({ pausedSites: ['https://bank.example'] });
    const last = await begin(`unfinished-${answer}`);
    expect(last.settings.current.pausedSites).toEqual(['https://bank.example']);
  },
);

async function withdrawAndDecline({ joining }: Life): Promise<void> {
  await joining.withdraw();
  await joining.decline(null);
}

test('an answer and a trial survive the background, word for word', async () => {
  const document = trial();
  const life = await begin('survives');
  await life.joining.offer(document);
  await life.joining.accept(document);
  const next = await begin('survives');
  expect(next.participation.standing).toBe('recording');
  expect(next.participation.agreement?.trial).toEqual(document);
  expect(next.settings.current.collector).toBe('https://collector.example');
});

test('what was recorded before anybody was asked is kept by an acceptance, and erased by a refusal', async () => {
  const life = await begin();
  await fill(life);
  expect(life.participation.isAboutAnother).toBe(false);
  await life.joining.accept(null);
  expect(await count(life)).toBe(2);
  const other = await begin();
  await fill(other);
  await other.joining.decline(null);
  expect(await count(other)).toBe(0);
});

test('what was recorded before anybody was asked never goes where a trial sends its reports', async () => {
  const life = await begin();
  await fill(life);
  await life.joining.offer(trial());
  // The page says so.
  expect(life.participation.isAboutAnother).toBe(true);
  expect(await count(life)).toBe(2);
  await life.joining.accept(life.participation.document);
  expect(await count(life)).toBe(0);
});

test('what was recorded in a trial is kept when a change of it is accepted', async () => {
  const life = await begin();
  await life.joining.offer(trial());
  await life.joining.accept(life.participation.document);
  await fill(life);
  await life.joining.offer(trial({ version: 2 }));
  expect(life.participation.isAboutAnother).toBe(false);
  await life.joining.accept(life.participation.document);
  expect(await count(life)).toBe(2);
});

test('who says no to a change twice at once stays in the trial, and nothing is erased', async () => {
  const life = await begin();
  const document = trial();
  await life.joining.offer(document);
  await life.joining.accept(document);
  await fill(life);
  const changed = trial({ version: 2 });
  await life.joining.offer(changed);
  const answers = [life.joining.decline(changed), life.joining.decline(changed)];
  expect((await Promise.allSettled(answers)).map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  expect(life.participation).toMatchObject({ standing: 'recording', document });
  expect(await count(life)).toBe(2);
  // After consent, the only way out is to withdraw.
  await expect(life.joining.decline(document)).rejects.toThrow('You have already agreed to this');
  expect(await count(life)).toBe(2);
});

test('a refusal is only of what was shown', async () => {
  const life = await begin();
  await life.joining.offer(trial());
  await fill(life);
  await expect(life.joining.decline(null)).rejects.toThrow('has changed since you saw it');
  expect(life.participation.standing).toBe('unanswered');
  expect(await count(life)).toBe(2);
});

test('what was recorded without a trial never goes where a trial sends its reports', async () => {
  const life = await begin();
  await life.joining.accept(null);
  await fill(life);
  await life.joining.offer(trial());
  expect(life.participation.maySend).toBe(false);
  await life.joining.accept(life.participation.document);
  expect(await count(life)).toBe(0);
});

test('a trial set by policy still waits for the person, stands before all others, and changes only with their consent', async () => {
  const managed = trial();
  const life = await begin('managed', { managed });
  expect(life.participation).toMatchObject({ standing: 'unanswered', isManaged: true });
  await expect(life.joining.offer(trial({ id: 'other' }))).rejects.toThrow(
    'A policy on this device sets the trial',
  );
  await expect(life.joining.forget()).rejects.toThrow('A policy on this device sets the trial');
  await life.joining.accept(managed);
  await fill(life);
  const changed = await begin('managed', { managed: trial({ settings: {} }) });
  expect(changed.participation.standing).toBe('unanswered');
  expect(await count(changed)).toBe(2);
  const gone = await begin('managed');
  await gone.participation.readPolicy();
  expect(gone.participation.standing).toBe('unanswered');
  expect(gone.participation.document).toBeNull();
  const broken = await begin('managed', { managed: '{' });
  expect(broken.participation).toMatchObject({ standing: 'unanswered', trial: null });
  expect(broken.participation.problem).toContain('must be an object');
  await expect(broken.joining.accept('{')).rejects.toThrow('Cointoss cannot read the trial');
});

test('a policy that the browser does not know yet is taken to be what it was, until it is read again', async () => {
  const managed = trial();
  const life = await begin('late-policy', { managed });
  expect(life.participation.isPolicyRemembered).toBe(false);
  await life.joining.accept(managed);
  const early = await begin('late-policy');
  expect(early.participation).toMatchObject({
    standing: 'recording',
    isManaged: true,
    isPolicyRemembered: true,
  });
  expect(early.settings.current.collector).toBe('https://collector.example');
  await expect(early.joining.offer(trial({ id: 'other' }))).rejects.toThrow(
    'A policy on this device sets the trial',
  );
  // It is erased for good, and nothing relies on it any more.
  await early.participation.readPolicy();
  expect(early.participation).toMatchObject({ standing: 'unanswered', isPolicyRemembered: false });
  const later = await begin('late-policy');
  expect(later.participation).toMatchObject({ standing: 'unanswered', isManaged: false });
});

test.each([
  ['real', false, 0],
  ['as it was in a rehearsal', true, HOUR],
])('the clock of a trial is %s', async (_what, rehearsal, ahead) => {
  const life = await begin(undefined, { rehearsal });
  await life.clock.advance(HOUR);
  await life.joining.offer(trial());
  await life.joining.accept(life.participation.document);
  expect(life.clock.ahead).toBe(ahead);
});

/** In a trial, with a change that waits for an answer, as participants install it. */
async function withChange(name?: string, rehearsal = false): Promise<Life & { readonly changed: Json }> {
  const life = await begin(name, { rehearsal });
  await life.settings.update({ debug: { enabled: true, noise: false } });
  await life.joining.offer(trial());
  await life.joining.accept(life.participation.document);
  const changed = trial({ version: 2 });
  await life.joining.offer(changed);
  return { ...life, changed };
}

test('debug mode stays off while a change of the trial waits for an answer', async () => {
  const { settings, joining } = await withChange();
  expect(settings.current.debug).toMatchObject({ enabled: false, noise: true });
  await expect(settings.update({ debug: { enabled: true } })).rejects.toThrow(
    'debug: is set by the trial “A trial”',
  );
  await settings.update({ collector: null, paused: true });
  await joining.withdraw();
  expect(settings.current.debug).toMatchObject({ enabled: true, noise: false });
});

test('debug mode stays as it is while a change waits in a rehearsal', async () => {
  const { settings } = await withChange(undefined, true);
  expect(settings.current.debug).toMatchObject({ enabled: true, noise: false });
  await settings.update({ debug: { noise: true } });
});

test.each<[string, (life: Life & { readonly changed: Json }) => Promise<unknown>]>([
  ['declined', ({ joining, changed }) => joining.decline(changed)],
  ['accepted', ({ joining, changed }) => joining.accept(changed)],
  ['forgotten', ({ joining }) => joining.forget()],
  ['found by the next background', () => begin('clock-found by the next background')],
])('the clock is put back when a change of the trial is %s', async (how, answer) => {
  const life = await withChange(`clock-${how}`);
  await life.clock.advance(HOUR);
  await answer(life);
  const store = await IdbStore.open(`clock-${how}`);
  expect((await Clock.load(store)).ahead).toBe(0);
});

test('debug mode that was on is off in a trial, and cannot be switched on', async () => {
  const life = await begin();
  await life.settings.update({ debug: { enabled: true, noise: false } });
  await life.joining.offer(trial());
  await life.joining.accept(life.participation.document);
  expect(life.settings.current.debug).toMatchObject({ enabled: false, noise: true });
  await expect(life.settings.update({ debug: { noise: false } })).rejects.toThrow(
    'debug: is set by the trial “A trial”',
  );
});

test('a trial that is over cannot be offered', async () => {
  const life = await begin();
  const over = trial({ end: new Date(Date.now() - HOUR).toISOString() });
  await expect(life.joining.offer(over)).rejects.toThrow('The trial “A trial” is over.');
});

test('a trial that is over keeps nobody from the next, and refusing that brings it back', async () => {
  const life = await begin();
  const first = trial();
  await life.joining.offer(first);
  await life.joining.accept(first);
  await fill(life);
  const next = trial({ id: 'next', end: new Date(Date.now() + 90 * HOUR).toISOString() });
  await expect(life.joining.offer(next)).rejects.toThrow(
    'You are taking part in the trial “A trial”. Withdraw from it first.',
  );
  await life.clock.advance(48 * HOUR);
  expect(life.participation.standing).toBe('ended');
  await life.joining.offer(next);
  expect(life.participation).toMatchObject({ standing: 'unanswered', isAboutAnother: true });
  await life.joining.decline(next);
  expect(life.participation.document).toEqual(first);
  expect(await count(life)).toBe(2);
});

test.each(['accept', 'offer-trial', 'get-participation', 'withdraw', 'decline'])(
  'a content script cannot ask for "%s"',
  async (kind) => {
    const life = await begin();
    const none = null as unknown;
    const content = new ContentMessages({
      recorder: none as Recorder,
      headers: none as EligibleHeaders,
      ownRequests: none as OwnRequests,
      navigations: none as Navigations,
      policies: none as PermissionsPolicies,
      documents: {
        find: () => Promise.resolve(undefined),
        urlsAround: () => [],
        placeOf: (maker: Maker) => Promise.resolve({ contextOrigin: maker.documentOrigin, obstacle: null }),
      } as unknown as Documents,
      settings: life.settings,
      now: () => life.clock.now(),
    });
    const sender = { url: 'https://page.example/', frameId: 0, documentId: 'd1', tab: { id: 1 } };
    const message = { kind, trial: null };
    expect(await content.answer({ kind: 'rules' }, sender as Runtime.MessageSender)).toEqual([]);
    expect(await content.answer(message, sender as Runtime.MessageSender)).toBe(false);
    expect(life.participation.standing).toBe('unanswered');
  },
);

describe('outside debug mode', () => {
  const turn: readonly (readonly [string, (clock: Clock) => Promise<void>])[] = [
    ['turned', (clock) => clock.advance(HOUR)],
    ['stopped', (clock) => clock.setTo(clock.now(), true)],
  ];

  it.each(turn)('a clock that was %s goes back to real time', async (_, change) => {
    const { settings, clock } = await begin();
    let moves = 0;
    await keepRealTime(settings, clock, () => (moves += 1));
    await settings.update({ debug: { enabled: true } });
    await change(clock);
    await settings.update({ paused: true });
    expect([clock.frozen || clock.ahead > 0, moves]).toEqual([true, 0]);
    await settings.update({ debug: { enabled: false } });
    expect([clock.frozen, clock.ahead, moves]).toEqual([false, 0, 1]);
  });

  it('a clock that an earlier life left turned does, too', async () => {
    const name = `joining-${++opened}`;
    const { clock } = await begin(name);
    await clock.advance(HOUR);
    const next = await begin(name);
    expect(next.clock.ahead).toBe(HOUR);
    await keepRealTime(next.settings, next.clock, () => undefined);
    expect(next.clock.ahead).toBe(0);
  });
});
