import type { Origin } from '../../src/model/units';
import { eligibleHeaders, type EligibleHeaders } from '../../extension/background/eligible-headers';

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

const expectAll = (headers: EligibleHeaders, urls: readonly string[]): Promise<unknown> => {
  const request = { via: 'element', eligibility: 'event-source-or-trigger', tabId: 1 } as const;
  return Promise.all(
    urls.map((url) => headers.expect({ ...request, url, documentOrigin: PAGE, documentId: 'd' })),
  );
};

const idsIn = (updates: readonly Update[], of: keyof Update): readonly number[] =>
  updates.flatMap((update) => update[of] ?? []).map((one) => (typeof one === 'number' ? one : one.id));

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
  for (let index = 0; index < 50; index++) {
    await expectAll(headers, [url(100)]);
    await jest.advanceTimersByTimeAsync(20);
  }
  const added = idsIn(updates, 'addRules');
  expect(added).toHaveLength(50);
  await jest.advanceTimersByTimeAsync(8900);
  expect(idsIn(updates, 'removeRuleIds')).toEqual([]);
  updates.length = 0;
  await jest.advanceTimersByTimeAsync(3000);
  expect(idsIn(updates, 'removeRuleIds').toSorted()).toEqual(added.toSorted());
  expect(updates.length).toBeLessThanOrEqual(2);
  // Their room is free again.
  updates.length = 0;
  await expectAll(headers, Array<string>(2000).fill(url(150)));
  expect(idsIn(updates, 'addRules')).toHaveLength(500);
});
