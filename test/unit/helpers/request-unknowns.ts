import browser from 'webextension-polyfill';
import { Beginnings } from '../../../extension/background/observe/beginnings';
import type { Documents } from '../../../extension/background/documents/documents';
import {
  followedNavigation,
  Navigations,
  type Click,
  type DecidedClick,
} from '../../../extension/background/documents/navigations';
import type { OwnRequests } from '../../../extension/background/observe/own-requests';
import { SessionMemory } from '../../../extension/background/documents/session-memory';
import type { PlacedResponse } from '../../../extension/background/record/recorder';
import { NavigationAnswers } from '../../../extension/background/observe/navigation-answers';
import { WebRequests } from '../../../extension/background/observe/web-requests';
import type { Gesture } from '../../../extension/content/gestures';
import { NO_SEAL, withMark, type RequestEligibility } from '../../../extension/eligibility-mark';
import { sealFor, sealKeyOf } from '../../../extension/seal';
import { decideRegistration } from '../../../recording/decide-registration';
import { DECLARATION_TIME, type EligibleElement } from '../../../recording/requests';
import type { PagePlace } from '../../../recording/places';
import { moment, type Origin } from '../../../src/model/units';
import { newInbox } from './inbox';
import { asked, newRecording } from './recording';
import type { RequestUnknown } from './unknowns';
import { endBackground, tell } from './webextension';
import { Erasures } from '../../../extension/background/state/erasures';

/** What may happen in a race between any two of its steps. */
export const interruptions = {
  'the background is killed': (watcher: Watcher) => watcher.start(),
  'the background sleeps': (watcher: Watcher) => watcher.restart(),
  'the tab is closed': () => tell('removed', TAB),
  'half a minute passes': () => jest.advanceTimersByTimeAsync(30_000),
} as const satisfies Readonly<Record<string, Step>>;

type Interruption = keyof typeof interruptions;

type Step = (watcher: Watcher) => unknown;

/** Something that happens between a page and its answer. */
export interface Race {
  readonly when: string;
  /** Between how many of its steps something else can happen, and before the first. */
  readonly gaps: number;
  /** What would make another race of it. */
  readonly but?: readonly Interruption[];
  /**
   * Resolves to what is registered: nothing, but for a race that is a control.
   * @param gap before which step it is interrupted
   */
  readonly registers: (interruption?: Interruption, gap?: number) => Promise<readonly string[]>;
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
  /** Requests that began. */
  private readonly begun = new Set<string>();

  /** Starts the background, after it was stopped or for the first time. */
  async start(): Promise<void> {
    endBackground();
    const memory = new SessionMemory();
    memory.turn(true);
    const beginnings = new Beginnings(memory);
    this.navigations = new Navigations(memory, (decided) => void this.clicks.push(decided));
    this.navigations.listen();
    new WebRequests({
      badge: { answered: () => undefined, release: () => undefined },
      navigationAnswers: new NavigationAnswers(),
      beginnings,
      erasures: new Erasures(),
      navigations: this.navigations,
      ownRequests: { began: () => undefined, responseTo: () => false } as unknown as OwnRequests,
      documents: { answered: () => undefined, pageWith: () => null } as unknown as Documents,
      onUnused: () => undefined,
      recording: this.seen.recording as ConstructorParameters<typeof WebRequests>[0]['recording'],
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
      ...{ press: 1, time: Date.now(), asked },
      ...more,
    });
  }

  /** The page declares an element that loads this. */
  async declare(url: string, more: Partial<EligibleElement> = {}): Promise<void> {
    const inbox = await this.inbox;
    inbox.declare({
      ...{ via: 'element', eligibility: 'event-source-or-trigger', url, time: moment(Date.now()) },
      ...{ tabId: TAB, documentId: DOCUMENT, documentOrigin: NEWS, place },
      ...more,
    });
  }

  begin(url: string, requestId = 'navigation'): void {
    const about = { type: 'main_frame', tabId: TAB, initiator: NEWS, timeStamp: Date.now() };
    tell('beforeRequest', { ...about, requestId, url });
  }

  /** The answer to the navigation. */
  arrive(): void {
    this.answer(SHOP, false, { type: 'main_frame', requestId: 'navigation' });
  }

  /** A request of an element begins. */
  request(url: string, requestId = '1'): void {
    if (this.begun.has(requestId)) return;
    this.begun.add(requestId);
    this.hop(url, requestId);
  }

  private hop(url: string, requestId: string): void {
    const about = { tabId: TAB, initiator: NEWS, timeStamp: Date.now() };
    tell('beforeRequest', { ...image, ...about, requestId, url });
  }

  /** A response that would register both, or a redirect that registers nothing. Its request begins now, unless it began before. */
  answer(url: string, redirects: boolean, more: object = {}): void {
    const { type, requestId } = more as { readonly type?: string; readonly requestId?: string };
    if (type === 'image') this.request(url, requestId);
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
    if (!redirects) return;
    tell('beforeRedirect', { requestId: '1', url, tabId: TAB, ...more });
    // Browsers tell of each hop as of a request that begins.
    if (type === 'image') this.hop(SHOP, requestId ?? '1');
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

/** Steps that a background sees, one after the other. */
const race = (when: string, ...steps: readonly Step[]): Race => ({
  when,
  gaps: steps.length,
  registers: async (interruption, gap) => {
    // It forgets what an earlier race stored.
    new SessionMemory().turn(false);
    const watcher = new Watcher();
    await watcher.start();
    for (const [index, step] of steps.entries()) {
      if (interruption !== undefined && gap === index) await interruptions[interruption](watcher);
      await step(watcher);
    }
    return watcher.registered();
  },
});

/** So many that some of the document's are forgotten. */
const flood =
  (more: object = {}): Step =>
  (it) => {
    for (let id = 0; id < 3000; id++) it.answer(AD, true, { requestId: `flood ${id}`, ...more });
  };

const TRIGGER = { name: 'Attribution-Reporting-Register-Trigger', value: '{}' };
const image = { type: 'image' };
/** A response that would register a source only. */
const sourceOnly = {
  ...image,
  responseHeaders: [{ name: 'Attribution-Reporting-Register-Source', value: '{}' }],
};

export const races: Readonly<Record<RequestUnknown, readonly Race[]>> = {
  // What a closed tab asked for has room of its own, so it stays known.
  'beginning unknown': [
    race(
      'the document has too many redirected requests',
      (it) => it.answer(AD, true),
      flood(),
      (it) => it.answer(SHOP, false),
    ),
    race(
      'an element is declared at the URL that such a request leads to',
      (it) => it.declare(SHOP),
      (it) => it.answer(AD, true),
      flood(),
      (it) => it.answer(SHOP, false, image),
    ),
  ].map((one) => ({ ...one, but: ['the tab is closed'] })),
  'beginning missed': [
    race(
      'the background was killed, and nobody told of the redirect to the URL of an element',
      (it) => it.declare(SHOP),
      (it) => it.request(AD),
      (it) => it.start(),
      (it) => it.answer(SHOP, false, sourceOnly),
    ),
    race(
      'the next redirect is told of',
      (it) => it.declare(SHOP),
      (it) => it.request(AD),
      (it) => it.start(),
      (it) => it.answer(SHOP, true, image),
      (it) => it.answer(SHOP, false, sourceOnly),
    ),
    race(
      'no redirect came, but nobody can know',
      (it) => it.declare(AD),
      (it) => it.request(AD),
      (it) => it.restart(),
      (it) => it.answer(AD, false, sourceOnly),
    ),
  ],
  'mark unknown': [
    race('the seal came too late', (it) =>
      it.answer(withMark(AD, { seal: NO_SEAL, eligibility: 'event-source-or-trigger' }), false),
    ),
    race('it is of another origin', (it) => it.answer(markedBy('https://other.example', AD), false)),
    race('it is of a document without an origin', (it) => it.answer(markedBy('null', AD), false)),
    race(
      'a redirect came before',
      (it) => it.answer(markedBy('https://other.example', AD), true),
      (it) => it.answer(SHOP, false),
    ),
    race(
      'the first URL was too long to be declared',
      (it) => it.answer(markedBy('https://other.example', LONG), true),
      (it) => it.answer(SHOP, false),
    ),
  ],
  'declaration null': [
    race('no element has this URL', (it) => it.answer(AD, false, sourceOnly)),
    race(
      'an element has the URL that it was redirected to',
      (it) => it.declare(SHOP),
      (it) => it.answer(AD, true, image),
      (it) => it.answer(SHOP, false, sourceOnly),
    ),
    race(
      'an element of another document has this URL',
      (it) => it.declare(AD, { documentId: 'other' }),
      (it) => it.answer(AD, false, sourceOnly),
    ),
    race('a server hands a mark to a document without an origin', (it) =>
      it.answer(withMark(AD, { seal: NO_SEAL, eligibility: 'event-source' }), false, {
        ...sourceOnly,
        ...OPAQUE,
        type: 'xmlhttprequest',
      }),
    ),
  ],
  'gesture none': [
    {
      when: 'nobody pressed anything',
      gaps: 0,
      registers: () =>
        sentBy(async () => (await import('../../../extension/content/gestures')).gestureOfClick(Date.now())),
    },
    {
      when: 'the activation has lapsed',
      gaps: 0,
      registers: () =>
        sentBy(async () => (await import('../../../extension/content/gestures')).gestureOfScript()),
    },
  ],
  'click not-followed': [
    race('nothing followed', (it) => it.click()),
    race(
      'the page goes there later',
      (it) => it.click({ time: Date.now() - 5001 }),
      (it) => it.begin(SHOP),
      (it) => it.arrive(),
    ),
    race(
      'the background was stopped before the navigation',
      (it) => it.click(),
      (it) => it.restart(),
      (it) => it.begin(SHOP),
      (it) => it.arrive(),
    ),
    race(
      'the background was stopped before the click was known',
      (it) => it.begin(SHOP),
      (it) => it.restart(),
      (it) => it.click(),
      (it) => it.arrive(),
    ),
    race(
      'the person only opened the link’s menu',
      (it) => it.click({ inMenu: true }),
      (it) => it.begin(SHOP),
      (it) => it.arrive(),
    ),
    {
      // Which presses were followed is not kept while the background is stopped. After half a minute, the first was not.
      but: ['the background is killed', 'the background sleeps', 'half a minute passes'],
      ...race(
        'another navigation of the press was followed',
        (it) => it.click({ url: `${SHOP}other` }),
        (it) => it.begin(`${SHOP}other`, 'other'),
        (it) => it.click(),
        (it) => it.begin(SHOP),
        (it) => it.arrive(),
      ),
    },
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
    ...race(
      'many answers had the status of a redirect, and no `Location`',
      flood({ responseHeaders: [] }),
      (it) => it.answer(AD, false),
    ),
    registered: ['trigger'],
  },
  {
    ...race(
      'many redirected requests were of a tab that was closed, and had no end',
      flood(),
      () => tell('removed', TAB),
      () => jest.advanceTimersByTimeAsync(5 * 60_000),
      () => tell('removed', TAB + 1),
      (it) => it.answer(AD, false),
    ),
    registered: ['trigger'],
  },
  {
    ...race('the page marked its request', (it) => it.answer(markedBy(NEWS, AD), false)),
    registered: ['event source'],
  },
  {
    ...race(
      'the page marked its request, and it was redirected while the background was stopped',
      (it) => it.answer(markedBy(NEWS, LONG), true),
      (it) => it.restart(),
      (it) => it.answer(SHOP, false),
    ),
    registered: ['event source'],
  },
  {
    ...race(
      'a redirect kept the mark, and what came before is unknown',
      (it) => it.answer(markedBy(NEWS, AD), true),
      flood(),
      (it) => it.answer(markedBy(NEWS, SHOP), false),
    ),
    registered: ['event source'],
  },
  {
    ...race(
      'the page did not mark its request, and its server did',
      (it) => it.answer(AD, true),
      (it) => it.answer(withMark(SHOP, { seal: NO_SEAL, eligibility: 'event-source' }), false),
    ),
    registered: ['trigger'],
  },
  {
    ...race(
      'a document without an origin marked its request, and declared it',
      (it) => it.answer(withMark(AD, { seal: NO_SEAL, eligibility: 'event-source' }), true, OPAQUE),
      (it) => it.declare(AD, { documentOrigin: null, eligibility: 'event-source' }),
      (it) => it.answer(SHOP, false, OPAQUE),
    ),
    registered: ['event source'],
  },
  {
    ...race(
      'an element was redirected while the background was stopped',
      (it) => it.declare(AD),
      (it) => it.answer(AD, true, image),
      (it) => it.restart(),
      (it) => it.answer(SHOP, false, image),
    ),
    registered: ['event source', 'trigger'],
  },
  {
    ...race(
      'the background was killed after an element’s request began, and it answers',
      (it) => it.declare(AD),
      (it) => it.request(AD),
      (it) => it.start(),
      (it) => it.answer(AD, false, { ...image, responseHeaders: [TRIGGER] }),
    ),
    registered: ['trigger'],
  },
  {
    ...race(
      'the click was followed',
      (it) => it.click(),
      (it) => it.begin(SHOP),
      (it) => it.arrive(),
    ),
    registered: ['navigation source'],
  },
];
