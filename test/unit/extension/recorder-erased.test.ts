import 'fake-indexeddb/auto';
import { Erasing, type Files } from '../../../extension/background/record/erasing';
import type { Click, DecidedClick, NavigationId } from '../../../extension/background/documents/navigations';
import type { OwnRequests } from '../../../extension/background/observe/own-requests';
import { NavigationAnswers } from '../../../extension/background/observe/navigation-answers';
import { recordClick } from '../../../extension/background/observe/record-click';
import { PageMessages } from '../../../extension/background/page-messages';
import type { RecorderParts } from '../../../extension/background/record/recorder';
import type { Asked } from '../../../extension/background/state/asked';
import type { ErasingScope } from '../../../extension/erasing/scope';
import type { PageMessage } from '../../../extension/messages';
import type { PagePlace } from '../../../recording/places';
import type { RecordingRule } from '../../../recording/recording-rule';
import type { Origin } from '../../../src/model/units';
import { ADTECH, NEWS, SHOP, sourceRegistration, START } from '../helpers/engine';
import { newRecorder, plainResponse } from '../helpers/recorder';
import { settled, useFakeTimers } from '../helpers/timers';

// What is dropped is counted for some seconds.
useFakeTimers();
beforeEach(() => jest.clearAllTimers());

const nothing = (): Promise<void> => Promise.resolve();

async function world(
  files: (parts: RecorderParts) => Files = () => ({ merge: nothing, replace: nothing }),
  deliver = nothing,
) {
  const parts = await newRecorder(() => ({
    // Its page is never known.
    documents: {
      isShown: () => Promise.resolve(true),
      wasLeft: () => false,
      placeNow: () => null,
      placeOf: () => new Promise(() => undefined),
      tabsOf: () => [],
    } as unknown as RecorderParts['documents'],
  }));
  await parts.clock.setTo(START, true);
  const erasing = new Erasing(parts.store, { inbox: parts.inbox, files: files(parts) });
  const pages = new PageMessages({
    ...parts,
    erasing,
    delivery: { run: deliver },
    participation: { consentStatus: 'accepted', trial: null, lossOf: () => null },
  } as unknown as ConstructorParameters<typeof PageMessages>[0]);
  const answer = (message: PageMessage): Promise<unknown> => pages.answer(message);
  return { ...parts, erasing, answer };
}

type World = Awaited<ReturnType<typeof world>>;

const pageOn = (contextOrigin: Origin): PagePlace => ({ kind: 'known', contextOrigin });

const rule: RecordingRule = {
  id: 'rule',
  matches: ['https://news.example/*'],
  selector: 'img',
  on: 'visit',
  register: 'source',
  reportingOrigin: ADTECH,
  registration: { destination: 'https://shop.example' },
};

const source = {
  eligibility: 'event-source',
  headers: {
    source: JSON.stringify({ destination: 'https://buy.example' }),
    ...{ trigger: null, osSource: false, osTrigger: false, info: null },
  },
} as const;

const OTHER = 'https://elsewhere.example';
const noRequests = { make: () => Promise.reject(new Error('no request')) } as unknown as OwnRequests;

function clickOn(documentOrigin: Origin, sources: readonly string[], asked: Asked): Click {
  const { documentId = '' } = plainResponse.requester;
  return {
    ...{ place: pageOn(documentOrigin), documentOrigin, documentId, makers: [], around: null },
    ...{ url: `${OTHER}/`, tabId: 1, pageId: documentId, sources, inMenu: false },
    ...{ press: 1, time: START, asked },
  };
}

/** What comes to the log later than it is asked for, on a page of this origin. */
const without: Readonly<Record<string, (of: World, origin: Origin) => Promise<unknown>>> = {
  'what a rule found': ({ recorder }, contextOrigin) =>
    recorder.ruleMet(rule, { contextOrigin, tabId: 1, asked: recorder.asked() }, [], START),
  'what is dropped': ({ recorder }, origin) =>
    recorder.refusals.dropped(
      ADTECH,
      { tabId: 1, place: pageOn(origin), asked: recorder.asked() },
      { code: 'not-eligible', values: { eligibility: 'none' } },
    ),
  'what a person wrote': ({ recorder }, contextOrigin) =>
    recorder.byHand(sourceRegistration({}, 'event', { contextOrigin })),
  'a response': ({ recorder }, origin) =>
    recorder.response({
      ...plainResponse,
      requester: { ...plainResponse.requester, documentOrigin: origin },
      place: pageOn(origin),
      ...source,
    }),
  'the answer to a request of Cointoss': async ({ recorder }, contextOrigin) => {
    const request = { tabId: 1, contextOrigin, asked: recorder.asked() };
    await recorder.alone(nothing);
    const { requestId, reportingOrigin, time } = plainResponse;
    const { headers } = source;
    const answer = { requestId, reportingOrigin, time, headers };
    await recorder.ownResponse({ ...request, eligibility: 'event-source' }, answer);
  },
  'what an element declares': async ({ recorder }, documentOrigin) => {
    const documentId = documentOrigin;
    const requester = { ...plainResponse.requester, documentId, documentOrigin };
    const request = { ...plainResponse, requester, requestId: documentId };
    await recorder.eligibleRequest(
      {
        ...{ via: 'element', eligibility: 'event-source-or-trigger', time: START },
        ...{ url: request.requestUrl, tabId: 1, documentId, documentOrigin, place: pageOn(documentOrigin) },
      },
      recorder.asked(),
    );
    // Without its declaration, nothing is known to ask for a source.
    if (!recorder.unclaimed.some((one) => one.documentId === documentId)) return;
    await recorder.response({
      ...request,
      ...source,
      kind: 'element',
      eligibility: null,
      place: pageOn(documentOrigin),
    });
  },
  'the end of a click': async ({ recorder, clock }, documentOrigin) => {
    const asked = recorder.asked();
    await recorder.alone(nothing);
    const click = clickOn(documentOrigin, [ADTECH], asked);
    const recording = Promise.resolve({ recorder, clock });
    await recordClick({ kind: 'not-followed', click }, noRequests, recording, new NavigationAnswers());
  },
  'a click with no source on its way': async ({ recorder, clock }, documentOrigin) => {
    const asked = recorder.asked();
    await recorder.alone(nothing);
    const answers = new NavigationAnswers();
    answers.answered('n', null, true);
    const decided: DecidedClick = {
      kind: 'followed',
      click: clickOn(documentOrigin, [], asked),
      navigation: documentOrigin as string as NavigationId,
      requestId: 'n',
    };
    await recordClick(decided, noRequests, Promise.resolve({ recorder, clock }), answers);
  },
  'what is dropped and counted': async ({ recorder }, origin) => {
    await recorder.refusals.dropped(
      ADTECH,
      { tabId: 1, place: pageOn(origin), asked: recorder.asked() },
      'too-many',
    );
    await jest.advanceTimersByTimeAsync(5000);
  },
};

/** The pages in the log after something was seen on one, and this happened before its turn. */
async function logged(
  what: string,
  origins: readonly Origin[],
  happens: (of: World) => Promise<unknown>,
): Promise<readonly string[]> {
  const of = await world();
  let waiting: readonly Promise<unknown>[] = [];
  await of.recorder.alone(async () => {
    await settled();
    waiting = origins.map(async (origin) => without[what]?.(of, origin));
    await settled();
    await happens(of);
  });
  await Promise.all(waiting);
  await settled();
  return (await of.store.newest('log', 9)).map(({ contextOrigin }) => contextOrigin).sort();
}

describe.each(Object.keys(without))('%s waits, and', (what) => {
  test('is recorded', async () => {
    expect(await logged(what, [NEWS, SHOP], nothing)).toEqual([NEWS, SHOP]);
  });

  test('is not, if its site is paused meanwhile', async () => {
    const pause = ({ settings }: World) => settings.update({ pausedSites: [NEWS] });
    expect(await logged(what, [NEWS, SHOP], pause)).toEqual([SHOP]);
  });

  test.each<[string, ErasingScope | null, readonly Origin[]]>([
    ['everything', null, []],
    ['its site', { kind: 'sites', sites: ['https://news.example'] }, [SHOP]],
    ['its time', { kind: 'time', from: START, to: START }, []],
    ['another time', { kind: 'time', from: 0, to: START - 1 }, [NEWS, SHOP]],
  ])('is not, if %s is erased meanwhile; others are', async (_what, scope, left) => {
    // The source of the rule names the shop as well.
    const other = 'https://other.example' as Origin;
    const names = (origin: Origin): Origin => (origin === SHOP ? other : origin);
    const found = await logged(what, [NEWS, other], ({ erasing }) => erasing.erase(scope));
    expect(found).toEqual(left.map(names));
  });

  test('is not, if the person leaves or joins another trial meanwhile', async () => {
    expect(await logged(what, [NEWS, SHOP], ({ erasing }) => erasing.eraseForGood())).toEqual([]);
  });
});

// The others are asked for where recording is on.
const arriving = Object.keys(without).filter(
  (what) =>
    ![
      'the answer to a request of Cointoss',
      'the end of a click',
      'a click with no source on its way',
    ].includes(what),
);

test.each(arriving)('%s that comes before the person agrees is not recorded once they have', async (what) => {
  const of = await world();
  let waiting: Promise<unknown> = nothing();
  await of.recorder.alone(async () => {
    await of.settings.update({ paused: true });
    waiting = without[what]?.(of, NEWS) ?? nothing();
    await settled();
    await of.settings.update({ paused: false });
  });
  await waiting;
  await settled();
  expect(await of.store.newest('log', 9)).toEqual([]);
});

test('no page is told what became of a response that is erased in the queue', async () => {
  const of = await world();
  const decided = jest.spyOn(of.requests, 'decided');
  await of.recorder.alone(async () => {
    void without['a response']?.(of, NEWS);
    await settled();
    expect(of.inbox.responses).toHaveLength(1);
    await of.erasing.erase(null);
  });
  await settled();
  expect(decided).not.toHaveBeenCalled();
  await without['a response']?.(of, NEWS);
  expect(decided).toHaveBeenCalledTimes(1);
});

test('can be undone for ten seconds from the answer on, however long the disk and servers take', async () => {
  const slowly = (): Promise<void> => new Promise((resolve) => void setTimeout(resolve, 20_000));
  const { recorder, answer, store } = await world(() => ({ merge: nothing, replace: slowly }), slowly);
  await recorder.byHand(sourceRegistration({}, 'event'));
  for (const [later, left] of [
    [10_000, 1],
    [12_000, 0],
  ] as const) {
    const done = jest.fn();
    void answer({ kind: 'clear' }).then(done);
    while (done.mock.calls.length === 0) {
      jest.advanceTimersByTime(1000);
      await settled();
    }
    expect(await store.newest('log', 9)).toEqual([]);
    jest.advanceTimersByTime(later);
    const undone = answer({ kind: 'undo-clear' }).catch(() => undefined);
    await settled();
    jest.advanceTimersByTime(20_000);
    await undone;
    expect(await store.newest('log', 9)).toHaveLength(left);
  }
});

test('keeps nobody waiting for servers', async () => {
  const { recorder, answer, store } = await world(undefined, () => new Promise(() => undefined));
  await recorder.byHand(sourceRegistration({}, 'event'));
  await answer({ kind: 'clear' });
  expect(await store.newest('log', 9)).toEqual([]);
  await answer({ kind: 'undo-clear' });
  expect(await store.newest('log', 9)).toHaveLength(1);
});

test('that fails gives an earlier one no more time to be undone', async () => {
  const { recorder, answer, store } = await world();
  await recorder.byHand(sourceRegistration({}, 'event'));
  await answer({ kind: 'clear' });
  await jest.advanceTimersByTimeAsync(10_000);
  const failing = jest.spyOn(store, 'write').mockRejectedValueOnce(new Error('the disk is full'));
  await expect(answer({ kind: 'clear' })).rejects.toThrow('the disk is full');
  failing.mockRestore();
  await jest.advanceTimersByTimeAsync(2000);
  await expect(answer({ kind: 'undo-clear' })).rejects.toThrow('too late');
});

test('what is dropped after erasing is counted anew', async () => {
  const { recorder, erasing, store } = await world();
  const drop = () =>
    recorder.refusals.dropped(ADTECH, { tabId: 1, place: pageOn(NEWS), asked: recorder.asked() }, 'too-many');
  for (let times = 0; times < 3; times++) await drop();
  await jest.advanceTimersByTimeAsync(3000);
  await erasing.erase(null);
  await drop();
  await jest.advanceTimersByTimeAsync(3000);
  await drop();
  await jest.advanceTimersByTimeAsync(5000);
  await recorder.alone(nothing);
  expect(await store.newest('log', 9)).toMatchObject([
    { reason: { code: 'too-many', values: { count: 2 } } },
  ]);
});

test('a site that is paused while its registration waits for the transaction records nothing', async () => {
  const { recorder, store, settings } = await world();
  const writeSoon = store.writeSoon.bind(store);
  jest.spyOn(store, 'writeSoon').mockImplementation(async (work, needs) => {
    await settings.update({ paused: true });
    return writeSoon(work as never, needs);
  });
  expect(await recorder.byHand(sourceRegistration())).toBeNull();
  expect(await store.count('log')).toBe(0);
});

describe.each([
  ['erasing', { kind: 'clear' }, 1],
  ['undoing it', { kind: 'undo-clear' }, 0],
] as const)('%s', (_what, message, before) => {
  test('runs between two registrations', async () => {
    const { recorder, erasing, answer, store } = await world();
    await recorder.byHand(sourceRegistration());
    if (before === 0) await erasing.erase(null);
    let release = (): void => undefined;
    const running = recorder.alone(() => new Promise<void>((resolve) => (release = resolve)));
    const answered = answer(message);
    await settled();
    expect(await store.ids('sources')).toHaveLength(before);
    release();
    await Promise.all([running, answered]);
    expect(await store.ids('sources')).toHaveLength(1 - before);
  });
});

test('what arrives while everything is erased is on the disk afterwards', async () => {
  const of: World = await world(({ store }) => ({
    merge: nothing,
    replace: async () => {
      void of.recorder.response({
        ...plainResponse,
        place: null,
        eligibility: 'event-source',
        headers: { source: '{}', trigger: null, osSource: false, osTrigger: false, info: null },
      });
      await settled();
      await store.replace();
    },
  }));
  await of.answer({ kind: 'clear' });
  await settled();
  expect((await of.store.inbox.read()).rows).toMatchObject([{ response: { requestId: '1' } }]);
});
