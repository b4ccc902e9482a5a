import browser from 'webextension-polyfill';
import { Beginnings, type Beginning } from '../../../extension/background/beginnings';
import type { Documents } from '../../../extension/background/documents';
import type { MarkedEligibility } from '../../../extension/background/marks';
import {
  followedNavigation,
  Navigations,
  type Click,
  type DecidedClick,
} from '../../../extension/background/navigations';
import type { OwnRequests } from '../../../extension/background/own-requests';
import { SessionMemory } from '../../../extension/background/session-memory';
import type { PlacedResponse } from '../../../extension/background/recorder';
import { WebRequests } from '../../../extension/background/web-requests';
import type { Gesture } from '../../../extension/content/gestures';
import { NO_SEAL, withMark, type RequestEligibility } from '../../../extension/eligibility-mark';
import { sealFor, sealKeyOf } from '../../../extension/seal';
import { decideRegistration } from '../../../recording/decide-registration';
import { DECLARATION_TIME } from '../../../recording/requests';
import type { PagePlace } from '../../../recording/places';
import { moment, type Origin } from '../../../src/model/units';
import { newInbox } from './inbox';
import { newRecording } from './recording';
import { endBackground, tell } from './webextension';

/** All that may be unknown of a request or a click. A value that is added to one of these types does not compile without its races. */
export type RequestUnknown =
  | `beginning ${Exclude<Beginning, { kind: 'known' }>['kind']}`
  | `mark ${Exclude<MarkedEligibility, RequestEligibility | 'unmarked'>}`
  | `gesture ${Exclude<Gesture, { kind: 'press' }>['kind']}`
  | `click ${Exclude<DecidedClick, { kind: 'followed' }>['kind']}`;

/** Something that happens between a page and its answer. */
export interface Race {
  readonly when: string;
  /** Resolves to what is registered: nothing, but for a race that is a control. */
  readonly registers: () => Promise<readonly string[]>;
}

const NEWS = 'https://news.example' as Origin;
const place: PagePlace = { kind: 'known', contextOrigin: NEWS };
const AD = 'https://ad.example/ad';
const SHOP = 'https://shop.example/';
const LONG = `${AD}?${'x'.repeat(9000)}`;
const TAB = 1;
const DOCUMENT = 'page';
/** A request of a document without an origin. */
const OPAQUE = { initiator: 'null' };

const key = sealKeyOf(browser.runtime);
const markedBy = (origin: string, url: string, eligibility: RequestEligibility = 'event-source'): string =>
  withMark(url, { seal: sealFor(key, origin, 7n), eligibility });

/** The part of the background that decides what a response registers. */
class Watcher {
  private readonly inbox = newInbox();
  private readonly seen = newRecording();
  private clicks: DecidedClick[] = [];
  private navigations: Navigations | null = null;

  /** Starts the background, after it was stopped or for the first time. */
  async start(): Promise<void> {
    endBackground();
    const memory = new SessionMemory();
    memory.turn(true);
    const beginnings = new Beginnings(memory);
    this.navigations = new Navigations((decided) => void this.clicks.push(decided));
    this.navigations.listen();
    new WebRequests({
      beginnings,
      navigations: this.navigations,
      ownRequests: { responseTo: () => false } as unknown as OwnRequests,
      documents: { answered: () => undefined } as unknown as Documents,
      recording: this.seen.recording,
    }).listen();
    await beginnings.loaded;
  }

  /** As `start`, once what is to be stored is stored. */
  async restart(): Promise<void> {
    await jest.advanceTimersByTimeAsync(150);
    await this.start();
  }

  click(more: Partial<Click> = {}): void {
    this.navigations?.clicked({
      ...{ place, documentOrigin: NEWS, documentId: DOCUMENT, makers: [], around: null },
      ...{ url: SHOP, tabId: TAB, pageId: DOCUMENT, sources: [], inMenu: false },
      ...{ press: 1, time: Date.now() },
      ...more,
    });
  }

  /** The page declares an element that loads this. */
  async declare(url: string): Promise<void> {
    const inbox = await this.inbox;
    inbox.declare({
      ...{ via: 'element', eligibility: 'event-source-or-trigger', url, time: moment(Date.now()) },
      ...{ tabId: TAB, documentId: DOCUMENT, documentOrigin: NEWS, place },
    });
  }

  begin(url: string, requestId = 'navigation'): void {
    tell('beforeRequest', { requestId, tabId: TAB, url, initiator: NEWS, timeStamp: Date.now() });
  }

  /** A response that would register both, or a redirect that registers nothing. */
  answer(url: string, redirects: boolean, more: object = {}): void {
    const headers = ['source', 'trigger'].map((kind) => ({
      name: `Attribution-Reporting-Register-${kind}`,
      value: '{}',
    }));
    tell('headersReceived', {
      ...{
        requestId: '1',
        url,
        statusCode: redirects ? 302 : 200,
        tabId: TAB,
        frameId: 0,
        parentFrameId: -1,
      },
      ...{ type: 'xmlhttprequest', documentId: DOCUMENT, initiator: NEWS, timeStamp: Date.now() },
      responseHeaders: redirects ? [{ name: 'Location', value: SHOP }] : headers,
      ...more,
    });
  }

  /** What the responses register, of a source and a trigger each; a navigation's trigger would be that of the page itself. */
  async registered(): Promise<readonly string[]> {
    const inbox = await this.inbox;
    const time = moment(Date.now());
    for (const decided of this.clicks)
      if (decided.kind === 'followed') inbox.declare({ ...followedNavigation(decided), time });
    await jest.advanceTimersByTimeAsync(0);
    for (const { place: seenAt, ...response } of this.seen.recorded.responses as PlacedResponse[])
      for (const kind of response.kind === 'navigation' ? ['source'] : ['source', 'trigger']) {
        const headers = { ...response.headers, [kind === 'source' ? 'trigger' : 'source']: null };
        inbox.add({ ...response, headers, time }, seenAt ?? place);
      }
    inbox.decideOverdue(moment(time + DECLARATION_TIME));
    return inbox.responses.flatMap(({ response, decided }) => {
      if (decided === null || decided.place.kind === 'redirect') return [];
      const result = decideRegistration({ ...response, ...decided, place: decided.place, fenced: false });
      if (result.kind === 'ignored') return [];
      const { register } = result.registration;
      return [register.kind === 'source' ? `${register.sourceType} source` : register.kind];
    });
  }
}

/** What a race does with a background that runs. */
const race = (when: string, happens: (watcher: Watcher) => Promise<void> | void): Race => ({
  when,
  registers: async () => {
    // It forgets what an earlier race stored.
    new SessionMemory().turn(false);
    const watcher = new Watcher();
    await watcher.start();
    await happens(watcher);
    return watcher.registered();
  },
});

/** So many that some of the document's are forgotten. */
function flood(watcher: Watcher, more: object = {}): void {
  for (let id = 0; id < 3000; id++) watcher.answer(AD, true, { requestId: `flood ${id}`, ...more });
}

export const races: Readonly<Record<RequestUnknown, readonly Race[]>> = {
  'beginning unknown': [
    race('the document has too many redirected requests', (watcher) => {
      watcher.answer(AD, true);
      flood(watcher);
      watcher.answer(SHOP, false);
    }),
    race('the document had too many, and the background was stopped', async (watcher) => {
      watcher.answer(AD, true);
      flood(watcher);
      await watcher.restart();
      watcher.answer(SHOP, false);
    }),
    race('an element is declared at the URL that such a request leads to', async (watcher) => {
      await watcher.declare(SHOP);
      watcher.answer(AD, true);
      flood(watcher);
      watcher.answer(SHOP, false, { type: 'image' });
    }),
  ],
  'mark unknown': [
    race('the seal came too late', (watcher) => {
      watcher.answer(withMark(AD, { seal: NO_SEAL, eligibility: 'event-source-or-trigger' }), false);
    }),
    race('it is of another origin', (watcher) => {
      watcher.answer(markedBy('https://other.example', AD), false);
    }),
    race('it is of a document without an origin', (watcher) => {
      watcher.answer(markedBy('null', AD), false);
    }),
    race('a redirect came before, and the background was stopped', async (watcher) => {
      watcher.answer(markedBy('https://other.example', AD), true);
      await watcher.restart();
      watcher.answer(SHOP, false);
    }),
    race('the first URL was too long to be declared', (watcher) => {
      watcher.answer(markedBy('https://other.example', LONG), true);
      watcher.answer(SHOP, false);
    }),
  ],
  'gesture none': [
    {
      when: 'nobody pressed anything',
      registers: () =>
        sentBy(async () => (await import('../../../extension/content/gestures')).gestureOfClick(Date.now())),
    },
    {
      when: 'the activation has lapsed',
      registers: () =>
        sentBy(async () => (await import('../../../extension/content/gestures')).gestureOfScript()),
    },
  ],
  'click not-followed': [
    race('nothing followed', (watcher) => {
      watcher.click();
    }),
    race('the page goes there later', (watcher) => {
      watcher.click({ time: Date.now() - 5001 });
      watcher.begin(SHOP);
      watcher.answer(SHOP, false, { type: 'main_frame', requestId: 'navigation' });
    }),
    race('the background was stopped before the navigation', async (watcher) => {
      watcher.click();
      await watcher.restart();
      watcher.begin(SHOP);
      watcher.answer(SHOP, false, { type: 'main_frame', requestId: 'navigation' });
    }),
    race('the background was stopped before the click was known', async (watcher) => {
      watcher.begin(SHOP);
      await watcher.restart();
      watcher.click();
      watcher.answer(SHOP, false, { type: 'main_frame', requestId: 'navigation' });
    }),
    race('the person only opened the link’s menu', (watcher) => {
      watcher.click({ inMenu: true });
      watcher.begin(SHOP);
      watcher.answer(SHOP, false, { type: 'main_frame', requestId: 'navigation' });
    }),
    race('another navigation of the press was followed', (watcher) => {
      watcher.click({ url: `${SHOP}other` });
      watcher.begin(`${SHOP}other`, 'other');
      watcher.click();
      watcher.begin(SHOP);
      watcher.answer(SHOP, false, { type: 'main_frame', requestId: 'navigation' });
    }),
  ],
};

/** What a content script says of a window that a page opens with this gesture. */
async function sentBy(gestureNow: () => Promise<Gesture>): Promise<readonly string[]> {
  const sent: string[] = [];
  const runtime = { sendMessage: ({ kind }: { kind: string }) => Promise.resolve(sent.push(kind)) };
  const page = { location: { href: NEWS }, document: { baseURI: NEWS } };
  Object.defineProperty(globalThis, 'navigator', {
    configurable: true,
    value: { userActivation: { isActive: false } },
  });
  Object.assign(globalThis, { chrome: { runtime }, ...page });
  await jest.isolateModulesAsync(async () => {
    const { sendNavigation } = await import('../../../extension/content/eligible');
    sendNavigation(SHOP, [AD], await gestureNow());
  });
  return sent;
}

/** The same without the race: each registers, so that the races show something. */
export const controls: readonly (Race & { readonly registered: readonly string[] })[] = [
  {
    ...race('many answers had the status of a redirect, and no `Location`', (watcher) => {
      flood(watcher, { responseHeaders: [] });
      watcher.answer(AD, false);
    }),
    registered: ['trigger'],
  },
  {
    ...race('many redirected requests were of a tab that was closed, and had no end', async (watcher) => {
      flood(watcher);
      tell('removed', TAB);
      await jest.advanceTimersByTimeAsync(25_000);
      watcher.answer(AD, false);
    }),
    registered: ['trigger'],
  },
  {
    ...race('the page marked its request', (watcher) => {
      watcher.answer(markedBy(NEWS, AD), false);
    }),
    registered: ['event source'],
  },
  {
    ...race(
      'the page marked its request, and it was redirected while the background was stopped',
      async (watcher) => {
        watcher.answer(markedBy(NEWS, LONG), true);
        await watcher.restart();
        watcher.answer(SHOP, false);
      },
    ),
    registered: ['event source'],
  },
  {
    ...race('a redirect kept the mark, and what came before is unknown', (watcher) => {
      watcher.answer(markedBy(NEWS, AD), true);
      flood(watcher);
      watcher.answer(markedBy(NEWS, SHOP), false);
    }),
    registered: ['event source'],
  },
  {
    ...race('the page did not mark its request, and its server did', (watcher) => {
      watcher.answer(AD, true);
      watcher.answer(withMark(SHOP, { seal: NO_SEAL, eligibility: 'event-source' }), false);
    }),
    registered: ['trigger'],
  },
  {
    ...race(
      'a server redirects into a seal that it read in another document without an origin',
      (watcher) => {
        watcher.answer(AD, true, OPAQUE);
        watcher.answer(markedBy('null', SHOP), false, OPAQUE);
      },
    ),
    registered: ['trigger'],
  },
  {
    ...race('a document without an origin marked its request', (watcher) => {
      watcher.answer(markedBy('null', AD), true, OPAQUE);
      watcher.answer(SHOP, false, OPAQUE);
    }),
    registered: ['event source'],
  },
  {
    ...race('an element was redirected while the background was stopped', async (watcher) => {
      await watcher.declare(AD);
      watcher.answer(AD, true, { type: 'image' });
      await watcher.restart();
      watcher.answer(SHOP, false, { type: 'image' });
    }),
    registered: ['event source', 'trigger'],
  },
  {
    ...race('the click was followed', (watcher) => {
      watcher.click();
      watcher.begin(SHOP);
      watcher.answer(SHOP, false, { type: 'main_frame', requestId: 'navigation' });
    }),
    registered: ['navigation source'],
  },
];
