import { OwnRequests, type OwnRequest } from '../../extension/background/own-requests';
import type { Origin } from '../../src/model/units';
import { endBackground, tell } from './helpers/webextension';

const PIXEL = 'https://ads.example/pixel';
const HEADERS = { source: '{}', trigger: null, osSource: false, osTrigger: false, info: null };

const requestOf = (site: string, tabId: number): OwnRequest => ({
  contextOrigin: `https://${site}.example` as Origin,
  makers: [],
  tabId,
  eligibility: 'event-source-or-trigger',
});

/** Servers that never answer. The browser reports each request that it sends. @returns the ids of these, as they come */
function hangingServers(): readonly string[] {
  const sent: string[] = [];
  jest.spyOn(globalThis, 'fetch').mockImplementation((url, init) => {
    const { signal } = init ?? {};
    if (signal?.aborted === true) return Promise.reject(new Error('aborted'));
    const requestId = String(sent.length);
    sent.push(requestId);
    tell('beforeRequest', { requestId, url, originUrl: 'moz-extension://cointoss/background.js' });
    return new Promise((_resolve, reject) => {
      signal?.addEventListener('abort', () => reject(new Error('aborted')));
    });
  });
  return sent;
}

beforeEach(() => {
  endBackground();
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
  jest.restoreAllMocks();
});

test('requests that end before they are sent take no answer of another tab’s request for the same URL', async () => {
  const sent = hangingServers();
  const answered: string[] = [];
  const requests = new OwnRequests(
    ({ contextOrigin }) => void answered.push(contextOrigin),
    () => undefined,
  );
  requests.listen();
  for (let count = 0; count < 60; count++) void requests.make(PIXEL, requestOf('attacker', 1));
  await jest.advanceTimersByTimeAsync(0);
  requests.stopWhere(({ tabId }) => tabId === 1);
  await jest.advanceTimersByTimeAsync(2500);
  expect(sent).toHaveLength(20);
  void requests.make(PIXEL, requestOf('honest', 2));
  await jest.advanceTimersByTimeAsync(0);
  expect(sent).toHaveLength(21);
  expect(requests.responseTo('20', PIXEL, HEADERS, null)).toBe(true);
  expect(answered).toEqual(['https://honest.example']);
});

test('requests whose device’s clock is set back wait no longer', async () => {
  const sent = hangingServers();
  const requests = new OwnRequests(
    () => undefined,
    () => undefined,
  );
  const ask = (): void => {
    for (let count = 0; count < 40; count++) void requests.make(PIXEL, requestOf('publisher', 1));
  };
  ask();
  await jest.advanceTimersByTimeAsync(5000);
  jest.setSystemTime(Date.now() - 3_600_000);
  ask();
  await jest.advanceTimersByTimeAsync(5000);
  expect(sent).toHaveLength(80);
});

test('a trigger whose device’s clock is set back waits five seconds at most for the source of a click', async () => {
  hangingServers();
  const requests = new OwnRequests(
    () => undefined,
    () => undefined,
  );
  void requests.make(PIXEL, { ...requestOf('publisher', 1), eligibility: 'navigation-source' });
  let isSettled = false;
  void requests.navigationSourcesSettled([1]).then(() => (isSettled = true));
  jest.setSystemTime(Date.now() - 3_600_000);
  await jest.advanceTimersByTimeAsync(4900);
  expect(isSettled).toBe(false);
  await jest.advanceTimersByTimeAsync(200);
  expect(isSettled).toBe(true);
});
