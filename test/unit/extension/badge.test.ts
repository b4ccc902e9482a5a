import browser from 'webextension-polyfill';
import { Badge } from '../../../extension/background/state/badge';
import type { PageAnswer } from '../../../extension/background/state/tab-pages';

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
  badge.count(1, null);
  await jest.advanceTimersByTimeAsync(0);
  expect(shown.get(1)).toBe('1');
  for (let count = 0; count < 100; count++) {
    badge.count(1, null);
    badge.count(2, null);
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
  badge.count(1, null);
  await jest.advanceTimersByTimeAsync(0);
  badge.count(1, null);
  // The browser clears it with the navigation.
  shown.delete(1);
  badge.begin(page(20));
  badge.count(1, null);
  await soon();
  expect(shown.get(1)).toBe('1');
});

/** The last answer to a navigation in tab 1. */
const answer = (requestId: string, timeStamp: number, url = 'https://shop.example/'): PageAnswer => ({
  ...{ tabId: 1, requestId, url, timeStamp },
});
/** The page of that tab. */
const page = (timeStamp: number, url = 'https://shop.example/#top'): Omit<PageAnswer, 'requestId'> => ({
  ...{ tabId: 1, url, timeStamp },
});
const soon = (): Promise<void> => jest.advanceTimersByTimeAsync(1000);

describe('counts what a navigation registers on its own page', () => {
  /** What happens on the way to a page, in each order in which browsers report it. */
  const orders: Readonly<Record<string, (badge: Badge) => void>> = {
    'before its answer': (badge) => {
      badge.count(1, 'a');
      badge.count(1, 'a');
      badge.answered(answer('a', 10));
      badge.begin(page(20));
    },
    'before its page, which comes first': (badge) => {
      badge.count(1, 'a');
      badge.begin(page(20));
      badge.count(1, 'a');
      badge.answered(answer('a', 10));
    },
    'after its page': (badge) => {
      badge.answered(answer('a', 10));
      badge.begin(page(20));
      badge.count(1, 'a');
      badge.count(1, 'a');
    },
  };

  test.each(Object.keys(orders))('%s, however late', async (order) => {
    const { badge, shown } = newBadge();
    orders[order]?.(badge);
    await soon();
    expect(shown.get(1)).toBe('2');
  });

  test.each(Object.keys(orders))('%s, and not on the next one', async (order) => {
    const { badge, shown } = newBadge();
    orders[order]?.(badge);
    await jest.advanceTimersByTimeAsync(0);
    // The same URL, and soon.
    shown.delete(1);
    badge.answered(answer('b', 30));
    badge.begin(page(40));
    await jest.advanceTimersByTimeAsync(5000);
    expect(shown.get(1)).toBeUndefined();
    badge.count(1, 'a');
    badge.count(1, 'b');
    await soon();
    expect(shown.get(1)).toBe('1');
  });

  test('not on a page that the browser kept', async () => {
    const { badge, shown } = newBadge();
    badge.begin(page(5));
    badge.count(1, 'a');
    badge.answered(answer('a', 10));
    await soon();
    expect(shown.get(1)).toBeUndefined();
    badge.begin(page(20, 'https://other.example/'));
    await soon();
    expect(shown.get(1)).toBeUndefined();
  });

  test('or on the page before, where no page comes', async () => {
    const { badge, shown } = newBadge();
    badge.count(1, 'a');
    badge.answered(answer('a', 10, 'https://shop.example/file'));
    badge.ended(1, 'https://shop.example/');
    await soon();
    expect(shown.get(1)).toBeUndefined();
    badge.ended(1, 'https://shop.example/file');
    await soon();
    expect(shown.get(1)).toBe('1');
    badge.count(1, 'b');
    badge.release(1, 'b');
    badge.release(1, 'b');
    await soon();
    expect(shown.get(1)).toBe('2');
  });

  test.each<[string, (badge: Badge) => void]>([
    ['ended', (badge) => badge.ended(1, 'https://shop.example/file')],
    ['failed', (badge) => badge.release(1, 'a')],
  ])('also what is stored only after the navigation %s', async (_how, end) => {
    const { badge, shown } = newBadge();
    badge.begin(page(5, 'https://news.example/'));
    badge.answered(answer('a', 10, 'https://shop.example/file'));
    badge.count(1, 'a');
    end(badge);
    badge.count(1, 'a');
    await soon();
    expect(shown.get(1)).toBe('2');
    // Not on the next page, also if the answer that led to none has its address.
    shown.delete(1);
    badge.begin(page(20, 'https://shop.example/file'));
    badge.count(1, 'a');
    await soon();
    expect(shown.get(1)).toBeUndefined();
  });

  test('but not on the next page if it was left before it was complete', async () => {
    const { badge, shown } = newBadge();
    badge.answered(answer('a', 10));
    badge.begin(page(20));
    badge.answered(answer('b', 30, 'https://other.example/'));
    badge.begin(page(40, 'https://other.example/'));
    badge.count(1, 'a');
    badge.release(1, 'a');
    badge.count(1, 'a');
    await soon();
    expect(shown.get(1)).toBeUndefined();
    badge.count(1, 'b');
    await soon();
    expect(shown.get(1)).toBe('1');
  });

  test('nor on the one after that, if the browser says late that the first one failed', async () => {
    const { badge, shown } = newBadge();
    const visit = (requestId: string, time: number): void => {
      const url = `https://${requestId}.example/`;
      badge.answered(answer(requestId, time, url));
      badge.begin(page(time + 1, url));
    };
    for (const [place, requestId] of ['a', 'b', 'c'].entries()) visit(requestId, 10 * place);
    for (const requestId of ['a', 'b']) {
      badge.release(1, requestId);
      badge.count(1, requestId);
    }
    await soon();
    expect(shown.get(1)).toBeUndefined();
    badge.count(1, 'c');
    await soon();
    expect(shown.get(1)).toBe('1');
  });

  test('but nothing of a tab that was closed', async () => {
    const { badge, shown } = newBadge();
    badge.count(1, 'a');
    badge.release(1, 'b');
    badge.closed(1);
    badge.count(1, 'b');
    badge.release(1, 'a');
    await soon();
    expect(shown.get(1)).toBeUndefined();
  });

  test('and forgets the oldest of too many', async () => {
    const { badge, shown } = newBadge();
    for (let id = 0; id <= 1000; id++) badge.count(1, String(id));
    badge.release(1, '0');
    badge.release(1, '1');
    await soon();
    expect(shown.get(1)).toBe('1');
    badge.answered(answer('2', 10));
    badge.closed(1);
    badge.begin(page(20));
    await soon();
    expect(shown.get(1)).toBe('1');
  });
});

test('that is cleared counts nothing of before', async () => {
  const { badge, shown } = newBadge();
  badge.count(1, null);
  await jest.advanceTimersByTimeAsync(0);
  badge.count(1, null);
  badge.count(1, 'a');
  Object.assign(browser.tabs, { query: () => Promise.resolve([{ id: 1 }]) });
  badge.clear();
  badge.release(1, 'a');
  await soon();
  expect(shown.get(1)).toBe('');
  badge.count(1, null);
  await jest.advanceTimersByTimeAsync(0);
  expect(shown.get(1)).toBe('1');
});
