import 'fake-indexeddb/auto';
import { forceCloseDatabase } from 'fake-indexeddb';
import { Activations } from '../../../extension/background/w3c/activations';
import { W3cApi } from '../../../extension/background/w3c/api';
import { PageCalls, type Caller } from '../../../extension/background/w3c/page-calls';
import { SessionMemory } from '../../../extension/background/documents/session-memory';
import { Erasures } from '../../../extension/background/state/erasures';
import { W3cStore } from '../../../extension/store/w3c-store';
import type { ErasingScope } from '../../../extension/erasing/scope';
import type { PagePlace } from '../../../recording/places';
import { days, moment, type Origin } from '../../../src/model/units';
import { Draft, type Budget } from '../../../w3c/documents';
import { defaultLimits } from '../../../w3c/limits';
import type { CallEntry } from '../../../w3c/log';
import type { MemoryDocuments } from '../../../w3c/memory';
import { AGGREGATION_SERVICE } from '../../../w3c/service';
import { seededRandomSource } from '../../../analysis/random/sources';
import { asked } from '../helpers/recording';
import { newSealingKey } from '../../e2e/helpers/sealing-key';

const NEWS = 'https://news.example' as Origin;
const ADS = 'https://ads.example' as Origin;
const TAB = 1;
const known: PagePlace = { kind: 'known', contextOrigin: NEWS };
const frame: Caller = { tabId: TAB, place: known, origin: ADS, shown: NEWS, asked };
const measure = { aggregationService: AGGREGATION_SERVICE, histogramSize: 4, epsilon: 0.5 };

let stores = 0;

/** The API behind pages. @param pause where the person does not allow it */
async function newApi(pause: 'nowhere' | 'here' | 'everywhere') {
  const { setting } = await newSealingKey();
  const listeners: (() => void)[] = [];
  const settings = {
    mayRecord: true,
    current: { w3cAttribution: true, aggregationKeys: [setting], debug: { enabled: false } },
    isPaused: () => pause !== 'nowhere',
    onChange: (listener: () => void) => void listeners.push(listener),
  };
  const debug = (enabled: boolean, isTold: boolean): void => {
    settings.current.debug.enabled = enabled;
    if (isTold) for (const listener of listeners) listener();
  };
  const clock = { time: 1_767_225_600_000 };
  const store = new W3cStore(`w3c ${stores++}`);
  const api = new W3cApi({
    store,
    settings,
    clock: { now: () => moment(clock.time) },
    limits: { current: defaultLimits },
    random: (stream: number) => seededRandomSource('w3c api', stream),
  } as unknown as ConstructorParameters<typeof W3cApi>[0]);
  const activations = new Activations(new SessionMemory());
  const erasures = new Erasures();
  return { store, api, clock, erasures, debug, calls: new PageCalls(api, activations, erasures) };
}

const byId = (one: Budget, other: Budget): number => (one.id < other.id ? -1 : 1);

afterEach(() => void jest.restoreAllMocks());

describe('whether Cointoss is paused', () => {
  /** All that a page gets, without what is random. */
  async function told(
    pause: 'nowhere' | 'here' | 'everywhere',
    caller: Caller,
    isActive: boolean,
    options: object,
  ): Promise<unknown> {
    const { api, calls } = await newApi(pause);
    // In a pause everywhere, Cointoss remembers no page.
    const { kind } = caller.place;
    const place = { kind: 'unknown', unknown: 'document', seenOn: caller.origin ?? NEWS } as const;
    const from = pause === 'everywhere' && kind === 'known' ? { ...caller, place } : caller;
    if (isActive) await calls.activated(TAB);
    const call = 'aggregationService' in options ? 'measureConversion' : 'saveImpression';
    const answer = await calls.script(call, JSON.stringify(options), from);
    // Nothing is under way any more.
    await api.view();
    if (!('report' in answer) || answer.report === null) return answer;
    const { context, payload } = JSON.parse(atob(answer.report)) as Record<'context' | 'payload', string>;
    return [{ ...(JSON.parse(context) as object), report_id: '' }, context.length, payload.length];
  }

  test.each<[string, Caller, boolean, object]>([
    ['a conversion', frame, true, measure],
    ['an impression', frame, true, { histogramIndex: 1 }],
    ['a conversion without an activation', frame, false, measure],
    ['an impression without an activation', frame, false, { histogramIndex: 1 }],
    ['an opaque document', { ...frame, origin: null }, true, measure],
    ['a document that is not secure', { ...frame, origin: 'http://ads.example' as Origin }, true, measure],
    ['options that are not valid', frame, true, { histogramIndex: -1 }],
  ])('is told by no answer: %s', async (_what, caller, isActive, options) => {
    const answer = await told('nowhere', caller, isActive, options);
    expect(await told('here', caller, isActive, options)).toEqual(answer);
    expect(await told('everywhere', caller, isActive, options)).toEqual(answer);
  });

  test('is told by no policy', async () => {
    const caller: Caller = { ...frame, place: { kind: 'forbidden', seenOn: NEWS } };
    const answer = await told('nowhere', caller, true, measure);
    expect(answer).toMatchObject({ error: 'NotAllowedError' });
    expect(await told('here', caller, true, measure)).toEqual(answer);
  });

  test('is told by no time: the same is read', async () => {
    const read = jest.spyOn(IDBObjectStore.prototype, 'getAll');
    await told('nowhere', frame, true, measure);
    const reads = read.mock.calls.length;
    expect(reads).toBeGreaterThan(0);
    await told('here', frame, true, measure);
    expect(read.mock.calls.length).toBe(2 * reads);
  });
});

test('a rejected call is logged, and its answer waits for nothing that is stored', async () => {
  const { api, calls } = await newApi('nowhere');
  const read = jest.spyOn(IDBObjectStore.prototype, 'getAll');
  expect(await calls.script('saveImpression', '{}', frame)).toMatchObject({ error: 'NotAllowedError' });
  expect(await calls.script('saveImpression', null, frame)).toMatchObject({ error: 'RangeError' });
  expect(await calls.script('saveImpression', 'no JSON', frame)).toMatchObject({ error: 'RangeError' });
  const { calls: logged } = await api.view();
  const reasons = logged.map(({ outcome }) => (outcome.kind === 'rejected' ? outcome.reason : outcome.kind));
  expect(reasons).toEqual(['not-activated', 'too-long', 'malformed']);
  // Only the view has read.
  expect(read.mock.calls.length).toBe(2);
});

test.each<[string, ErasingScope | null, number]>([
  ['everything', null, 0],
  ['the page', { kind: 'sites', sites: [NEWS] }, 0],
  ['another page', { kind: 'sites', sites: ['https://shop.example'] }, 2],
])('a call that waits while %s is erased is answered as ever', async (_what, scope, logged) => {
  const { api, calls, erasures } = await newApi('nowhere');
  erasures.add(scope);
  await calls.activated(TAB);
  expect(await calls.script('saveImpression', '{"histogramIndex":1}', frame)).toEqual({ report: null });
  expect(await calls.script('saveImpression', null, frame)).toMatchObject({ error: 'RangeError' });
  const view = await api.view();
  expect(view.calls).toHaveLength(logged);
  expect(view.impressions).toHaveLength(logged / 2);
});

test.each([
  ['keeps nothing for a later epoch', false, [{ kind: 'all', site: null, left: 0 }], 0],
  ['begins anew in debug mode, where clocks are turned', true, [], -3 * 604_800_000],
])('erasing while the clock is behind %s', async (_what, isDebug, budgets, cleared) => {
  const { api, clock, debug } = await newApi('nowhere');
  debug(isDebug, true);
  const from = {
    via: 'by hand',
    topLevelHost: 'news.example',
    callerHost: 'news.example',
    isOff: false,
  } as const;
  const now = clock.time;
  await api.call({ ...from, call: 'saveImpression', options: { histogramIndex: 1 } });
  await api.call({ ...from, call: 'measureConversion', options: measure });
  expect((await api.view()).budgets).toHaveLength(3);
  clock.time = now - 3 * 604_800_000;
  await api.erase(null);
  expect((await api.view()).budgets).toMatchObject(budgets);
  clock.time = now;
  await api.erase(null);
  clock.time = now - 3 * 604_800_000;
  await api.erase(null);
  expect((await api.view()).state.lastClear).toBe(now + cleared);
});

describe('a forced credit', () => {
  const site = {
    via: 'by hand',
    topLevelHost: 'news.example',
    callerHost: 'news.example',
    isOff: false,
  } as const;

  test.each<[string, (debug: (enabled: boolean, isTold: boolean) => void) => void, boolean]>([
    ['holds in debug mode', () => undefined, true],
    [
      'is dropped when the settings end debug mode',
      (debug) => [false, true].forEach((on) => debug(on, true)),
      false,
    ],
    ['is not used if a trial has ended debug mode', (debug) => debug(false, false), false],
  ])('%s', async (_what, happens, isUsed) => {
    const { api, debug } = await newApi('nowhere');
    debug(true, true);
    await api.call({ ...site, call: 'saveImpression', options: { histogramIndex: 1 } });
    // The engine refuses a credit that is not the conversion's value, which is 1.
    api.forcedCredit = [7];
    happens(debug);
    const measured = api.call({ ...site, call: 'measureConversion', options: measure });
    const outcome = await measured.then(
      () => 'measured',
      (error: unknown) => error,
    );
    expect(outcome).toEqual(isUsed ? expect.any(RangeError) : 'measured');
    expect(api.forcedCredit).toBeNull();
  });
});

describe('the store', () => {
  const entry: Omit<CallEntry, 'id'> = {
    time: moment(0),
    via: 'script',
    call: 'saveImpression',
    site: 'news.example',
    caller: 'ads.example',
    options: {},
    outcome: { kind: 'saved' },
  };

  test('erases all that belongs together, or nothing', async () => {
    const store = new W3cStore('w3c erased');
    await store.add(entry);
    await store.decide((documents) => ({
      result: undefined,
      changes: { state: { ...documents.state, calls: 7 }, impressions: new Map(), budgets: new Map() },
    }));
    const before = await store.content();
    const fail = (): never => {
      throw new Error('the end of the background');
    };
    const changes = { state: { ...before.state, calls: 8 }, impressions: new Map(), budgets: new Map() };
    await expect(store.erase(() => changes, fail)).rejects.toThrow('the end of the background');
    expect(await store.content()).toEqual(before);
    expect(
      await store.erase(
        () => changes,
        () => true,
      ),
    ).toEqual({ ...before, written: new Map() });
    expect(await store.content()).toMatchObject({ state: { calls: 8 }, log: [] });
  });

  test.each<[string, ErasingScope | null]>([
    ['everything', null],
    ['a conversion site', { kind: 'sites', sites: ['https://shop.example'] }],
  ])('undoing restores all budgets if the clock was behind when %s was erased', async (_, scope) => {
    const { api, store, clock } = await newApi('nowhere');
    const made = {
      via: 'script',
      callerHost: 'shop.example',
      topLevelHost: 'shop.example',
      isOff: false,
    } as const;
    await api.call({ ...made, call: 'saveImpression', options: { histogramIndex: 1 } });
    await api.call({ ...made, call: 'measureConversion', options: measure });
    const { budgets } = await store.content();
    expect(budgets.map(({ kind }) => kind).sort()).toEqual(['all', 'quota', 'site']);
    clock.time -= days(21);
    const { restore } = await api.erase(scope);
    expect((await store.content()).budgets).toMatchObject([{ kind: 'all', left: 0 }]);
    await restore();
    expect((await store.content()).budgets.toSorted(byId)).toEqual(budgets.toSorted(byId));
  });

  test.each([
    [7, 5, 7],
    [7, 3, 3],
  ])(
    'a budget of %d that an erasure leaves 5 and that is %d when this is undone, is then %d',
    async (left, since, then) => {
      const store = new W3cStore(`w3c spent ${since}`);
      const leave = (documents: MemoryDocuments, amount: number): Draft => {
        const draft = new Draft(documents);
        draft.leave('all', 1, null, amount);
        return draft;
      };
      const spend = (amount: number): Promise<void> =>
        store.decide((documents) => ({ result: undefined, changes: leave(documents, amount) }));
      await spend(left);
      const erased = await store.erase(
        (documents) => leave(documents, 5),
        () => true,
      );
      await spend(since);
      await store.restore(erased);
      expect((await store.content()).budgets).toMatchObject([{ left: then }]);
    },
  );

  test('is replaced with what is left, and what came since stays when what was erased is brought back', async () => {
    const store = new W3cStore('w3c replaced');
    for (const time of [1, 2]) await store.add({ ...entry, time: moment(time) });
    const nothing = { impressions: new Map(), budgets: new Map() };
    const erased = await store.erase(
      ({ state }) => ({ ...nothing, state: { ...state, calls: 8 } }),
      () => true,
    );
    await Promise.all([store.replace(), store.add({ ...entry, time: moment(3) })]);
    expect(await store.content()).toMatchObject({ state: { calls: 8 }, log: [{ time: 3 }] });
    await store.restore(erased);
    expect((await store.content()).log.map(({ id, time }) => [id, time])).toEqual([
      [1, 1],
      [2, 2],
      [3, 3],
    ]);
    expect((await indexedDB.databases()).filter(({ name }) => name?.startsWith('w3c replaced'))).toHaveLength(
      1,
    );
  });

  test('is opened when it is first needed, and again if that failed or the browser closed it', async () => {
    const open = jest.spyOn(indexedDB, 'open');
    const store = new W3cStore('w3c opened');
    expect(open).not.toHaveBeenCalled();
    open.mockImplementationOnce(() => {
      throw new Error('the disk fails');
    });
    await expect(store.add(entry)).rejects.toThrow('the disk fails');
    await store.add(entry);
    await store.add(entry);
    expect(open).toHaveBeenCalledTimes(2);
    const second = open.mock.results[1] as { readonly value: IDBOpenDBRequest };
    forceCloseDatabase(second.value.result as never);
    await store.add(entry);
    expect((await store.content()).log).toHaveLength(3);
    expect(open).toHaveBeenCalledTimes(3);
  });
});
