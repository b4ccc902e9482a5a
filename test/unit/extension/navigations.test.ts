import browser from 'webextension-polyfill';
import type { Origin } from '../../../src/model/units';
import { Navigations, type Click } from '../../../extension/background/documents/navigations';
import { SessionMemory } from '../../../extension/background/documents/session-memory';
import { asked } from '../helpers/recording';
import { endBackground, tell } from '../helpers/webextension';

const NEWS = 'https://news.example' as Origin;

const SHOP = 'https://shop.example/';

let presses = 0;

/** Of a press of its own, now. */
const click = (tabId: number, url: string, more: Partial<Click> = {}): Click => ({
  place: { kind: 'known', contextOrigin: NEWS },
  documentOrigin: NEWS,
  documentId: `page ${tabId}`,
  makers: [],
  around: null,
  url,
  tabId,
  pageId: `page ${tabId}`,
  sources: [],
  inMenu: false,
  press: ++presses,
  time: Date.now(),
  asked,
  ...more,
});

let requests = 0;

/** @param initiator the origin of the document that starts it */
const begin = (tabId: number, url: string, initiator: string | undefined = NEWS): void =>
  tell('beforeRequest', { requestId: String(++requests), tabId, url, initiator, timeStamp: Date.now() });

/** The browser tells that a page opened a tab. */
const open = (tabId: number, sourceTabId: number): void =>
  tell('createdNavigationTarget', { tabId, sourceTabId });

/** Whether a click's navigation was found, each time that a click is decided. */
let decided: boolean[];
let navigations: Navigations;

beforeAll(() => void jest.useFakeTimers());
afterAll(() => void jest.useRealTimers());
let memory: SessionMemory;

/** Starts the background, after an earlier run of it if there was one. */
async function start(): Promise<void> {
  endBackground();
  memory = new SessionMemory();
  navigations = new Navigations(memory, ({ kind }) => void decided.push(kind === 'followed'));
  navigations.listen();
  memory.turn(true);
  await memory.load();
}

beforeEach(async () => {
  jest.clearAllTimers();
  decided = [];
  new SessionMemory().turn(false);
  await start();
});

test('a navigation is found although another tab begins many before its click is known', () => {
  begin(1, 'https://shop.example/');
  for (let count = 0; count < 1000; count++) begin(2, `https://flooder.example/${count}`);
  navigations.clicked(click(1, 'https://shop.example/'));
  expect(decided).toEqual([true]);
});

test('a click counts once, and not without a navigation', () => {
  begin(1, 'https://shop.example/');
  navigations.clicked(click(1, 'https://shop.example/'));
  navigations.clicked(click(1, 'https://shop.example/'));
  jest.advanceTimersByTime(30_000);
  expect(decided).toEqual([true, false]);
});

test('no frame claims where the link of another document leads', () => {
  const inFrame = (): Click =>
    click(1, 'https://shop.example/', { documentOrigin: 'https://ad.example' as Origin });
  navigations.clicked(inFrame());
  begin(1, 'https://shop.example/');
  jest.advanceTimersByTime(30_000);
  begin(1, 'https://shop.example/', 'https://ad.example');
  navigations.clicked(inFrame());
  expect(decided).toEqual([false, true]);
});

describe('one press leads to one navigation', () => {
  test.each([
    ['when both are known first', [1, 2], []],
    ['when the second is known after the first is followed', [1], [2]],
  ])('%s', (_when, before, after) => {
    const press = ++presses;
    const linkAnd = (id: number): void => navigations.clicked(click(1, `${SHOP}${id}`, { press }));
    before.forEach(linkAnd);
    begin(1, `${SHOP}1`);
    after.forEach(linkAnd);
    open(2, 1);
    begin(2, `${SHOP}2`);
    jest.advanceTimersByTime(30_000);
    expect(decided).toEqual([true, false]);
  });

  test('the one that follows, not the one that is said first', () => {
    const press = ++presses;
    for (const id of [1, 2]) navigations.clicked(click(1, `${SHOP}${id}`, { press }));
    begin(1, `${SHOP}2`);
    expect(decided).toEqual([true, false]);
  });

  test.each([
    ['although the background is killed between its navigations', 0, false],
    ['and leaves nothing behind', 30_000, true],
  ])('%s', async (_what, later, isFollowed) => {
    const press = ++presses;
    navigations.clicked(click(1, `${SHOP}1`, { press }));
    begin(1, `${SHOP}1`);
    jest.advanceTimersByTime(later);
    await start();
    navigations.clicked(click(1, `${SHOP}2`, { press }));
    begin(1, `${SHOP}2`);
    jest.advanceTimersByTime(30_000);
    expect(decided).toEqual([true, isFollowed]);
  });

  test('although the memory of its tab is full, too', async () => {
    const entry = { kind: 'beginning', of: 'requests', tabId: 1, value: 'x'.repeat(20_000) } as const;
    for (let id = 0; memory.set({ ...entry, id: String(id) }); id++);
    const press = ++presses;
    for (const id of [1, 2]) {
      navigations.clicked(click(1, `${SHOP}${id}`, { press }));
      begin(1, `${SHOP}${id}`);
      await start();
    }
    jest.advanceTimersByTime(30_000);
    expect(decided).toEqual([true, false]);
  });

  test('nothing is decided before it is known which presses were followed', async () => {
    const press = ++presses;
    navigations.clicked(click(1, `${SHOP}1`, { press }));
    begin(1, `${SHOP}1`);
    const started = start();
    navigations.clicked(click(1, `${SHOP}2`, { press }));
    begin(1, `${SHOP}2`);
    expect(decided).toEqual([true]);
    await started;
    expect(decided).toEqual([true, false]);
  });

  test('and no click counts when the browser does not give what it stored', async () => {
    jest.spyOn(browser.storage.session, 'get').mockRejectedValueOnce(new Error('no storage'));
    await start().catch(() => undefined);
    navigations.clicked(click(1, SHOP));
    begin(1, SHOP);
    await Promise.resolve();
    expect(decided).toEqual([false]);
  });

  test('another press, or one in another document, has its own', () => {
    const press = ++presses;
    const frame = click(1, `${SHOP}3`, { press, documentId: 'frame' });
    const all = [click(1, `${SHOP}1`, { press }), click(1, `${SHOP}2`), frame];
    for (const one of all) navigations.clicked(one);
    for (const id of [1, 2, 3]) begin(1, `${SHOP}${id}`);
    expect(decided).toEqual([true, true, true]);
  });
});

test.each([
  ['as long as a user activation lasts', 5000, false, 1, true],
  ['later', 5001, false, 1, false],
  ['in a new tab from a link’s menu', 30_000, true, 2, true],
  ['in a new tab later', 30_001, true, 2, false],
  ['from a link’s menu in the same tab', 0, true, 1, false],
  ['from before the click', -1001, false, 1, false],
])('a navigation %s', (_what, after, inMenu, tabId, counts) => {
  open(2, 1);
  navigations.clicked(click(1, SHOP, { inMenu, time: Date.now() - after }));
  begin(tabId, SHOP);
  jest.advanceTimersByTime(30_000);
  expect(decided).toEqual([counts]);
});

test('a click and its navigation are found, however late the browser tells of one of them', () => {
  const first = click(1, SHOP);
  begin(1, SHOP);
  jest.advanceTimersByTime(25_000);
  navigations.clicked(first);
  expect(decided).toEqual([true]);
});

test('a page with many clicks makes that of another tab no less known, nor fills the memory', () => {
  const honest = click(2, SHOP);
  navigations.clicked(honest);
  for (let count = 0; count < 1000; count++) navigations.clicked(click(1, `${SHOP}${count}`));
  expect(decided).toHaveLength(980);
  begin(2, SHOP);
  expect(decided.at(-1)).toBe(true);
});

test('a navigation is found although the device’s clock is set forward', () => {
  const clicked = click(1, 'https://shop.example/');
  begin(1, 'https://shop.example/');
  jest.setSystemTime(Date.now() + 3_600_000);
  begin(2, 'https://other.example/');
  navigations.clicked(clicked);
  expect(decided).toEqual([true]);
});

// Chrome holds back the event that starts the background, and tells at once of the ones after it.
test('a navigation is found although the browser tells of its redirect first', () => {
  const [start, hop] = [Date.now(), { requestId: 'one', tabId: 1, initiator: NEWS }];
  tell('beforeRequest', { ...hop, url: 'https://shop.example/', timeStamp: start + 100 });
  navigations.clicked(click(1, 'https://news.example/out'));
  tell('committed', { tabId: 1, frameId: 0, documentId: 'shop' });
  tell('beforeRequest', { ...hop, url: 'https://news.example/out', timeStamp: start });
  navigations.clicked(click(1, 'https://shop.example/'));
  jest.advanceTimersByTime(30_000);
  expect(decided).toEqual([true, false]);
});

test('of a redirect that a click has claimed, no other click claims the beginning', () => {
  const [start, hop] = [Date.now(), { requestId: 'one', tabId: 1, initiator: NEWS }];
  tell('beforeRequest', { ...hop, url: 'https://shop.example/', timeStamp: start + 100 });
  navigations.clicked(click(1, 'https://shop.example/'));
  tell('beforeRequest', { ...hop, url: 'https://news.example/out', timeStamp: start });
  navigations.clicked(click(1, 'https://news.example/out'));
  jest.advanceTimersByTime(30_000);
  expect(decided).toEqual([true, false]);
});

test('a redirect is no navigation of its own', () => {
  const hop = { requestId: 'one', tabId: 1, initiator: NEWS, timeStamp: Date.now() };
  tell('beforeRequest', { ...hop, url: 'https://news.example/out' });
  tell('beforeRequest', { ...hop, url: 'https://shop.example/' });
  navigations.clicked(click(1, 'https://news.example/out'));
  navigations.clicked(click(1, 'https://shop.example/'));
  jest.advanceTimersByTime(30_000);
  expect(decided).toEqual([true, false]);
});

describe('of a click that makes no source, the log says what it lacked', () => {
  const inVain = (more: Partial<Click> = {}): void =>
    navigations.clickedInVain({ ...click(1, SHOP, more), lack: 'attribute' });
  const beginOne = (): string => {
    begin(1, SHOP);
    return String(requests);
  };

  test('whichever the browser tells of first', () => {
    inVain();
    expect(navigations.lackOf(beginOne())).toBe('attribute');
    const requestId = beginOne();
    inVain();
    expect(navigations.lackOf(requestId)).toBe('attribute');
  });

  test.each([
    ['on another page', { tabId: 2 }],
    ['in a frame of another origin', { documentOrigin: 'https://ad.example' as Origin }],
    ['that led elsewhere', { url: `${SHOP}other` }],
    ['longer ago than a user activation lasts', { time: Date.now() - 6000 }],
  ])('but not of one %s', (_what, more) => {
    inVain(more);
    expect(navigations.lackOf(beginOne())).toBe('press');
  });

  test('of one navigation: a reload of the page is none of its own', () => {
    inVain();
    expect([beginOne(), beginOne()].map((id) => navigations.lackOf(id))).toEqual(['attribute', 'press']);
  });

  test('after the background was killed, too, until nobody asks any more', async () => {
    inVain();
    const requestId = beginOne();
    await start();
    expect(navigations.lackOf(requestId)).toBe('attribute');
    jest.advanceTimersByTime(70_000);
    expect(navigations.lackOf(requestId)).toBe('press');
    await start();
    expect(navigations.lackOf(requestId)).toBe('press');
  });

  test('and an eligible click that led to the same navigation still makes its source', () => {
    inVain();
    begin(1, SHOP);
    navigations.clicked(click(1, SHOP));
    expect(decided).toEqual([true]);
  });
});
