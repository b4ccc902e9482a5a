import type { Runtime } from 'webextension-polyfill';
import { ContentMessages } from '../../../extension/background/observe/content-messages';
import { asked, newRecording } from '../helpers/recording';
import { Erasures } from '../../../extension/background/state/erasures';
import { OwnRequests } from '../../../extension/background/observe/own-requests';
import type { PagePlace } from '../../../recording/places';
import type { Origin } from '../../../src/model/units';

const known = (origin: string): PagePlace => ({ kind: 'known', contextOrigin: origin as Origin });

const SENDER = { tab: { id: 1 }, url: 'https://page.example/', documentId: 'd', frameId: 0 };

afterEach(() => void jest.useRealTimers());

test('a page that sent too much is heard again after ten seconds, and what was dropped logged, if the device’s clock is set back', async () => {
  jest.useFakeTimers();
  const dropped = jest.fn();
  const parts = {
    documents: {
      find: () => Promise.resolve(undefined),
      urlsAround: () => [],
      placeOf: () => Promise.resolve(known('https://page.example')),
    },
    settings: { isPaused: () => false, rulesInForce: [] },
    recorder: { refusals: { dropped } },
    asked: () => asked,
  } as unknown as ConstructorParameters<typeof ContentMessages>[0];
  const content = new ContentMessages(parts);
  const ask = (): Promise<unknown> =>
    content.answer({ kind: 'rules' }, SENDER as unknown as Runtime.MessageSender);
  const answers = await Promise.all(Array.from({ length: 403 }, ask));
  expect(answers.slice(399)).toEqual([[], false, false, false]);
  jest.setSystemTime(Date.now() - 3_600_000);
  await jest.advanceTimersByTimeAsync(10_001);
  expect(dropped.mock.calls).toMatchObject([[{}, {}, { values: { count: 3 } }]]);
  expect(await ask()).toEqual([]);
});

test.each([true, false])(
  'of clicks on links that make no source, nobody takes note without debug mode: %p',
  async (enabled) => {
    const clickedInVain = jest.fn();
    const parts = {
      documents: {
        find: () => Promise.resolve(undefined),
        urlsAround: () => [],
        placeOf: () => Promise.resolve(known('https://page.example')),
        pageIdOf: () => 'page',
      },
      settings: { isPaused: () => false },
      isDebugged: () => enabled,
      navigations: { clickedInVain },
      asked: () => asked,
    } as unknown as ConstructorParameters<typeof ContentMessages>[0];
    const url = 'https://shop.example/';
    const message = { kind: 'ineligible-click', url, lack: 'attribute', time: 1, inMenu: false };
    await new ContentMessages(parts).answer(message, SENDER as unknown as Runtime.MessageSender);
    expect(clickedInVain).toHaveBeenCalledTimes(enabled ? 1 : 0);
  },
);

test('rules that a page meets wait in bounded room, and leave some to other tabs', async () => {
  const rule = { id: 'seen', matches: ['https://*/*'], reportingOrigin: 'https://adtech.example' };
  const [ruleMet, dropped] = [jest.fn(() => new Promise(() => undefined)), jest.fn()];
  const parts = {
    documents: {
      find: () => Promise.resolve(undefined),
      urlsAround: () => [],
      placeOf: (_: unknown, origin: string) => Promise.resolve(known(origin)),
    },
    settings: { isPaused: () => false, rulesInForce: [rule] },
    recorder: { ruleMet, refusals: { dropped } },
    now: () => 0,
    asked: () => asked,
  } as unknown as ConstructorParameters<typeof ContentMessages>[0];
  const content = new ContentMessages(parts);
  const message = { kind: 'rule-met', ruleId: 'seen', values: Array<string>(100).fill('x'.repeat(2000)) };
  const meet = (more: object): void =>
    void content.answer(message, { ...SENDER, ...more } as unknown as Runtime.MessageSender);
  for (let times = 0; times < 300; times++) meet({});
  await new Promise(setImmediate);
  const bytes = 200_000 * ruleMet.mock.calls.length;
  expect(bytes).toBeGreaterThan(0);
  expect(bytes).toBeLessThanOrEqual(2e6);
  expect(dropped.mock.calls.length).toBe(300 - ruleMet.mock.calls.length);
  expect(dropped.mock.calls[0]).toMatchObject(['https://adtech.example', {}, 'too-many', 'seen']);
  ruleMet.mockClear();
  meet({ tab: { id: 2 }, url: 'https://shop.example/' });
  await new Promise(setImmediate);
  expect(ruleMet).toHaveBeenCalledTimes(1);
});

describe('an element that meets a recording rule', () => {
  const rule = { id: 'seen', matches: ['https://page.example/*'], reportingOrigin: 'https://adtech.example' };

  /** Says that the rule is met in this place. @returns what is registered, and what is dropped and why */
  async function meetRule(place: PagePlace) {
    const [ruleMet, dropped] = [jest.fn(), jest.fn()];
    const parts = {
      documents: {
        find: () => Promise.resolve(undefined),
        urlsAround: () => [],
        placeOf: () => Promise.resolve(place),
      },
      settings: { isPaused: () => false, rulesInForce: [rule] },
      recorder: { ruleMet, refusals: { dropped } },
      now: () => 0,
      asked: () => asked,
    } as unknown as ConstructorParameters<typeof ContentMessages>[0];
    const message = { kind: 'rule-met', ruleId: 'seen', values: [] };
    await new ContentMessages(parts).answer(message, SENDER as unknown as Runtime.MessageSender);
    const reasons = (dropped.mock.calls as unknown[][]).map(([origin, , reason, via]) => [
      origin,
      reason,
      via,
    ]);
    return { registered: ruleMet.mock.calls.length, dropped: reasons };
  }

  test('registers on its page', async () => {
    expect(await meetRule(known('https://page.example'))).toEqual({ registered: 1, dropped: [] });
  });

  const seenOn = 'https://page.example' as Origin;
  test.each<[code: string, PagePlace]>([
    ['permissions-policy', { kind: 'forbidden', seenOn }],
    ['page-unknown', { kind: 'unknown', unknown: 'document', seenOn }],
    ['not-shown', { kind: 'not-shown', seenOn }],
  ])('registers nothing in the face of %s, and the log says why', async (code, place) => {
    const why = [rule.reportingOrigin, { code, values: {} }, rule.id];
    expect(await meetRule(place)).toEqual({ registered: 0, dropped: [why] });
  });
});

test.each<readonly [what: string, origin: string, around: readonly string[], reaches: boolean]>([
  ['a sandboxed frame from outside', 'null', ['https://ads.example/ad', 'https://wiki.corp/'], false],
  [
    'a frame within one from outside',
    'https://a.corp',
    ['https://a.corp/', 'https://b.example/', 'https://wiki.corp/'],
    false,
  ],
  ['a frame from inside', 'https://a.corp', ['https://a.corp/', 'https://wiki.corp/'], true],
  ['a sandboxed frame from inside', 'null', ['https://a.corp/', 'https://wiki.corp/'], true],
])('on a page in a private network, %s', async (_, origin, around, reaches) => {
  jest.useFakeTimers();
  const fetched = jest.spyOn(globalThis, 'fetch').mockImplementation(() => Promise.reject(new Error('none')));
  const { recording, recorded } = newRecording();
  const parts = {
    documents: {
      find: () => Promise.resolve(undefined),
      placeOf: () => Promise.resolve(known('https://wiki.corp')),
      urlsAround: () => around,
    },
    settings: { isPaused: () => false },
    ownRequests: new OwnRequests(recording, new Erasures()),
    asked: () => asked,
  } as unknown as ConstructorParameters<typeof ContentMessages>[0];
  const sender = { tab: { id: 1 }, url: around[0], origin, documentId: 'd', frameId: 7 };
  await new ContentMessages(parts).answer(
    { kind: 'attributionsrc', urls: ['https://printer.corp/'] },
    sender as unknown as Runtime.MessageSender,
  );
  await jest.advanceTimersByTimeAsync(0);
  expect(fetched).toHaveBeenCalledTimes(reaches ? 1 : 0);
  if (!reaches)
    expect(recorded.refused).toMatchObject([['https://printer.corp', { code: 'private-network' }]]);
  fetched.mockRestore();
});

test('a document in a sandbox without a URL of its own declares what it marks, on the page around it', async () => {
  const eligibleRequest = jest.fn(() => Promise.resolve());
  const parts = {
    documents: {
      find: () => Promise.resolve({ url: 'about:srcdoc', parentId: 'page' }),
      placeOf: () => Promise.resolve(known('https://page.example')),
      urlsAround: () => ['https://page.example/'],
    },
    settings: { isPaused: () => false },
    recorder: { eligibleRequest },
    now: () => 0,
    asked: () => asked,
  } as unknown as ConstructorParameters<typeof ContentMessages>[0];
  const sender = { tab: { id: 1 }, url: 'about:srcdoc', origin: 'null', documentId: 'd', frameId: 7 };
  const message = { kind: 'eligible-fetch', url: 'https://ad.example/#mark', eligibility: 'event-source' };
  await new ContentMessages(parts).answer(message, sender as unknown as Runtime.MessageSender);
  expect(eligibleRequest.mock.calls).toMatchObject([
    [
      { url: 'https://ad.example/', eligibility: 'event-source', documentId: 'd', documentOrigin: null },
      asked,
    ],
  ]);
});

test.each([true, false])("an element's request gets a rule if the page says so: %p", async (getsRule) => {
  const [eligibleRequest, ruled] = [jest.fn(() => Promise.resolve()), jest.fn(() => Promise.resolve())];
  const parts = {
    documents: {
      find: () => Promise.resolve(undefined),
      placeOf: () => Promise.resolve(known('https://page.example')),
      urlsAround: () => [],
    },
    settings: { isPaused: () => false },
    recorder: { eligibleRequest },
    headers: { expect: ruled },
    now: () => 0,
    asked: () => asked,
  } as unknown as ConstructorParameters<typeof ContentMessages>[0];
  const content = new ContentMessages(parts);
  const message = { kind: 'eligible-request', url: 'https://ad.example/1', getsRule };
  expect(await content.answer(message, SENDER as unknown as Runtime.MessageSender)).toBe(true);
  expect(eligibleRequest).toHaveBeenCalledTimes(1);
  expect(eligibleRequest).toHaveBeenLastCalledWith(
    expect.objectContaining({ url: 'https://ad.example/1', eligibility: 'event-source-or-trigger' }),
    asked,
  );
  expect(ruled).toHaveBeenCalledTimes(getsRule ? 1 : 0);
});

test('a message that only wakes the background asks for nothing', async () => {
  const unasked = { asked: jest.fn(() => asked), documents: { find: jest.fn() } };
  const parts = unasked as unknown as ConstructorParameters<typeof ContentMessages>[0];
  const sender = SENDER as unknown as Runtime.MessageSender;
  expect(await new ContentMessages(parts).answer({ kind: 'wake' }, sender)).toBe(true);
  expect(unasked.asked).not.toHaveBeenCalled();
  expect(unasked.documents.find).not.toHaveBeenCalled();
});

describe('a content script is told the arm of', () => {
  const spring = {
    reportingSite: 'https://ads.example',
    destination: 'https://shop.example',
    name: 'spring',
  };
  const asksFor = async (changed: object, pausedSite = '') => {
    const armOf = jest.fn(() => Promise.resolve('holdout'));
    const parts = {
      armOf,
      documents: {
        find: () => Promise.resolve(undefined),
        urlsAround: () => [],
        placeOf: () => Promise.resolve(known('https://page.example')),
      },
      settings: { isPaused: (site: string) => site === pausedSite },
      asked: () => asked,
    } as unknown as ConstructorParameters<typeof ContentMessages>[0];
    const message = {
      kind: 'lift-ad',
      reportingOrigin: 'https://img.ads.example',
      destination: 'https://www.shop.example',
      campaign: 'spring',
      ...changed,
    };
    const answer = await new ContentMessages(parts).answer(
      message,
      SENDER as unknown as Runtime.MessageSender,
    );
    return { answer, campaigns: armOf.mock.calls };
  };

  test('the ads of a campaign', async () => {
    expect(await asksFor({})).toEqual({ answer: 'holdout', campaigns: [[spring]] });
  });

  test.each<[string, object, string]>([
    ['ads without a reporting origin', { reportingOrigin: '' }, ''],
    ['ads of a URL without a site', { reportingOrigin: 'data:,' }, ''],
    ['a destination without an origin', { destination: 'shop' }, ''],
    ['ads on a paused site', {}, 'https://page.example'],
  ])('but not of %s', async (_, changed, pausedSite) => {
    expect(await asksFor(changed, pausedSite)).toEqual({ answer: null, campaigns: [] });
  });
});
