import browser from 'webextension-polyfill';
import { Badge } from '../../../extension/background/state/badge';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

/** A badge, what each tab's shows, and how often the browser was called. */
function newBadge(): { badge: Badge; shown: Map<number, string>; calls: () => number } {
  const shown = new Map<number, string>();
  let calls = 0;
  const action = {
    setBadgeBackgroundColor: () => Promise.resolve(),
    setBadgeTextColor: () => Promise.resolve(),
    getBadgeText: ({ tabId }: { tabId: number }) => {
      calls += 1;
      return Promise.resolve(shown.get(tabId) ?? '');
    },
    setBadgeText: ({ tabId, text }: { tabId: number; text: string }) => {
      calls += 1;
      shown.set(tabId, text);
      return Promise.resolve();
    },
  };
  Object.assign(browser, { action });
  return { badge: new Badge(), shown, calls: () => calls };
}

test('shows at once what is recorded first, and soon after all of the rest', async () => {
  const { badge, shown, calls } = newBadge();
  badge.count(1, false);
  await jest.advanceTimersByTimeAsync(0);
  expect(shown.get(1)).toBe('1');
  for (let count = 0; count < 100; count++) {
    badge.count(1, false);
    badge.count(2, false);
    await jest.advanceTimersByTimeAsync(10);
  }
  await jest.advanceTimersByTimeAsync(500);
  expect([...shown]).toEqual([
    [1, '101'],
    [2, '100'],
  ]);
  expect(calls()).toBeLessThan(30);
  expect(jest.getTimerCount()).toBeLessThanOrEqual(2);
});

test('counts nothing of the page before', async () => {
  const { badge, shown } = newBadge();
  badge.count(1, false);
  await jest.advanceTimersByTimeAsync(0);
  badge.count(1, false);
  // The browser clears it with the navigation.
  shown.delete(1);
  badge.begin(1);
  badge.count(1, false);
  await jest.advanceTimersByTimeAsync(1000);
  expect(shown.get(1)).toBe('1');
});

test('counts what waits for its page on that page, not on the next one', async () => {
  const { badge, shown } = newBadge();
  // Two redirects on the way to the first page, one on the way to the second.
  badge.count(1, true);
  badge.count(1, true);
  badge.begin(1);
  await jest.advanceTimersByTimeAsync(500);
  badge.count(1, true);
  badge.count(2, true);
  badge.begin(1);
  await jest.advanceTimersByTimeAsync(2000);
  expect([...shown]).toEqual([
    [1, '1'],
    [2, '1'],
  ]);
  badge.count(3, true);
  badge.count(3, true);
  badge.begin(3);
  await jest.advanceTimersByTimeAsync(2000);
  expect(shown.get(3)).toBe('2');
});

test('that is cleared counts nothing of before', async () => {
  const { badge, shown } = newBadge();
  badge.count(1, false);
  await jest.advanceTimersByTimeAsync(0);
  badge.count(1, false);
  badge.count(1, true);
  Object.assign(browser.tabs, { query: () => Promise.resolve([{ id: 1 }]) });
  badge.clear();
  await jest.advanceTimersByTimeAsync(2000);
  expect(shown.get(1)).toBe('');
  badge.count(1, false);
  await jest.advanceTimersByTimeAsync(0);
  expect(shown.get(1)).toBe('1');
});
