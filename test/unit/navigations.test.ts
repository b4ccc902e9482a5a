import type { Origin } from '../../src/model/units';
import { Navigations, type Click } from '../../extension/background/navigations';
import { endBackground, tell } from './helpers/webextension';

const NEWS = 'https://news.example' as Origin;

const click = (tabId: number, url: string): Click => ({
  contextOrigin: NEWS,
  documentOrigin: NEWS,
  obstacle: null,
  url,
  tabId,
  pageId: `page ${tabId}`,
  navigation: 'a click',
  sources: [],
});

const begin = (tabId: number, url: string): void => tell('beforeNavigate', { tabId, frameId: 0, url });

/** Whether a click's navigation was found, each time that a click is settled. */
let settled: boolean[];
let navigations: Navigations;

beforeAll(() => void jest.useFakeTimers());
afterAll(() => void jest.useRealTimers());
beforeEach(() => {
  endBackground();
  settled = [];
  navigations = new Navigations((_click, isFollowed) => settled.push(isFollowed));
  navigations.listen();
});

test('a navigation is found although another tab begins many before its click is known', () => {
  begin(1, 'https://shop.example/');
  for (let count = 0; count < 1000; count++) begin(2, `https://flooder.example/${count}`);
  navigations.clicked(click(1, 'https://shop.example/'));
  expect(settled).toEqual([true]);
});

test('a click counts once, and not without a navigation', () => {
  begin(1, 'https://shop.example/');
  navigations.clicked(click(1, 'https://shop.example/'));
  navigations.clicked(click(1, 'https://shop.example/'));
  jest.advanceTimersByTime(30_000);
  expect(settled).toEqual([true, false]);
});
