import type { Origin } from '../../src/model/units';
import { Navigations, type Click } from '../../extension/background/navigations';
import { endBackground, tell } from './helpers/webextension';

const NEWS = 'https://news.example' as Origin;

const click = (tabId: number, url: string): Click => ({
  place: { kind: 'known', contextOrigin: NEWS },
  documentOrigin: NEWS,
  makers: [],
  url,
  tabId,
  pageId: `page ${tabId}`,
  navigation: 'a click',
  sources: [],
});

let requests = 0;

/** @param initiator the origin of the document that starts it */
const begin = (tabId: number, url: string, initiator: string | undefined = NEWS): void =>
  tell('beforeRequest', { requestId: String(++requests), tabId, url, initiator });

/** Whether a click's navigation was found, each time that a click is decided. */
let decided: boolean[];
let navigations: Navigations;

beforeAll(() => void jest.useFakeTimers());
afterAll(() => void jest.useRealTimers());
beforeEach(() => {
  endBackground();
  decided = [];
  navigations = new Navigations((_click, isFollowed) => decided.push(isFollowed));
  navigations.listen();
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
  const frame = { ...click(1, 'https://shop.example/'), documentOrigin: 'https://ad.example' as Origin };
  navigations.clicked(frame);
  begin(1, 'https://shop.example/');
  jest.advanceTimersByTime(30_000);
  begin(1, 'https://shop.example/', 'https://ad.example');
  navigations.clicked(frame);
  expect(decided).toEqual([false, true]);
});

test('a navigation is found although the device’s clock is set forward', () => {
  begin(1, 'https://shop.example/');
  jest.setSystemTime(Date.now() + 3_600_000);
  begin(2, 'https://other.example/');
  navigations.clicked(click(1, 'https://shop.example/'));
  expect(decided).toEqual([true]);
});

test('a redirect is no navigation of its own', () => {
  tell('beforeRequest', { requestId: 'one', tabId: 1, url: 'https://news.example/out', initiator: NEWS });
  tell('beforeRequest', { requestId: 'one', tabId: 1, url: 'https://shop.example/', initiator: NEWS });
  navigations.clicked(click(1, 'https://news.example/out'));
  navigations.clicked(click(1, 'https://shop.example/'));
  jest.advanceTimersByTime(30_000);
  expect(decided).toEqual([true, false]);
});
