import 'fake-indexeddb/auto';
import { ContentMessages } from '../../../extension/background/observe/content-messages';
import type { Documents } from '../../../extension/background/documents/documents';
import { Recorder } from '../../../extension/background/record/recorder';
import type { PagePlace } from '../../../recording/places';
import { after, days, epsilon, moment, type Origin } from '../../../src/model/units';
import type { Spend } from '../../../src/model/spend';
import { siteOf } from '../../../src/model/site';
import { SHOP, sourceRegistration, START, triggerRegistration } from '../helpers/engine';
import { newRecorder } from '../helpers/recorder';
import { largeSource, report } from '../helpers/rows';
import { useFakeTimers } from '../helpers/timers';

const FLOODER = 'https://flooder.example' as Origin;

// Written records wait ten seconds for a declaration, which never comes here.
useFakeTimers();

/** A private attribution among `count` candidates of one unit. */
const spend = (id: number, count: number): Spend => ({
  id,
  time: moment(0),
  unit: 'user-publisher',
  of: siteOf(FLOODER),
  reportingSite: null,
  period: moment(0),
  end: moment(0),
  contextSite: siteOf(FLOODER),
  purpose: 'attribution',
  epsilon: epsilon(0.1),
  sourceIds: Array.from({ length: count }, (_, source) => source),
  triggerId: id,
});

test('what workers of one site ask for leaves room for the workers of others', async () => {
  const { recorder, inbox, clock } = await newRecorder();
  await clock.setTo(START, true);
  const respond = (origin: Origin, length: number): Promise<void> =>
    recorder.response({
      time: START,
      requestId: '1',
      kind: 'worker',
      requestUrl: `${origin}/ad`,
      reportingOrigin: origin,
      openerTabId: null,
      place: { kind: 'known', contextOrigin: origin },
      requester: { tabId: -1, frameId: -1, documentOrigin: origin },
      eligibility: null,
      headers: { source: 'x'.repeat(length), trigger: null, osSource: false, osTrigger: false, info: null },
    });
  for (let count = 0; count < 200; count++) await respond(FLOODER, 20_000);
  const flood = inbox.responses.length;
  expect(flood).toBeLessThan(100);
  await respond(SHOP, 100);
  expect(inbox.responses.length).toBe(flood + 1);
});

test('declarations leave their room when no response can follow, although no response ever came', async () => {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
  const parts = await newRecorder();
  const declare = (recorder: Recorder, documentId: string): Promise<void> =>
    recorder.eligibleRequest(
      {
        ...{ time: parts.clock.now(), via: 'element', eligibility: 'event-source-or-trigger' },
        ...{ url: `${SHOP}/${'x'.repeat(20_000)}`, place: { kind: 'known', contextOrigin: SHOP } },
        ...{ tabId: 1, documentId, documentOrigin: SHOP },
      },
      recorder.asked(),
    );
  const stored = async (): Promise<readonly string[]> =>
    (await parts.store.inbox.read()).rows.flatMap((row) =>
      'request' in row ? [row.request.documentId] : [],
    );
  for (let id = 0; id < 60; id++) await declare(parts.recorder, `${id}`);
  expect((await stored()).length).toBeLessThan(60);
  // The next run of the background finds no room.
  jest.clearAllTimers();
  const next = new Recorder(parts);
  await declare(next, 'dropped');
  for (let seconds = 0; seconds < 70; seconds++) await jest.advanceTimersByTimeAsync(1000);
  await declare(next, 'kept');
  expect(await stored()).toEqual(['kept']);
  for (let seconds = 0; seconds < 70; seconds++) await jest.advanceTimersByTimeAsync(1000);
  await declare(next, 'later');
  expect(await stored()).toEqual(['later']);
});

test('what private attributions spent makes room for newer, and no conversion is ignored', async () => {
  const { recorder, store } = await newRecorder();
  await store.write((tx) => {
    for (let id = 1; id <= 60; id++) tx.table('spends').put(spend(id, 60_000));
  });
  const left = await store.ids('spends');
  expect(left.length).toBeLessThan(20);
  expect(left.at(-1)).toBe(60);
  for (const contextOrigin of [FLOODER, SHOP])
    await recorder.byHand(triggerRegistration(undefined, { contextOrigin }));
  expect(await store.newest('log', 9)).toMatchObject([
    { kind: 'trigger', contextOrigin: SHOP },
    { kind: 'trigger', contextOrigin: FLOODER },
  ]);
});

test('a site whose conversions have filled their room makes event-level reports only, and others make all', async () => {
  const { recorder, settings, store } = await newRecorder();
  await settings.update({ aggregatableReports: true, collector: 'https://collector.example/' });
  const waiting = { ...report(1, 1), sourceSite: siteOf(FLOODER), body: 'x'.repeat(1_000_000) };
  await store.write((tx) => {
    for (let count = 0; count < 40; count++) tx.table('reports').put({ ...waiting, id: tx.nextId() });
  });
  for (const contextOrigin of [FLOODER, SHOP])
    await recorder.byHand(
      triggerRegistration(
        {
          trigger_context_id: 'a',
          aggregatable_source_registration_time: 'exclude',
          aggregatable_trigger_data: [{ key_piece: '0x1' }],
          aggregatable_values: { a: 5 },
        },
        { contextOrigin },
      ),
    );
  expect((await store.newest('log', 9)).map(({ kind, contextOrigin }) => [kind, contextOrigin])).toEqual([
    ['trigger', SHOP],
    ['trigger', FLOODER],
  ]);
  // With a context id, every conversion makes one.
  const made = (await store.newest('reports', 99)).filter(({ kind }) => kind === 'aggregatable');
  expect(made.map(({ aggregatable }) => aggregatable?.destination)).toEqual([siteOf(SHOP)]);
});

test('a source of a site that has filled its room is ignored, and the log says why, until the others expire; conversions and other sites go on', async () => {
  const { recorder, store } = await newRecorder();
  const large = {
    ...largeSource(1, [SHOP], 'x'.repeat(1_000_000)),
    ...{ sourceSite: siteOf(FLOODER), sourceOrigin: FLOODER, expiryTime: after(START, days(30)) },
  };
  await store.write((tx) => {
    for (let count = 0; count < 30; count++) tx.table('sources').put({ ...large, id: tx.nextId() });
  });
  const later = after(START, days(31));
  for (const registration of [
    sourceRegistration({}, 'event', { contextOrigin: FLOODER }),
    sourceRegistration({}, 'event', { contextOrigin: SHOP }),
    triggerRegistration(undefined, { contextOrigin: FLOODER }),
    sourceRegistration({}, 'event', { contextOrigin: FLOODER, time: later }),
  ])
    await recorder.byHand(registration);
  expect((await store.newest('log', 9)).toReversed()).toMatchObject([
    { kind: 'ignored', contextOrigin: FLOODER, reason: { code: 'no-room' } },
    { kind: 'source', contextOrigin: SHOP, decision: { kind: 'stored' } },
    { kind: 'trigger', contextOrigin: FLOODER },
    { kind: 'source', contextOrigin: FLOODER, decision: { kind: 'stored' } },
  ]);
});

test('messages beyond what is read of a page are counted in one log entry for each period', async () => {
  const { recorder, settings, store } = await newRecorder();
  const place = { kind: 'known', contextOrigin: FLOODER };
  const documents = {
    find: () => Promise.resolve(undefined),
    placeOf: () => Promise.resolve(place),
    urlsAround: () => [],
  } as unknown as Documents;
  const content = new ContentMessages({
    recorder,
    settings,
    documents,
    now: () => START,
    asked: () => recorder.asked(),
  } as unknown as ConstructorParameters<typeof ContentMessages>[0]);
  const send = (origin: Origin, count: number): Promise<readonly unknown[]> =>
    Promise.all(
      Array.from({ length: count }, () =>
        content.answer({ kind: 'rules' }, {
          tab: { id: 1 },
          url: `${origin}/`,
          origin,
          documentId: 'a',
          frameId: 0,
        } as never),
      ),
    );
  expect((await send(FLOODER, 600)).filter((answer) => answer === false)).toHaveLength(200);
  await send(SHOP, 400);
  expect(await store.count('log')).toBe(0);
  await jest.advanceTimersByTimeAsync(10_000);
  await recorder.alone(() => Promise.resolve());
  expect(await store.newest('log', 9)).toMatchObject([
    {
      contextOrigin: FLOODER,
      reportingOrigin: FLOODER,
      reason: { code: 'too-many-messages', values: { count: 200 } },
    },
  ]);
});

describe('one tab with ever new sites', () => {
  const unknownPage = (seenOn: Origin) => ({ kind: 'unknown', unknown: 'document', seenOn }) as const;
  const siteNumber = (n: number): Origin => `https://s${n}.flooder${n}.example` as Origin;
  const response = (requestId: string, tabId: number, origin: Origin) =>
    ({
      time: START,
      requestId,
      kind: 'fetch',
      requestUrl: `${origin}/ad`,
      reportingOrigin: origin,
      openerTabId: null,
      place: { kind: 'known', contextOrigin: origin },
      requester: { tabId, frameId: 0, documentId: 'document', documentOrigin: origin },
      eligibility: 'unset',
      headers: { source: null, trigger: '{}', osSource: false, osTrigger: false, info: null },
    }) as const;

  test.each([
    ['frames whose page is unknown', () => ({ place: unknownPage(FLOODER) })],
    [
      'redirects of navigations',
      () => ({ kind: 'navigation' as const, place: { kind: 'redirect' as const } }),
    ],
  ])('has one turn for its %s, and delays no other tab', async (_, flood) => {
    const done: string[] = [];
    const requests = {
      declared: () => undefined,
      decided: ({ requestId }: { readonly requestId: string }) => void done.push(requestId),
    };
    const { recorder, inbox, clock } = await newRecorder(() => ({ requests }));
    await clock.setTo(START, true);
    const all = Array.from({ length: 50 }, (_none, n) =>
      recorder.response({ ...response(`${n}`, 1, siteNumber(n)), ...flood() }),
    );
    all.push(recorder.response(response('honest', 2, SHOP)));
    await Promise.all(all);
    expect(done.indexOf('honest')).toBeLessThan(10);
    expect(done).toHaveLength(51);
    expect(inbox.responses.length).toBe(0);
  });

  test('is registered at a pace, for which what follows at the start of the background waits only so long', async () => {
    const { recorder, inbox, clock } = await newRecorder();
    await clock.setTo(START, true);
    for (let n = 0; n < 500; n++) void recorder.response(response(`${n}`, 1, FLOODER));
    // Between two steps the database does its work.
    const pass = async (milliseconds: number): Promise<void> => {
      for (let passed = 0; passed < milliseconds; passed += 100) {
        await jest.advanceTimersByTimeAsync(100);
        for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
      }
    };
    await pass(200);
    let isCaughtUp = false;
    void recorder.catchUpWithin(2000).then(() => (isCaughtUp = true));
    await pass(1900);
    expect(isCaughtUp).toBe(false);
    await pass(200);
    expect(isCaughtUp).toBe(true);
    expect(inbox.responses.length).toBeGreaterThan(20);
    await pass(12_000);
    expect(inbox.responses.length).toBe(0);
  });

  test('has one log entry for what it asks for beyond its share', async () => {
    const { recorder, store } = await newRecorder();
    const drop = (url: string, tabId: number, place: PagePlace): Promise<void> =>
      recorder.refusals.dropped(url, { tabId, place, asked: recorder.asked() }, 'too-many');
    for (let n = 0; n < 500; n++) void drop(siteNumber(n), 1, unknownPage(siteNumber(n)));
    void drop(SHOP, 2, { kind: 'known', contextOrigin: SHOP });
    await jest.advanceTimersByTimeAsync(5000);
    await recorder.alone(() => Promise.resolve());
    expect(await store.newest('log', 9)).toMatchObject([
      { contextOrigin: SHOP, reason: { code: 'too-many', values: { count: 1 } } },
      { contextOrigin: siteNumber(0), reason: { code: 'too-many', values: { count: 500 } } },
    ]);
  });

  test('has a bounded number of log entries a minute, and the rest counted, however slowly its refusals come', async () => {
    const { recorder, store } = await newRecorder();
    const refuse = (page: Origin): Promise<void> =>
      recorder.refusals.dropped(
        `${page}/ad`,
        { tabId: 1, place: { kind: 'insecure', seenOn: page }, asked: recorder.asked() },
        {
          code: 'page-not-secure',
          values: {},
        },
      );
    const other = 'http://other.example' as Origin;
    for (let n = 0; n < 600; n++) {
      await refuse('http://flooder.example' as Origin);
      await jest.advanceTimersByTimeAsync(100);
    }
    await refuse(other);
    await jest.advanceTimersByTimeAsync(5000);
    await recorder.alone(() => Promise.resolve());
    const entries = (await store.newest('log', 1000)).flatMap((entry) =>
      entry.kind === 'ignored' ? [entry] : [],
    );
    const ofFlooder = entries.filter(({ contextOrigin }) => contextOrigin !== other);
    const counted = ofFlooder.map(({ reason }) =>
      reason.code === 'too-many' && 'values' in reason ? reason.values.count : 1,
    );
    expect(counted.length).toBeLessThanOrEqual(125);
    expect(counted.reduce((sum, count) => sum + count, 0)).toBe(600);
    expect(entries.filter(({ contextOrigin }) => contextOrigin === other)).toMatchObject([
      { reason: { code: 'page-not-secure' } },
    ]);
  });

  test('is told of each own request which entry it led to, also of one that is counted or reported late', async () => {
    const { recorder, store, requests } = await newRecorder();
    const told = jest.spyOn(requests, 'decided');
    const REFUSED = 60;
    const refused = Array.from({ length: REFUSED }, async (_none, n) => {
      const late = new Promise<string>((resolve) => setTimeout(() => resolve(`own ${n}`), 1000));
      const own = { id: late, eligibility: 'event-source' } as const;
      await recorder.refusals.dropped(
        `${SHOP}/ad`,
        { tabId: 1, place: { kind: 'known', contextOrigin: FLOODER }, asked: recorder.asked(), own },
        { code: 'no-registration', values: { status: 404, redirects: 0 } },
      );
    });
    await jest.advanceTimersByTimeAsync(6000);
    await recorder.alone(() => Promise.resolve());
    await Promise.all(refused);
    const codes = new Map(
      (await store.newest('log', 100)).map((entry) => [
        entry.id,
        entry.kind === 'ignored' ? entry.reason.code : entry.kind,
      ]),
    );
    const toldOf = told.mock.calls.map(
      ([{ requestId }, , entry]) => `${requestId} ${String(codes.get(entry ?? -1))}`,
    );
    const expected = Array.from(
      { length: REFUSED },
      (_none, n) => `own ${n} ${n < 50 ? 'no-registration' : 'too-many'}`,
    );
    expect(toldOf.sort()).toEqual(expected.sort());
  });
});
