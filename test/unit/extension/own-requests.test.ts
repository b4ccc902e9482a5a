import browser from 'webextension-polyfill';
import type { NavigationId } from '../../../extension/background/documents/navigations';
import { OwnRequests, type Begun } from '../../../extension/background/observe/own-requests';
import { Erasures } from '../../../extension/background/state/erasures';
import type { OwnRequest } from '../../../extension/background/observe/own-request';
import type { Origin } from '../../../src/model/units';
import { asked, newRecording } from '../helpers/recording';
import { endBackground, tell } from '../helpers/webextension';

const PIXEL = 'https://ads.example/pixel';
const HEADERS = { source: '{}', trigger: null, osSource: false, osTrigger: false, info: null };

const requestOf = (site: string, tabId: number): OwnRequest => ({
  contextOrigin: `https://${site}.example` as Origin,
  makers: [],
  tabId,
  asked,
  eligibility: 'event-source-or-trigger',
});

/** The browser tells the background of one of its requests, as `WebRequests` hears it. */
let began: (details: Begun) => void = () => undefined;

function listen(requests: OwnRequests): void {
  requests.listen();
  began = (details) => requests.began(details);
}

/** Servers that never answer. The browser reports each request that it sends. @returns the ids of these, as they come */
function hangingServers(): readonly string[] {
  const sent: string[] = [];
  jest.spyOn(globalThis, 'fetch').mockImplementation((url, init) => {
    const { signal } = init ?? {};
    if (signal?.aborted === true) return Promise.reject(new Error('aborted'));
    const requestId = String(sent.length);
    sent.push(requestId);
    began({ requestId, url, originUrl: 'moz-extension://cointoss/background.js' } as unknown as Begun);
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
  const { recording, recorded } = newRecording();
  const requests = new OwnRequests(recording, new Erasures());
  listen(requests);
  for (let count = 0; count < 60; count++) void requests.make(PIXEL, requestOf('attacker', 1));
  await jest.advanceTimersByTimeAsync(0);
  requests.stopWhere(({ tabId }) => tabId === 1);
  await jest.advanceTimersByTimeAsync(5000);
  expect(sent).toHaveLength(40);
  void requests.make(PIXEL, requestOf('honest', 2));
  await jest.advanceTimersByTimeAsync(0);
  expect(sent).toHaveLength(41);
  expect(requests.responseTo('40', PIXEL, HEADERS, null)).toBe(true);
  await jest.advanceTimersByTimeAsync(0);
  expect(recorded.pages).toEqual(['https://honest.example']);
});

/** A server that redirects the first request to a pixel, with a registration or without. @returns why nothing registers */
async function redirected(headers: typeof HEADERS | null): Promise<readonly unknown[]> {
  const { recording, recorded } = newRecording();
  const requests = new OwnRequests(recording, new Erasures());
  listen(requests);
  let sent = 0;
  jest.spyOn(globalThis, 'fetch').mockImplementation((url) => {
    const requestId = String(sent++);
    began({ requestId, url, originUrl: 'moz-extension://cointoss/background.js' } as unknown as Begun);
    if (requestId !== '0') return Promise.resolve(new Response('pixel'));
    requests.responseTo(requestId, 'https://ads.example/first', headers, PIXEL);
    return Promise.resolve(Object.defineProperty(new Response(null), 'type', { value: 'opaqueredirect' }));
  });
  void requests.make('https://ads.example/first', requestOf('publisher', 1));
  await jest.advanceTimersByTimeAsync(10_000);
  expect(sent).toBe(2);
  return recorded.refused;
}

test('after a redirect that registers, the last answer needs no registration', async () => {
  expect(await redirected(HEADERS)).toEqual([]);
});

test('after a redirect that does not register, the last answer that does not either is refused', async () => {
  const why = { code: 'no-registration', values: { status: 200, redirects: 1 } };
  expect(await redirected(null)).toEqual([['https://ads.example', why]]);
});

test('what is no URL is not asked for, and makes no error', async () => {
  const sent = hangingServers();
  const { recording } = newRecording();
  await new OwnRequests(recording, new Erasures()).make('https://a:b%3', requestOf('attacker', 1));
  expect(sent).toEqual([]);
});

test('requests of a closed tab go on for five seconds, in which pages make their last ones, and no longer', async () => {
  const sent = hangingServers();
  const requests = new OwnRequests(newRecording().recording, new Erasures());
  listen(requests);
  for (const tabId of [1, 2]) void requests.make(PIXEL, requestOf('publisher', tabId));
  await jest.advanceTimersByTimeAsync(0);
  expect(sent).toHaveLength(2);
  const aborted = (): readonly unknown[] =>
    jest.mocked(fetch).mock.calls.map(([, init]) => init?.signal?.aborted);
  tell('removed', 1);
  await jest.advanceTimersByTimeAsync(4900);
  expect(aborted()).toEqual([false, false]);
  await jest.advanceTimersByTimeAsync(200);
  expect(aborted()).toEqual([true, false]);
});

test('requests that are not made, because their tab has too many, parse no URL again', async () => {
  hangingServers();
  const { recording, recorded } = newRecording();
  const requests = new OwnRequests(recording, new Erasures());
  const makers = ['https://frame.example/', 'https://page.example/'];
  const ask = (): void => {
    for (let count = 0; count < 300; count++)
      void requests.make(PIXEL, { ...requestOf('flooder', 1), makers });
  };
  ask();
  await jest.advanceTimersByTimeAsync(1000);
  const { URL: Parser } = globalThis;
  const parsed = jest.spyOn(globalThis, 'URL').mockImplementation((...given) => new Parser(...given));
  ask();
  expect(parsed).toHaveBeenCalledTimes(0);
  await jest.advanceTimersByTimeAsync(0);
  expect(recorded.refused.slice(-300)).toEqual(Array(300).fill([new URL(PIXEL).origin, 'too-many']));
});

test('requests whose device’s clock is set back wait no longer', async () => {
  const sent = hangingServers();
  const requests = new OwnRequests(newRecording().recording, new Erasures());
  const ask = (): void => {
    for (let count = 0; count < 40; count++) void requests.make(PIXEL, requestOf('publisher', 1));
  };
  ask();
  await jest.advanceTimersByTimeAsync(10_000);
  jest.setSystemTime(Date.now() - 3_600_000);
  ask();
  await jest.advanceTimersByTimeAsync(10_000);
  expect(sent).toHaveLength(80);
});

test('a trigger whose device’s clock is set back waits five seconds at most for the source of a click', async () => {
  hangingServers();
  const requests = new OwnRequests(newRecording().recording, new Erasures());
  const navigation = 'a click' as NavigationId;
  void requests.make(PIXEL, { ...requestOf('publisher', 1), eligibility: 'navigation-source', navigation });
  let isSettled = false;
  void requests.navigationSourcesSettled([1]).then(() => (isSettled = true));
  jest.setSystemTime(Date.now() - 3_600_000);
  await jest.advanceTimersByTimeAsync(4900);
  expect(isSettled).toBe(false);
  await jest.advanceTimersByTimeAsync(200);
  expect(isSettled).toBe(true);
});

describe('a page outside, in Firefox', () => {
  const names: Record<string, readonly string[] | undefined> = {
    'ads.example': ['203.0.113.7', '2001:db8::7'],
    'inside.example': ['203.0.113.7', '192.168.1.1'],
    'device.example': ['::1'],
    'link.example': ['fe80::1%eth0'],
    'mapped.example': ['::ffff:10.0.0.1'],
    'moving.example': ['203.0.113.8'],
  };
  /** The names that Cointoss has looked up. */
  let looked: string[] = [];
  const resolve = (host: string): Promise<object> => {
    if (host === 'unresolved.example') return new Promise(() => undefined);
    looked.push(host);
    const addresses = host === 'moving.example' && looked.length > 1 ? ['127.0.0.1'] : names[host];
    return addresses === undefined ? Promise.reject(new Error('unknown')) : Promise.resolve({ addresses });
  };
  beforeEach(() => {
    looked = [];
    Object.assign(browser, { dns: { resolve } });
  });
  afterEach(() => void Object.assign(browser, { dns: undefined }));

  /** Asks for a URL, which may redirect. @returns how many requests were sent, and why the others were not */
  async function ask(url: string, { contextOrigin = 'https://publisher.example', redirect = '' } = {}) {
    const sent = hangingServers();
    const { recording, recorded } = newRecording();
    const requests = new OwnRequests(recording, new Erasures());
    listen(requests);
    void requests.make(url, { ...requestOf('publisher', 1), contextOrigin: contextOrigin as Origin });
    await jest.advanceTimersByTimeAsync(0);
    if (redirect !== '') requests.responseTo('0', url, null, redirect);
    await jest.advanceTimersByTimeAsync(0);
    return { sent: sent.length, reasons: recorded.refused };
  }

  const refused = (origin: string): readonly unknown[] => [[origin, { code: 'private-network', values: {} }]];

  test.each(['inside', 'device', 'link', 'mapped'])(
    'reaches nothing by the name %s.example',
    async (name) => {
      const origin = `https://${name}.example`;
      expect(await ask(`${origin}/`)).toEqual({ sent: 0, reasons: refused(origin) });
      expect(await ask('https://ads.example/', { redirect: `${origin}/` })).toEqual({
        sent: 1,
        reasons: refused(origin),
      });
    },
  );

  test.each(['ads', 'unknown'])('reaches %s.example', async (name) => {
    expect(await ask(`https://${name}.example/`)).toEqual({ sent: 1, reasons: [] });
    expect(await ask('https://ads.example/', { redirect: `https://${name}.example/` })).toEqual({
      sent: 2,
      reasons: [],
    });
  });

  // The browser looks it up again to connect, and does not say where that leads.
  test('reaches a name that leads to the device from its second look-up on', async () => {
    expect(await ask('https://moving.example/')).toEqual({ sent: 1, reasons: [] });
    expect(looked).toEqual(['moving.example']);
    expect(await ask('https://moving.example/')).toEqual({
      sent: 0,
      reasons: refused('https://moving.example'),
    });
  });

  /** Requests for a name that nobody resolves. */
  const unresolved = (): {
    readonly requests: OwnRequests;
    readonly reasons: () => readonly unknown[];
    readonly askOften: () => void;
  } => {
    hangingServers();
    const { recording, recorded } = newRecording();
    const requests = new OwnRequests(recording, new Erasures());
    const reasons = (): readonly unknown[] => recorded.refused.map(([, why]) => why);
    const askOften = (): void => {
      for (let count = 0; count < 200; count++)
        void requests.make('https://unresolved.example/', requestOf('publisher', 1));
    };
    return { requests, reasons, askOften };
  };

  test('whose names are never resolved asks again half a minute later', async () => {
    const { reasons, askOften } = unresolved();
    const ask = async (): Promise<void> => {
      askOften();
      await jest.advanceTimersByTimeAsync(18_000);
    };
    await ask();
    expect(reasons()).toEqual([]);
    await jest.advanceTimersByTimeAsync(120_000);
    const noAnswer = { code: 'no-registration', values: { status: 0, redirects: 0 } };
    expect(reasons()).toEqual(Array(200).fill(noAnswer));
    await ask();
    expect(reasons()).not.toContain('too-many');
  });

  test('whose tab closes before the turn of its requests asks again later', async () => {
    const { requests, reasons, askOften } = unresolved();
    const ask = async (): Promise<void> => {
      askOften();
      requests.stopWhere(() => true);
      await jest.advanceTimersByTimeAsync(100_000);
    };
    await ask();
    await ask();
    await ask();
    expect(reasons()).toEqual([]);
  });

  test('is not one in the private network, which reaches it by name, but not this device', async () => {
    const contextOrigin = 'https://wiki.corp';
    expect(await ask('https://inside.example/', { contextOrigin })).toEqual({ sent: 1, reasons: [] });
    expect(await ask('https://device.example/', { contextOrigin })).toEqual({
      sent: 0,
      reasons: refused('https://device.example'),
    });
  });
});

/** Asks for a URL; the browser then reports that the request failed. @returns why nothing registers */
async function reasonOf(error: string, site = 'https://publisher.example'): Promise<readonly unknown[]> {
  jest.spyOn(globalThis, 'fetch').mockImplementation((url) => {
    const own = { requestId: '1', url, originUrl: 'moz-extension://cointoss/background.js' };
    began(own as unknown as Begun);
    setTimeout(() => tell('errorOccurred', { ...own, error }), 100);
    return Promise.reject(new TypeError('Failed to fetch'));
  });
  const { recording, recorded } = newRecording();
  const requests = new OwnRequests(recording, new Erasures());
  listen(requests);
  void requests.make(PIXEL, { ...requestOf('publisher', 1), contextOrigin: site as Origin });
  await jest.advanceTimersByTimeAsync(1000);
  return recorded.refused.map(([, why]) => why);
}

test.each([
  ['net::ERR_FAILED', 'https://publisher.example', 'not-public'],
  ['net::ERR_FAILED', 'https://wiki.corp', 'no-registration'],
  ['net::ERR_NAME_NOT_RESOLVED', 'https://publisher.example', 'no-registration'],
])('%s for a page of %s is logged as %s', async (error, site, code) => {
  expect(await reasonOf(error, site)).toMatchObject([{ code }]);
});

test('debug mode may let pages outside reach every address', async () => {
  hangingServers();
  const requests = new OwnRequests(newRecording().recording, new Erasures());
  requests.allowPrivateNetworks(true);
  void requests.make('https://printer.corp/', requestOf('publisher', 1));
  await jest.advanceTimersByTimeAsync(0);
  const [[, options] = []] = jest.mocked(fetch).mock.calls;
  expect(options).not.toHaveProperty('targetAddressSpace');
});

test.each([
  ['https://publisher.example', 'public'],
  ['https://wiki.corp', undefined],
  ['http://localhost:8080', undefined],
])('Chrome is asked to send what %s asks for only to addresses that are: %s', async (site, space) => {
  hangingServers();
  const requests = new OwnRequests(newRecording().recording, new Erasures());
  void requests.make(PIXEL, { ...requestOf('publisher', 1), contextOrigin: site as Origin });
  await jest.advanceTimersByTimeAsync(0);
  const options = jest.mocked(fetch).mock.calls[0]?.[1] as { readonly targetAddressSpace?: string };
  expect(options.targetAddressSpace).toBe(space);
});

test('what debug mode allows is decided when a request is sent, not when it begins to wait for its turn', async () => {
  const sent = hangingServers();
  const { recording, recorded } = newRecording();
  const requests = new OwnRequests(recording, new Erasures());
  requests.listen();
  requests.allowPrivateNetworks(true);
  const ask = (count: number): void => {
    for (let made = 0; made < count; made++)
      void requests.make('https://localhost/pixel', requestOf('news', 1));
  };
  ask(42);
  await jest.advanceTimersByTimeAsync(500);
  expect(sent).toHaveLength(41);
  requests.allowPrivateNetworks(false);
  await jest.advanceTimersByTimeAsync(500);
  expect(sent).toHaveLength(41);
  expect(recorded.refused).toEqual([['https://localhost', { code: 'private-network', values: {} }]]);
});
