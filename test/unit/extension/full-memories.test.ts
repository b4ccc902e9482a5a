import type { Runtime } from 'webextension-polyfill';
import { Beginnings } from '../../../extension/background/observe/beginnings';
import { ContentMessages } from '../../../extension/background/observe/content-messages';
import { DocumentHeaders } from '../../../extension/background/documents/document-headers';
import { FrameAttributes } from '../../../extension/background/documents/frame-attributes';
import { everything } from '../../../extension/background/documents/permissions-policy';
import { IneligibleClicks } from '../../../extension/background/documents/ineligible-clicks';
import type { KnownDocument } from '../../../extension/background/documents/known-document';
import { LostRequests } from '../../../extension/background/observe/lost-requests';
import { NavigationRules } from '../../../extension/background/observe/navigation-rules';
import { NavigationScopes } from '../../../extension/background/record/navigation-scopes';
import { Navigations } from '../../../extension/background/documents/navigations';
import { RecentRequests } from '../../../extension/background/documents/recent-requests';
import { SessionMemory } from '../../../extension/background/documents/session-memory';
import { UnusedAnswers } from '../../../extension/background/observe/unused-answers';
import { chromiumLimits } from '../../../src/model/limits';
import type { Origin } from '../../../src/model/units';
import { sourceRegistration } from '../helpers/engine';
import { tell } from '../helpers/webextension';
import { asked } from '../helpers/recording';

/*
 * What pages can fill, and no other test does. `kept-state` lists all, with the test that fills it.
 */

/** Entries of all maps, sets and lists that an object has, also inside of each other. */
function entriesOf(object: object): number {
  const inside = (value: unknown): number => {
    if (value instanceof Map)
      return value.size + [...value.values()].reduce<number>((sum, one) => sum + inside(one), 0);
    if (value instanceof Set) return value.size;
    if (Array.isArray(value)) return value.length;
    return 0;
  };
  return Object.values(object).reduce<number>((sum, value) => sum + inside(value), 0);
}

const origin = (n: number): Origin => `https://page-${n}.example` as Origin;

function newMemory(): SessionMemory {
  const memory = new SessionMemory();
  memory.turn(true);
  return memory;
}

interface Filled {
  /** The most entries, as its constants say. */
  readonly most: number;
  /** Whether one must be over before the next. */
  readonly isAwaited?: true;
  /** @returns what one more thing of others does, and what it is kept in */
  readonly begin: () => readonly [add: (n: number) => unknown, kept: object];
}

const memories: Readonly<Record<string, Filled>> = {
  'the scopes of navigations': {
    most: 1000,
    begin: () => {
      const scopes = new NavigationScopes();
      const registration = sourceRegistration();
      return [(n) => scopes.allow(String(n), registration, chromiumLimits), scopes];
    },
  },
  'headers of frames that wait for a document of one tab': {
    most: 500 + 1,
    begin: () => {
      const headers = new DocumentHeaders(newMemory());
      return [(n) => headers.put(1, n + 1, `https://page.example/${n}`, everything), headers];
    },
  },
  'headers of workers': {
    most: 200 + 200 * 50,
    begin: () => {
      const headers = new DocumentHeaders(newMemory());
      return [
        (n) => headers.putOfWorker(origin(Math.floor(n / 55)), `https://page.example/${n}`, everything),
        headers,
      ];
    },
  },
  'documents of whose requests some were forgotten': {
    most: 1001,
    begin: () => {
      const lost = new LostRequests(newMemory());
      return [
        (n) => lost.add({ requester: { tabId: n % 100, documentId: String(n), origin: null }, closed: null }),
        lost,
      ];
    },
  },
  'workers of whose requests some were forgotten': {
    most: 1001,
    begin: () => {
      const lost = new LostRequests(newMemory());
      return [
        (n) => lost.add({ requester: { tabId: -1, documentId: undefined, origin: origin(n) }, closed: null }),
        lost,
      ];
    },
  },
  'answers that were not modified': {
    most: 1000,
    begin: () => {
      const unused = new UnusedAnswers();
      const details = { statusCode: 304 } as Parameters<UnusedAnswers['wasSeen']>[0];
      return [(n) => unused.wasSeen({ ...details, requestId: String(n) }, true), unused];
    },
  },
  'events of requests that are kept in debug mode': {
    most: 3000,
    begin: () => {
      const recent = new RecentRequests(newMemory());
      const event = { kind: 'unused', requestId: '1', url: 'https://page.example/' } as const;
      return [(n) => recent.add({ number: n + 1, page: null, event }), recent];
    },
  },
  'long events of requests that are kept in debug mode': {
    most: 100,
    begin: () => {
      const recent = new RecentRequests(newMemory());
      const event = { kind: 'unused', requestId: '1', url: 'x'.repeat(10_000) } as const;
      return [(n) => recent.add({ number: n + 1, page: null, event }), recent];
    },
  },
  'requests with a URL that would fill the memory of debug mode': {
    most: 1,
    begin: () => {
      const recent = new RecentRequests(newMemory());
      const event = (url: string) => ({ kind: 'unused', requestId: '1', url }) as const;
      recent.add({ number: 1, page: null, event: event('https://page.example/') });
      return [(n) => recent.add({ number: n + 2, page: null, event: event('x'.repeat(60_000)) }), recent];
    },
  },
  'requests that were only fetched ahead': {
    most: 1000,
    begin: () => {
      const unused = new UnusedAnswers();
      unused.listen();
      const requestHeaders = [{ name: 'Sec-Purpose', value: 'prefetch' }];
      return [(n) => tell('sendHeaders', { requestId: String(n), requestHeaders }), unused];
    },
  },
  'hosts whose navigations carry the header': {
    most: 100,
    begin: () => {
      const rules = new NavigationRules({
        nextId: () => 1,
        change: () => Promise.resolve(),
        nextTurn: () => new Promise(() => undefined),
      });
      return [(n) => rules.expect(`page-${n}.example`), rules];
    },
  },
  'frames that one document is asked about': {
    most: 1 + 500 + 500,
    begin: () => {
      const attributes = new FrameAttributes(
        () => undefined,
        () => undefined,
      );
      const parent = { id: 'page', tabId: 1 } as KnownDocument;
      return [(n) => attributes.ask(parent, { documentId: String(n), frameId: n, url: '' }), attributes];
    },
  },
  'tries to ask about frames of many documents': {
    most: 5000,
    isAwaited: true,
    begin: () => {
      const attributes = new FrameAttributes(
        () => undefined,
        () => undefined,
      );
      const parent = (n: number): KnownDocument => ({ id: `page ${n}`, tabId: 1 }) as KnownDocument;
      const add = async (n: number): Promise<void> => {
        attributes.ask(parent(n), { documentId: String(n), frameId: n, url: '' });
        // It answers meanwhile.
        await new Promise(setImmediate);
      };
      return [add, attributes];
    },
  },
  'what clicks lacked': {
    most: 1000,
    begin: () => {
      // Each is forgotten by a timer.
      jest.useFakeTimers();
      const lacks = new IneligibleClicks(newMemory());
      const click = { url: '', pageId: '', documentOrigin: null, inMenu: false, time: 0 } as const;
      return [(n) => void lacks.followed({ ...click, tabId: n % 100, lack: 'attribute' }, String(n)), lacks];
    },
  },
  'navigations that were asked for': {
    most: 1000 + 20 * 100,
    begin: () => {
      const navigations = new Navigations(newMemory(), () => undefined);
      navigations.listen();
      const add = (n: number): void =>
        tell('beforeRequest', {
          requestId: String(n),
          tabId: n % 100,
          url: `https://page.example/${n}`,
          initiator: 'https://page.example',
          timeStamp: 0,
        });
      return [add, navigations];
    },
  },
  'requests that began': {
    // Each by its id, and by its tab.
    most: 20_050,
    begin: () => {
      const beginnings = new Beginnings(newMemory());
      return [
        (n) => beginnings.began(String(n), { tabId: n % 50, documentId: undefined, origin: null }, asked),
        beginnings['begun'],
      ];
    },
  },
  'senders of messages': {
    most: 1000,
    begin: () => {
      const content = new ContentMessages({} as ConstructorParameters<typeof ContentMessages>[0]);
      const sender = (n: number): Runtime.MessageSender =>
        ({ tab: { id: n }, url: origin(n) }) as unknown as Runtime.MessageSender;
      return [(n) => content.answer({ kind: 'nonsense' }, sender(n)), content['messages']];
    },
  },
};

afterEach(() => {
  jest.useRealTimers();
  // The next test's background would find it.
  new SessionMemory().turn(false);
});

test.each(Object.entries(memories))('%s have their bound', async (_what, { most, isAwaited, begin }) => {
  const [add, kept] = begin();
  // It fills.
  await add(0);
  expect(entriesOf(kept)).toBeGreaterThan(0);
  let largest = 0;
  for (let n = 1; n < most + 1500; n++) {
    const done = add(n);
    if (isAwaited === true) await done;
    if (n % 500 === 0) largest = Math.max(largest, entriesOf(kept));
  }
  largest = Math.max(largest, entriesOf(kept));
  expect(largest).toBeLessThanOrEqual(most);
  // Nor is it so small because little is kept at all.
  expect(largest).toBeGreaterThan(most / 2);
});
