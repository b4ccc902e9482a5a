import 'fake-indexeddb/auto';
import type { Runtime } from 'webextension-polyfill';
import type { Agreement } from '../../../extension/consent/agreement';
import type { Badge } from '../../../extension/background/state/badge';
import { Clock } from '../../../extension/background/state/clock';
import { ContentMessages } from '../../../extension/background/observe/content-messages';
import type { EligibleHeaders } from '../../../extension/background/observe/eligible-headers';
import { Erasing } from '../../../extension/background/record/erasing';
import { IdbStore } from '../../../extension/store/idb-store';
import { Joining } from '../../../extension/background/consent/joining';
import type { Documents } from '../../../extension/background/documents/documents';
import type { Requester } from '../../../recording/requests';
import type { Navigations } from '../../../extension/background/documents/navigations';
import type { OwnRequests } from '../../../extension/background/observe/own-requests';
import { Participation } from '../../../extension/background/state/participation';
import { keepRealTime } from '../../../extension/background/state/real-time';
import type { Recorder } from '../../../extension/background/record/recorder';
import { Tokens } from '../../../extension/background/tokens/tokens';
import { SettingsHolder } from '../../../extension/background/state/settings';
import type { Json, JsonObject } from '../../../src/model/json';
import { nothing } from '../../../src/limits/accounts';
import { NEVER, periodOf } from '../../../src/limits/joint-budget';
import { tableNames } from '../../../src/store/rows';
import { report, source } from '../helpers/rows';
import { Researcher } from '../helpers/trial-key';
import { jointly, unlimited } from '../helpers/budgets';
import { conditions, newEngine, sourceRegistration } from '../helpers/engine';
import { keepAccounts } from '../../../extension/background/state/accounting';
import { jointLossSoFar } from '../../../extension/background/state/joint-loss-so-far';
import { asked } from '../helpers/recording';

const HOUR = 3_600_000;
const [researcher, stranger] = [new Researcher(), new Researcher()];
let opened = 0;
const nothingToDo = (): Promise<void> => Promise.resolve();

const trial = (more: JsonObject = {}): JsonObject => ({
  id: 'a-trial',
  version: 1,
  title: 'A trial',
  researcher: { name: 'Somebody', contact: 'somebody@uni.example' },
  information: { en: 'What it is about.' },
  settings: { ...unlimited, collector: 'https://collector.example' },
  end: new Date(Date.now() + 24 * HOUR).toISOString(),
  ...more,
});

interface Life {
  readonly store: IdbStore;
  readonly participation: Participation;
  readonly settings: SettingsHolder;
  readonly joining: Joining;
  readonly clock: Clock;
  readonly tokens: Tokens;
  /** What the policies of the device say. */
  readonly policy: { managed: Json };
}

/** A background over a database of this name; a second one is its next run. */
async function begin(
  name = `joining-${++opened}`,
  {
    managed = null,
    rehearsal = false,
    replaceFiles,
  }: { managed?: Json; rehearsal?: boolean; replaceFiles?: () => Promise<void> } = {},
): Promise<Life> {
  const policy = { managed };
  const store = await IdbStore.open(name);
  const clock = await Clock.load(store);
  const participation = await Participation.load(store, clock, () => Promise.resolve(policy.managed));
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
  const tokens = await Tokens.load(store, clock, () => participation.agreedTrial);
  const files = replaceFiles === undefined ? {} : { files: { merge: nothingToDo, replace: replaceFiles } };
  const erasing = new Erasing(store, { forgetTokens: () => tokens.erase(), ...files });
  const joining = new Joining({
    store,
    participation,
    recorder,
    erasing,
    settings,
    clock,
    badge,
    tokens,
    rehearsal,
  });
  await joining.start();
  return { store, participation, settings, joining, clock, policy, tokens };
}

/** What the next answer is to. */
const question = ({ participation }: Life): Json =>
  participation.offer?.read.document ?? participation.document;

const acceptingErases = ({ participation }: Life): boolean =>
  !participation.isAbout(participation.offer?.read ?? participation.read);

/** Joins the trial, signed by the researcher. */
async function join(life: Life, more: JsonObject = {}): Promise<JsonObject> {
  const signed = await researcher.sign(trial(more));
  await life.joining.offer(signed, 'link');
  await life.joining.accept(signed);
  return signed;
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

test.each(['forget', 'offer'] as const)('to %s a trial waits while a withdrawal erases', async (step) => {
  const steps: string[] = [];
  let erased = nothingToDo as () => unknown;
  let isErasing = nothingToDo as () => unknown;
  const erasing = new Promise<void>((resolve) => (isErasing = resolve));
  let replaceFiles = nothingToDo;
  const life = await begin(undefined, { replaceFiles: () => replaceFiles() });
  await join(life);
  replaceFiles = () =>
    new Promise((resolve) => {
      erased = resolve;
      isErasing();
    });
  const left = life.joining.withdraw().then(() => steps.push('withdrawn'));
  await erasing;
  const other = await researcher.sign(trial({ id: 'another-trial' }));
  const done = (step === 'forget' ? life.joining.forget() : life.joining.offer(other, 'link')).then(() =>
    steps.push(step),
  );
  // More than it takes to store what was offered.
  await Promise.race([done, new Promise((resolve) => setTimeout(resolve, 100))]);
  expect(life.participation.document).not.toBeNull();
  expect(steps).toEqual([]);
  erased();
  await Promise.all([left, done]);
  expect(steps).toEqual(['withdrawn', step]);
  expect(life.participation.document).toEqual(step === 'forget' ? null : other);
});

test.each([
  ['refusal', 'declining', 'declined'],
  ['withdrawal', 'withdrawing', 'unanswered'],
] as const)(
  'a %s that the background did not live to finish is finished by the next',
  async (_what, answer, consentStatus) => {
    const life = await begin(`unfinished-${answer}`);
    await life.joining.accept(null);
    await life.settings.update({ paused: true, pausedSites: ['https://bank.example'] });
    await fill(life);
    // It began with this.
    await life.participation.setAgreement({ answer, time: 0, trial: null });
    expect(life.participation).toMatchObject({ consentStatus, maySend: false });
    expect(await count(life)).toBe(2);
    const next = await begin(`unfinished-${answer}`);
    expect(await count(next)).toBe(0);
    expect(next.settings.current).toMatchObject({ paused: false, pausedSites: [] });
    // As if it had not been interrupted.
    const whole = await begin();
    await whole.joining.accept(null);
    await (answer === 'declining' ? withdrawAndDecline(whole) : whole.joining.withdraw());
    expect(next.participation.consentStatus).toBe(whole.participation.consentStatus);
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
  await life.joining.offer(document, 'file');
  await life.joining.accept(document);
  const next = await begin('survives');
  expect(next.participation.consentStatus).toBe('recording');
  expect(next.participation.agreement?.trial).toEqual(document);
  expect(next.settings.current.collector).toBe('https://collector.example');
});

test('what was recorded before anybody was asked is kept by an acceptance, and erased by a refusal', async () => {
  const life = await begin();
  await fill(life);
  expect(acceptingErases(life)).toBe(false);
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
  await life.joining.offer(trial(), 'file');
  // The page says so.
  expect(acceptingErases(life)).toBe(true);
  expect(await count(life)).toBe(2);
  await life.joining.accept(question(life));
  expect(await count(life)).toBe(0);
});

test('what was told under earlier versions of a trial is remembered, until it is left', async () => {
  const budgeted = (version: number, period: number): JsonObject => ({
    version,
    settings: { budget: { unit: 'user', period, epsilon: 2, cap: 2, joint: jointly(2) } },
  });
  const life = await begin('budgets');
  const joined = Date.now();
  await join(life, budgeted(1, 7));
  expect(life.participation.agreement?.budgets).toBeUndefined();
  const { time = 0 } = life.participation.agreement ?? {};
  expect(time).toBeGreaterThanOrEqual(joined);
  const { engine } = newEngine({ store: life.store });
  await engine.register(
    sourceRegistration({ event_level_epsilon: 0.75 }),
    conditions({ kind: 'on' }, life.settings.current),
  );
  await join(life, { ...budgeted(2, 7), title: 'Another title' });
  expect(life.participation.agreement?.budgets).toEqual({ since: time, before: 0 });
  await new Promise((resolve) => setTimeout(resolve, 2));
  await join(life, budgeted(3, 30));
  const { since = 0, before } = life.participation.agreement?.budgets ?? {};
  expect(since).toBeGreaterThan(time);
  expect(before).toBe(0.75);
  const next = await begin('budgets');
  expect(next.participation.agreement?.budgets).toEqual({ since, before });
  expect(next.participation.lossOf(next.settings.current.budget, 0.75)).toMatchObject({ most: 2.75 });
  await next.joining.withdraw();
  await join(next, budgeted(3, 30));
  expect(next.participation.agreement?.budgets).toBeUndefined();
  expect(await next.store.read(jointLossSoFar)).toBe(0);
});

test('what was recorded in a trial is kept when a change of it is accepted', async () => {
  const life = await begin();
  await join(life);
  await fill(life);
  const changed = await researcher.sign(trial({ version: 2, information: { en: 'More.' } }));
  await life.joining.offer(changed, 'link');
  expect(acceptingErases(life)).toBe(false);
  await life.joining.accept(changed);
  expect(await count(life)).toBe(2);
});

test('who says no to a change twice at once stays in the trial, and nothing is erased', async () => {
  const life = await begin();
  const document = await join(life);
  await fill(life);
  const changed = await researcher.sign(trial({ version: 2, title: 'Other' }));
  await life.joining.offer(changed, 'link');
  const answers = [life.joining.decline(changed), life.joining.decline(changed)];
  expect((await Promise.allSettled(answers)).map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  expect(life.participation).toMatchObject({ consentStatus: 'recording', document, offer: null });
  expect(await count(life)).toBe(2);
  // After consent, the only way out is to withdraw.
  await expect(life.joining.decline(document)).rejects.toThrow('You have already agreed to this');
  expect(await count(life)).toBe(2);
});

/** What a stranger can write who knows the trial, or what the researcher published before. */
const offers: readonly (readonly [
  what: string,
  relation: string,
  from: 'file' | 'link',
  by: Researcher | null,
  more: JsonObject,
])[] = [
  [
    'with an earlier end',
    'another',
    'link',
    stranger,
    { version: 2, end: new Date(Date.now() + HOUR).toISOString() },
  ],
  [
    'with another collector',
    'another',
    'link',
    stranger,
    { version: 2, settings: { ...unlimited, collector: 'https://stranger.example' } },
  ],
  ['with nothing changed but who signed it', 'another', 'link', stranger, {}],
  ['without a signature', 'another', 'file', null, { version: 2 }],
  ['with another id', 'another', 'link', researcher, { id: 'next', version: 2 }],
  ['that the researcher changed', 'change', 'link', researcher, { version: 2, settings: unlimited }],
  [
    'that the researcher ends earlier',
    'shortened',
    'link',
    researcher,
    { version: 2, end: new Date(Date.now() + HOUR).toISOString() },
  ],
];

describe.each([
  ['a trial', true],
  ['Cointoss without one', false],
])('whoever takes part in %s', (_what, isTrial) => {
  const running = async (name?: string): Promise<Life> => {
    const life = await begin(name);
    if (isTrial) await join(life);
    else await life.joining.accept(null);
    await fill(life);
    return life;
  };

  const stateOf = (life: Life): object => ({
    agreement: life.participation.agreement,
    consentStatus: life.participation.consentStatus,
    maySend: life.participation.maySend,
    document: life.participation.document,
    settings: life.settings.current,
    locked: life.settings.free,
    nextChange: life.participation.nextChange,
  });

  it.each(offers)(
    'looks at one %s, and nothing changes until they accept',
    async (what, relation, from, by, more) => {
      const name = `looks-${String(isTrial)}-${what}`;
      const life = await running(name);
      const before = stateOf(life);
      const offered = by === null ? trial(more) : await by.sign(trial(more));
      await life.joining.offer(offered, from);
      expect(stateOf(life)).toEqual(before);
      expect(life.participation.offer?.relation).toBe(isTrial ? relation : 'another');
      const next = await begin(name);
      expect(stateOf(next)).toEqual(before);
      expect(await count(next)).toBe(2);
      await next.joining.decline(offered);
      expect(stateOf(next)).toEqual(before);
      expect(next.participation.offer).toBeNull();
      expect(await count(next)).toBe(2);

      await next.joining.offer(offered, from);
      expect(acceptingErases(next)).toBe(!isTrial || relation === 'another');
      await next.joining.accept(offered);
      expect(next.participation).toMatchObject({
        consentStatus: 'recording',
        document: offered,
        offer: null,
      });
      expect(await count(next)).toBe(isTrial && relation !== 'another' ? 2 : 0);
    },
  );
});

test('whoever leaves a trial for another has left it at once, also if the background ends meanwhile', async () => {
  const life = await begin('leaves');
  await join(life);
  await fill(life);
  const states: string[] = [];
  life.participation.onChange(() =>
    states.push(`${String(life.participation.maySend)} ${life.participation.consentStatus}`),
  );
  const theirs = await stranger.sign(trial({ version: 2 }));
  await life.joining.offer(theirs, 'link');
  await life.joining.accept(theirs);
  expect(states).toEqual(['true recording', 'false unanswered', 'true recording']);
  await fill(life);
  await life.participation.setAgreement({ answer: 'withdrawing', time: 0, trial: theirs });
  const next = await begin('leaves');
  expect([next.participation.consentStatus, await count(next)]).toEqual(['unanswered', 0]);
});

test('an offer stays beside the trial, and a withdrawal puts it aside', async () => {
  const life = await begin();
  const document = await join(life);
  await life.joining.offer(await stranger.sign(trial({ version: 2 })), 'link');
  await life.joining.withdraw();
  expect(life.participation).toMatchObject({ consentStatus: 'unanswered', document, offer: null });
});

test('a version that is not higher changes nothing, whoever repeats it', async () => {
  const life = await begin();
  const first = await researcher.sign(trial());
  const earlier = await researcher.sign(trial({ end: new Date(Date.now() + HOUR).toISOString() }));
  await join(life, { version: 2 });
  for (const old of [first, earlier])
    await expect(life.joining.offer(old, 'link')).rejects.toThrow(
      'This is version 1 of the trial. You agreed to version 2, and only a higher version counts.',
    );
  expect(life.participation).toMatchObject({ consentStatus: 'recording', offer: null });
});

test('a link to a trial that is not signed is refused, and so is a signature that does not fit', async () => {
  const life = await begin();
  await expect(life.joining.offer(trial(), 'link')).rejects.toThrow('this one is not signed');
  const signed = await researcher.sign(trial());
  const changed = { ...signed, settings: { ...unlimited, collector: 'https://stranger.example' } };
  for (const from of ['file', 'link'] as const)
    await expect(life.joining.offer(changed, from)).rejects.toThrow('signature.value: does not fit');
  expect(life.participation.document).toBeNull();
});

test('an earlier end that has passed can be accepted, and then the trial is over', async () => {
  const life = await begin();
  await join(life);
  await fill(life);
  const ended = await researcher.sign(trial({ version: 2, end: new Date(Date.now() - HOUR).toISOString() }));
  await life.joining.offer(ended, 'link');
  expect(life.participation.consentStatus).toBe('recording');
  await life.joining.accept(ended);
  expect(life.participation).toMatchObject({ consentStatus: 'ended', maySend: true });
  expect(await count(life)).toBe(2);
});

test('a trial that was changed on the disk counts as not agreed to', async () => {
  const life = await begin('changed-on-disk');
  const signed = await join(life);
  const agreement = life.participation.agreement;
  await life.store.setMeta('agreement', { ...agreement, trial: { ...signed, settings: unlimited } });
  const next = await begin('changed-on-disk');
  expect(next.participation).toMatchObject({ consentStatus: 'unanswered', maySend: false });
});

test('a refusal is only of what was shown', async () => {
  const life = await begin();
  await life.joining.offer(trial(), 'file');
  await fill(life);
  await expect(life.joining.decline(null)).rejects.toThrow('has changed since you saw it');
  expect(life.participation.consentStatus).toBe('unanswered');
  expect(await count(life)).toBe(2);
});

test('what was recorded without a trial never goes where a trial sends its reports', async () => {
  const life = await begin();
  await life.joining.accept(null);
  await fill(life);
  await life.joining.offer(trial(), 'file');
  expect(life.participation.maySend).toBe(true);
  await life.joining.accept(question(life));
  expect(await count(life)).toBe(0);
});

test('a trial set by policy still waits for the person, stands before all others, and changes only with their consent', async () => {
  const managed = trial();
  const life = await begin('managed', { managed });
  expect(life.participation).toMatchObject({ consentStatus: 'unanswered', isManaged: true });
  await expect(life.joining.offer(trial({ id: 'other' }), 'file')).rejects.toThrow(
    'A policy on this device sets the trial',
  );
  await expect(life.joining.forget()).rejects.toThrow('A policy on this device sets the trial');
  await life.joining.accept(managed);
  await fill(life);
  const changed = await begin('managed', { managed: trial({ settings: unlimited }) });
  expect(changed.participation.consentStatus).toBe('unanswered');
  expect(await count(changed)).toBe(2);
  const gone = await begin('managed');
  await gone.participation.readPolicy();
  expect(gone.participation.consentStatus).toBe('unanswered');
  expect(gone.participation.document).toBeNull();
  const broken = await begin('managed', { managed: '{' });
  expect(broken.participation).toMatchObject({ consentStatus: 'unanswered', trial: null });
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
    consentStatus: 'recording',
    isManaged: true,
    isPolicyRemembered: true,
  });
  expect(early.settings.current.collector).toBe('https://collector.example');
  await expect(early.joining.offer(trial({ id: 'other' }), 'file')).rejects.toThrow(
    'A policy on this device sets the trial',
  );
  // It is erased for good, and nothing relies on it any more.
  await early.participation.readPolicy();
  expect(early.participation).toMatchObject({ consentStatus: 'unanswered', isPolicyRemembered: false });
  const later = await begin('late-policy');
  expect(later.participation).toMatchObject({ consentStatus: 'unanswered', isManaged: false });
});

test.each([
  ['real', false, 0],
  ['as it was in a rehearsal', true, HOUR],
])('the clock of a trial is %s', async (_what, rehearsal, ahead) => {
  const life = await begin(undefined, { rehearsal });
  await life.clock.advance(HOUR);
  await life.joining.offer(trial(), 'file');
  await life.joining.accept(life.participation.document);
  expect(life.clock.ahead).toBe(ahead);
});

/** In a trial that a policy set, with a change of the policy that waits for an answer, as participants install it. */
async function withChange(
  name = `policy-${++opened}`,
  rehearsal = false,
): Promise<Life & { readonly changed: Json }> {
  const life = await begin(name, { managed: trial(), rehearsal });
  if (rehearsal) await life.settings.update({ debug: { enabled: true, noise: false } });
  await life.joining.accept(life.participation.document);
  const changed = trial({ version: 2, settings: unlimited });
  return { ...(await begin(name, { managed: changed, rehearsal })), changed };
}

test('debug mode stays off while a change of the policy waits for an answer', async () => {
  const { settings } = await withChange();
  expect(settings.current.debug).toMatchObject({ enabled: false, noise: true });
  await expect(settings.update({ debug: { enabled: true } })).rejects.toThrow(
    'debug: is set by the trial “A trial”',
  );
  await settings.update({ collector: null, paused: true });
});

test('debug mode stays as it is while a change waits in a rehearsal', async () => {
  const { settings } = await withChange(undefined, true);
  expect(settings.current.debug).toMatchObject({ enabled: true, noise: false });
  await settings.update({ debug: { noise: true } });
});

test.each<[string, (life: Life & { readonly changed: Json }) => Promise<unknown>]>([
  ['accepted', ({ joining, changed }) => joining.accept(changed)],
  [
    'found by the next background',
    ({ changed }) => begin('clock-found by the next background', { managed: changed }),
  ],
])('the clock is put back when a change of the policy is %s', async (how, answer) => {
  const life = await withChange(`clock-${how}`);
  await life.clock.advance(HOUR);
  await answer(life);
  const store = await IdbStore.open(`clock-${how}`);
  expect((await Clock.load(store)).ahead).toBe(0);
});

test.each<[string, 'signed' | 'unsigned']>([
  ['signed', 'signed'],
  ['not signed', 'unsigned'],
])(
  'a policy, %s, that only ends earlier takes effect without asking, and cannot be taken back',
  async (_what, how) => {
    const signed = (document: JsonObject): Promise<JsonObject> =>
      how === 'signed' ? researcher.sign(document) : Promise.resolve(document);
    const name = `shorter-${how}`;
    const [first, end] = [await signed(trial()), new Date(Date.now() + HOUR).toISOString()];
    await (await begin(name, { managed: first })).joining.accept(first);
    const shorter = await signed(trial({ version: 2, end }));
    const next = await begin(name, { managed: shorter });
    expect(next.participation).toMatchObject({ consentStatus: 'recording', document: shorter });
    expect(next.participation.agreedTrial?.end).toBe(Date.parse(end));
    const last = await begin(name, { managed: first });
    // Whoever sets policies may write any unsigned one, which asks anew; a signed one counts only if it is newer.
    expect(last.participation.document).toEqual(how === 'signed' ? shorter : first);
    expect(last.participation.consentStatus).toBe(how === 'signed' ? 'recording' : 'unanswered');
    expect(last.participation.problem).toEqual(
      how === 'signed' ? expect.stringContaining('only a higher version counts') : null,
    );
  },
);

test('a policy with the trial of another is another trial, which asks first', async () => {
  const first = await researcher.sign(trial());
  const life = await begin('other-policy', { managed: first });
  await life.joining.accept(first);
  await fill(life);
  const theirs = await stranger.sign(trial({ version: 2, end: new Date(Date.now() + HOUR).toISOString() }));
  const next = await begin('other-policy', { managed: theirs });
  expect(next.participation).toMatchObject({
    consentStatus: 'unanswered',
    maySend: false,
    agreedRead: { document: first },
  });
  expect(acceptingErases(next)).toBe(true);
  await next.joining.accept(theirs);
  expect(await count(next)).toBe(0);
});

test('debug mode that was on is off in a trial, and cannot be switched on', async () => {
  const life = await begin();
  await life.settings.update({ debug: { enabled: true, noise: false } });
  await life.joining.offer(trial(), 'file');
  await life.joining.accept(life.participation.document);
  expect(life.settings.current.debug).toMatchObject({ enabled: false, noise: true });
  await expect(life.settings.update({ debug: { noise: false } })).rejects.toThrow(
    'debug: is set by the trial “A trial”',
  );
});

test('a trial that is over cannot be offered', async () => {
  const life = await begin();
  const over = trial({ end: new Date(Date.now() - HOUR).toISOString() });
  await expect(life.joining.offer(over, 'file')).rejects.toThrow('The trial “A trial” is over.');
});

test('a trial that is over goes on sending while the next is looked at, and refusing that changes nothing', async () => {
  const life = await begin();
  const first = await join(life);
  await fill(life);
  const next = trial({ id: 'next', end: new Date(Date.now() + 90 * HOUR).toISOString() });
  await life.clock.advance(48 * HOUR);
  expect(life.participation.consentStatus).toBe('ended');
  await life.joining.offer(next, 'file');
  expect(life.participation).toMatchObject({ consentStatus: 'ended', maySend: true });
  expect(acceptingErases(life)).toBe(true);
  await life.joining.decline(next);
  expect(life.participation.document).toEqual(first);
  expect(await count(life)).toBe(2);
});

test.each(['accept', 'offer-trial', 'look-at-trial', 'get-participation', 'withdraw', 'decline'])(
  'a content script cannot ask for "%s"',
  async (kind) => {
    const life = await begin();
    const none = null as unknown;
    const content = new ContentMessages({
      isDebugged: () => false,
      recorder: none as Recorder,
      headers: none as EligibleHeaders,
      ownRequests: none as OwnRequests,
      navigations: none as Navigations,
      documents: {
        find: () => Promise.resolve(undefined),
        urlsAround: () => [],
        placeOf: (maker: Requester) =>
          Promise.resolve({ kind: 'known', contextOrigin: maker.documentOrigin }),
      } as unknown as Documents,
      settings: life.settings,
      attribution: undefined as never,
      armOf: () => Promise.resolve(null),
      now: () => life.clock.now(),
      asked: () => asked,
    });
    const sender = { url: 'https://page.example/', frameId: 0, documentId: 'd1', tab: { id: 1 } };
    const message = { kind, trial: null };
    expect(await content.answer({ kind: 'rules' }, sender as Runtime.MessageSender)).toEqual([]);
    expect(await content.answer(message, sender as Runtime.MessageSender)).toBe(false);
    expect(life.participation.consentStatus).toBe('unanswered');
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

test('new sources are for the collector and the keys of the consent in force', async () => {
  const keysOf = (id: string): JsonObject => ({ id, key: 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=' });
  const life = await begin();
  for (const [version, collector, aggregationKeys] of [
    [1, 'https://first.example', [keysOf('first')]],
    [2, 'https://second.example', [keysOf('second')]],
    [3, 'https://second.example', []],
  ] as const) {
    await join(life, { version, settings: { ...unlimited, collector, aggregationKeys } });
    const { recipient, aggregationKeys: named = [] } = life.settings.conditions(life.clock);
    expect({ recipient, named }).toEqual({ recipient: collector, named: aggregationKeys });
  }
});

/** As when the policy changes while the background runs. */
async function setPolicy(life: Life, managed: Json): Promise<void> {
  life.policy.managed = managed;
  await life.participation.readPolicy();
}

const replayed = /^This is version 1 of the trial\. You agreed to version 2/;

describe('an older version counts for nothing', () => {
  test('from a link, once the policy is gone that set a newer one', async () => {
    const older = await researcher.sign(trial());
    const newer = await researcher.sign(trial({ version: 2 }));
    const life = await begin(undefined, { managed: newer });
    await life.joining.accept(newer);
    await setPolicy(life, null);
    await expect(life.joining.offer(older, 'link')).rejects.toThrow(replayed);
  });

  test('if it was looked at before', async () => {
    const older = await researcher.sign(trial());
    const newer = await researcher.sign(trial({ version: 2 }));
    const life = await begin();
    await life.joining.offer(older, 'link');
    await setPolicy(life, newer);
    await life.joining.accept(newer);
    await setPolicy(life, null);
    await expect(life.joining.accept(question(life))).rejects.toThrow(replayed);
    expect(life.participation.agreement?.trial).toEqual(newer);
  });

  test('and does not undo an earlier end that a policy set', async () => {
    const end = new Date(Date.now() + HOUR).toISOString();
    const life = await begin();
    await join(life, { version: 4 });
    const lookedAt = await researcher.sign(trial({ version: 5 }));
    await life.joining.offer(lookedAt, 'link');
    await setPolicy(life, await researcher.sign(trial({ version: 6, end })));
    await setPolicy(life, null);
    expect(life.participation).toMatchObject({ trial: { version: 6 }, offer: null });
    await expect(life.joining.accept(lookedAt)).rejects.toThrow('has changed since you saw it');
    expect(life.participation.trial?.version).toBe(6);
  });
});

test('a policy that comes while a person answers has not set what they agreed to', async () => {
  const life = await begin();
  const signed = await researcher.sign(trial());
  await life.joining.offer(signed, 'link');
  const reset = life.clock.reset.bind(life.clock);
  jest.spyOn(life.clock, 'reset').mockImplementation(async () => {
    await setPolicy(life, signed);
    await reset();
  });
  await life.joining.accept(signed);
  expect(life.participation.agreement).not.toHaveProperty('managed');
});

test('a policy that changes while a person leaves does not keep them in', async () => {
  const life = await begin(undefined, { managed: trial() });
  await life.joining.accept(life.participation.document);
  await fill(life);
  const shorter = trial({ end: new Date(Date.now() + HOUR).toISOString() });
  const setMeta = life.store.setMeta.bind(life.store);
  const changes: Promise<void>[] = [];
  jest.spyOn(life.store, 'setMeta').mockImplementation(async (...given) => {
    const [, value] = given;
    const { answer } = (value ?? {}) as Partial<Agreement>;
    life.policy.managed = shorter;
    if (answer === 'withdrawing') changes.push(life.joining.readPolicy());
    // The policy is read while the answer is being stored, and stored after it, unless it waits until they have left.
    await new Promise((resolve) =>
      setTimeout(resolve, { withdrawing: 50, accepted: 200 }[String(answer)] ?? 0),
    );
    await setMeta(...given);
  });
  await life.joining.withdraw();
  expect(changes).toHaveLength(1);
  await Promise.all(changes);
  expect(life.participation).toMatchObject({ agreement: null, consentStatus: 'unanswered' });
  expect(await count(life)).toBe(0);
});

test('what was spent moves to another period once it is agreed to, and not while that is undecided', async () => {
  const budgeted = (version: number, period: number): JsonObject =>
    trial({ version, settings: { budget: { joint: jointly(version), period } } });
  const [long, short] = [budgeted(1, 365), budgeted(2, 1)];
  const life = await begin(undefined, { managed: long });
  await life.joining.accept(long);
  const { store, settings, participation, clock } = life;
  await keepAccounts(store, settings, participation, clock);
  const idIn = (): string => `everyone   ${periodOf(settings.current.budget, clock.now())}`;
  const ids = async (): Promise<readonly string[]> => {
    // It waits for what is under way.
    await settings.update({ paused: false });
    return store.read(async (tx) => (await tx.table('accounts').latest(Infinity)).map(({ id }) => id));
  };
  const first = idIn();
  await store.write((tx) =>
    tx
      .table('accounts')
      .put({ id: first, report: { ...nothing, count: 1 }, attribution: nothing, end: NEVER }),
  );
  await setPolicy(life, short);
  expect(participation.mayRecord).toBe(false);
  expect(await ids()).toEqual([first]);
  await life.joining.accept(short);
  // Days before this one count it, too.
  expect((await ids()).filter((id) => !id.startsWith('everyone again '))).toEqual([idIn()]);
  expect(idIn()).not.toBe(first);
});

describe('tokens for a trial that a person is about to join', () => {
  const enrolling = { trialId: 'a-trial', member: 'secret' };
  const asking = async (name: string): Promise<Life> => {
    const life = await begin(name);
    await life.joining.accept(null);
    await life.store.setMeta('tokens', { wallet: null, enrolling });
    return begin(name);
  };
  const kept = async ({ store }: Life): Promise<unknown> => store.getMeta('tokens');

  test('outlast the erasing that joining begins with, also if the background is killed in it', async () => {
    const { participation } = await asking('tokens-killed');
    await participation.setAgreement({ answer: 'withdrawing', time: 0, trial: null });
    const next = await begin('tokens-killed');
    expect(next.participation.agreement).toBeNull();
    expect(await kept(next)).toEqual({ wallet: null, enrolling });
  });

  test.each([
    ['leaves', (life: Life) => life.joining.withdraw()],
    [
      'declines',
      async (life: Life) => {
        const document = await researcher.sign(trial());
        await life.joining.offer(document, 'link');
        await life.joining.decline(document);
      },
    ],
  ])('are forgotten once the person %s', async (what, answer) => {
    const life = await asking(`tokens-${what}`);
    await answer(life);
    expect(await kept(life)).toEqual({ wallet: null, enrolling: null });
  });
});
