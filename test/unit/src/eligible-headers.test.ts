import type { Origin } from '../../../src/model/units';
import browser from 'webextension-polyfill';
import {
  eligibleHeaders,
  type EligibleHeaders,
} from '../../../extension/background/observe/eligible-headers';
import { answersTo, endBackground } from '../helpers/webextension';

const PAGE = 'https://news.example' as Origin;

interface Update {
  readonly addRules?: readonly { readonly id: number }[];
  readonly removeRuleIds?: readonly number[];
}

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

/** Headers in a browser that has no rules yet, and what it was asked to change. */
function headersAndUpdates(): { headers: EligibleHeaders; updates: Update[] } {
  const updates: Update[] = [];
  const declarativeNetRequest = {
    getSessionRules: () => Promise.resolve([]),
    updateSessionRules: (update: Update) => Promise.resolve(void updates.push(update)),
  };
  Object.assign(globalThis, { chrome: { declarativeNetRequest } });
  return { headers: eligibleHeaders(), updates };
}

/** Declares requests, and waits as long as it takes until the browser knows. */
async function expectAll(headers: EligibleHeaders, urls: readonly string[], tabId = 1): Promise<void> {
  const request = { via: 'element', eligibility: 'event-source-or-trigger', tabId } as const;
  const known = Promise.all(
    urls.map((url) => headers.expect({ ...request, url, documentOrigin: PAGE, documentId: 'd' })),
  );
  await jest.advanceTimersByTimeAsync(1000);
  await known;
}

const idsIn = (updates: readonly Update[], of: keyof Update): readonly number[] =>
  updates.flatMap(({ addRules = [], removeRuleIds = [] }) =>
    of === 'addRules' ? addRules.map(({ id }) => id) : removeRuleIds,
  );

/** How many of these requests of one tab Chrome gets rules for. */
async function rulesFor(urls: readonly string[]): Promise<number> {
  const { headers, updates } = headersAndUpdates();
  await expectAll(headers, urls);
  return idsIn(updates, 'addRules').length;
}

const url = (length: number, begin = 'https://ad.example/'): string => begin.padEnd(length, 'x');

test.each([
  ['short URLs: half of all rules', 2000, url(150), 500],
  ['long URLs: as many as have the same length together', 2000, url(2000), 50],
  ['a short URL with a star', 1, url(300, 'https://ad.example/*'), 1],
  [
    'no long URL with a star, which Chrome would make a regular expression of',
    1,
    url(301, 'https://ad.example/*'),
    0,
  ],
])('a tab gets rules for %s', async (_what, count, each, rules) => {
  expect(await rulesFor(Array<string>(count).fill(each))).toBe(rules);
});

test('the rules of a second are removed together, all of them and none too early', async () => {
  const { headers, updates } = headersAndUpdates();
  await expectAll(headers, Array<string>(2000).fill(url(150)));
  const added = idsIn(updates, 'addRules');
  expect(added).toHaveLength(500);
  await jest.advanceTimersByTimeAsync(8900);
  expect(idsIn(updates, 'removeRuleIds')).toEqual([]);
  updates.length = 0;
  await jest.advanceTimersByTimeAsync(2000);
  expect(idsIn(updates, 'removeRuleIds')).toEqual(added);
  expect(updates).toHaveLength(1);
  // Their room is free again.
  updates.length = 0;
  await expectAll(headers, Array<string>(2000).fill(url(150)));
  expect(idsIn(updates, 'addRules')).toHaveLength(500);
});

test('a tab that declares requests without end changes the rules seldom, and those of another tab are there at once', async () => {
  const { headers, updates } = headersAndUpdates();
  const flood = async (seconds: number): Promise<void> => {
    for (let count = 0; count < 20 * seconds; count++) {
      void headers.expect({
        ...{ via: 'element', eligibility: 'event-source-or-trigger', tabId: 1 },
        ...{ url: url(150), documentOrigin: PAGE, documentId: 'd' },
      });
      await jest.advanceTimersByTimeAsync(50);
    }
  };
  await flood(10);
  updates.length = 0;
  await flood(10);
  // Twenty are declared and twenty expire each second.
  expect(updates.length).toBeLessThan(35);
  expect(idsIn(updates, 'addRules').length).toBeGreaterThan(150);
  updates.length = 0;
  const honest = headers.expect({
    ...{ via: 'element', eligibility: 'event-source-or-trigger', tabId: 2 },
    ...{ url: url(150), documentOrigin: PAGE, documentId: 'h' },
  });
  await jest.advanceTimersByTimeAsync(0);
  await honest;
  expect(idsIn(updates, 'addRules').length).toBeGreaterThan(0);
});

describe('in Chrome, the rule for the navigations of a host', () => {
  const pressed = { via: 'navigation', eligibility: 'navigation-source', tabId: 1, documentId: 'd' } as const;
  const press = (headers: EligibleHeaders, host: string): Promise<void> =>
    headers.expect({ ...pressed, url: 'https://ad.example/', documentOrigin: `https://${host}` as Origin });
  const removed = (updates: readonly Update[]): number => idsIn(updates, 'removeRuleIds').length;

  it('stays for a press that comes while the browser is about to remove it', async () => {
    const { headers, updates } = headersAndUpdates();
    await press(headers, 'news.example');
    await jest.advanceTimersByTimeAsync(10_500);
    await press(headers, 'news.example');
    await jest.advanceTimersByTimeAsync(9000);
    expect(removed(updates)).toBe(0);
    await jest.advanceTimersByTimeAsync(3000);
    expect(removed(updates)).toBe(1);
  });

  it.each([
    ['of the host', 'news.example', 1],
    ['of a host below it, whose navigations it marks, too', 'sub.news.example', 1],
    ['of another host', 'badnews.example', 0],
  ])('goes at a press that is not eligible: %s', async (_, host, rules) => {
    const { headers, updates } = headersAndUpdates();
    await press(headers, 'news.example');
    await headers.expectNone({ documentOrigin: `https://${host}` as Origin });
    expect(removed(updates)).toBe(rules);
  });
});

describe('in Firefox, a navigation that followed a click', () => {
  beforeEach(() => {
    endBackground();
    jest.spyOn(browser.runtime, 'getManifest').mockReturnValue({
      ...browser.runtime.getManifest(),
      permissions: ['webRequestBlocking'],
    });
  });
  afterEach(() => void jest.restoreAllMocks());

  it('carries the header on each hop that may register, and no other navigation does', async () => {
    const { headers } = headersAndUpdates();
    await headers.expect({
      ...{ via: 'navigation', eligibility: 'navigation-source', tabId: 1, documentId: 'd' },
      ...{ url: 'https://ad.example/click', documentOrigin: PAGE },
    });
    const sent = (requestId: string, at: string): readonly unknown[] =>
      answersTo('beforeSendHeaders', {
        requestId,
        url: at,
        originUrl: `${PAGE}/`,
        method: 'GET',
        requestHeaders: [],
      });
    const told = (requestId: string, at: string): boolean =>
      JSON.stringify(sent(requestId, at)).includes('navigation-source');
    expect(told('1', 'https://ad.example/click')).toBe(true);
    expect(told('1', 'https://second.example/')).toBe(true);
    expect(told('1', 'http://plain.example/')).toBe(false);
    expect(told('1', 'https://third.example/')).toBe(true);
    expect(told('2', 'https://ad.example/click')).toBe(false);
  });
});

test('in Chrome, all that a host starts after a press carries it to any URL that may register, by one rule', async () => {
  const { headers, updates } = headersAndUpdates();
  const press = (at: string): Promise<void> =>
    headers.expect({
      ...{ via: 'navigation', eligibility: 'navigation-source', tabId: 1, documentId: 'd' },
      ...{ url: at, documentOrigin: PAGE },
    });
  const all = Promise.all([
    press('https://ad.example/1'),
    press('https://ad.example/2'),
    press('http://ad.example/3'),
  ]);
  await jest.advanceTimersByTimeAsync(1000);
  await all;
  const rules = updates.flatMap(({ addRules = [] }) => addRules);
  expect(rules).toMatchObject([
    { condition: { resourceTypes: ['main_frame'], initiatorDomains: ['news.example'] } },
  ]);
  const { condition } = rules[0] as unknown as { condition: { regexFilter: string } };
  const isAt = (at: string): boolean => new RegExp(condition.regexFilter).test(at);
  expect(
    [
      'https://a.example/',
      'http://localhost:8080/',
      'http://a.localhost/',
      'http://127.0.0.1:1/',
      'http://[::1]/',
    ].filter(isAt),
  ).toHaveLength(5);
  expect(
    [
      'http://a.example/',
      'http://localhost.example/',
      'http://a.example/localhost/',
      'http://127.0.0.1.example/',
      'http://x@a.example/',
    ].filter(isAt),
  ).toEqual([]);
  updates.length = 0;
  await jest.advanceTimersByTimeAsync(12_000);
  expect(idsIn(updates, 'removeRuleIds')).toEqual(rules.map(({ id }) => id));
});
