import type { Origin } from '../../src/model/units';
import { eligibleHeaders } from '../../extension/background/eligible-headers';

const PAGE = 'https://news.example' as Origin;

/** How many of these requests of one tab Chrome gets rules for. */
async function rulesFor(urls: readonly string[]): Promise<number> {
  let rules = 0;
  const declarativeNetRequest = {
    getSessionRules: () => Promise.resolve([]),
    updateSessionRules: ({ addRules = [] }: { readonly addRules?: readonly unknown[] }) => {
      rules += addRules.length;
      return Promise.resolve();
    },
  };
  Object.assign(globalThis, { chrome: { declarativeNetRequest } });
  jest.useFakeTimers();
  const headers = eligibleHeaders();
  const request = { via: 'element', eligibility: 'event-source-or-trigger', tabId: 1 } as const;
  await Promise.all(
    urls.map((url) => headers.expect({ ...request, url, documentOrigin: PAGE, documentId: 'd' })),
  );
  jest.useRealTimers();
  return rules;
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
