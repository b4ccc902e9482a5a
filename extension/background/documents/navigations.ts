import browser, { type WebRequest } from 'webextension-polyfill';
import type { PagePlace } from '../../../recording/places';
import type { FollowedNavigation } from '../../../recording/requests';
import type { ClickLack } from '../../../formats/codec/mistakes';
import type { Origin } from '../../../src/model/units';
import type { Asked } from '../state/asked';
import type { Committed } from './documents';
import { FollowedPresses } from './followed-presses';
import { IneligibleClicks, type IneligibleClick, type Lead } from './ineligible-clicks';
import { initiatorOrigin, isFetchedAhead, type Details } from './request-details';
import type { SessionMemory } from './session-memory';
import { everyPage, withoutFragment } from '../../urls';

/** In ms: how long the browser may take to report a click or a navigation. On a loaded machine one comes seconds after the other. */
const EVENT_TIMEOUT = 30_000;
/** In ms, by the device's clock: how soon after its click a navigation begins. A user activation lasts as long (HTML, 6.4.1). */
const ACTIVATION = 5000;
/** In ms, by the device's clock: how long a person may look at the menu of a link. */
const MENU = 30_000;
/** In ms, by the device's clock: browsers may round the time of a click. */
const ROUNDING = 1000;
/** The most navigations and clicks that are remembered of one tab: a page with many makes those of others no less known. */
const MOST_IN_TAB = 20;
/** The most requests that are remembered, to know their redirects. */
const MAX_REQUESTS = 1000;

/** A click, or a call of `window.open`, whose navigation sources count once the navigation begins. */
export interface Click extends Lead {
  readonly place: PagePlace;
  readonly documentId: string;
  /** The document with the click, and those around it: their URLs or origins. */
  readonly makers: readonly string[];
  /** The document around one at `about:blank`. */
  readonly around: string | null;
  /** The URLs of its `attributionsrc`. */
  readonly sources: readonly string[];
  /** Which press of the person it comes from, of those in its document. */
  readonly press: number;
  readonly asked: Asked;
}

declare const begun: unique symbol;
/** The id of a navigation that followed a click. `Navigations` alone makes it, so nothing else can register a navigation source. */
export type NavigationId = string & { readonly [begun]: true };

/** What became of a click. A navigation source can be made of a followed one only. */
export type DecidedClick = FollowedClick | { readonly kind: 'not-followed'; readonly click: Click };

interface FollowedClick {
  readonly kind: 'followed';
  readonly click: Click;
  readonly navigation: NavigationId;
  /** The browser's id of the navigation's request. */
  readonly requestId: string;
}

interface Navigation {
  readonly url: string;
  readonly tabId: number;
  readonly requestId: string;
  /** Of the document that started it; null if it is opaque, or a person started it from outside of pages. */
  readonly documentOrigin: Origin | null;
  /** In ms since the background began: when the browser reported it. */
  readonly reported: number;
  /** In ms since 1970, by the device's clock: when it began. */
  readonly time: number;
  /** The page that it led to, once it is there: no click on that page started it. */
  pageId?: string;
}

/** Matches clicks with the navigations that they start: one for each press of a person. Events of the two come in any order. */
export class Navigations {
  /** By tab: the one that it was opened from. */
  private readonly openers = new Map<number, number>();
  private clicks: readonly Click[] = [];
  /** Those that make no source. */
  private ineligible: readonly IneligibleClick[] = [];
  private readonly lacks: IneligibleClicks;
  private readonly presses: FollowedPresses;
  /** The last navigations' requests, and when the browser began the hop that counts as the beginning. */
  private readonly requests = new Map<string, number>();
  /** Those that no click has claimed. */
  private begun: readonly Navigation[] = [];

  constructor(
    memory: SessionMemory,
    private readonly onDecided: (decided: DecidedClick) => void,
  ) {
    this.presses = new FollowedPresses(memory, EVENT_TIMEOUT);
    this.lacks = new IneligibleClicks(memory);
  }

  listen(): void {
    browser.webNavigation.onCreatedNavigationTarget.addListener(({ tabId, sourceTabId }) => {
      this.openers.set(tabId, sourceTabId);
      // The tab's navigation may have begun before.
      this.match();
    });
    browser.tabs.onRemoved.addListener((tabId) => void this.openers.delete(tabId));
    browser.webRequest.onBeforeRequest.addListener(
      (details: Begun) => {
        // Chrome also reports pages that it prepares and perhaps never shows.
        if (details.documentLifecycle !== 'prerender' && !isFetchedAhead(details)) this.began(details);
        return undefined;
      },
      { ...everyPage, types: ['main_frame'] },
    );
    browser.webNavigation.onCommitted.addListener(({ tabId, frameId, documentId }: Committed) => {
      if (frameId !== 0 || documentId === undefined) return;
      for (const navigation of this.begun) if (navigation.tabId === tabId) navigation.pageId ??= documentId;
    });
  }

  /** The tab that a tab was opened from, if any. */
  openerOf(tabId: number): number | null {
    return this.openers.get(tabId) ?? null;
  }

  clicked(click: Click): void {
    if (this.presses.state(click) === 'unknown') void this.presses.loaded.then(() => this.expect(click));
    else this.expect(click);
  }

  /** A person's press leads somewhere by a link or a window from which no source can be made. */
  clickedInVain(click: IneligibleClick): void {
    this.ineligible = withOneMore(this.ineligible, click).kept;
    this.match();
    setTimeout(() => {
      this.ineligible = this.ineligible.filter((one) => one !== click);
    }, EVENT_TIMEOUT);
  }

  /** What the click of a navigation lacked, if it made no source. */
  lackOf(requestId: string): ClickLack {
    return this.lacks.of(requestId);
  }

  private expect(click: Click): void {
    if (this.presses.state(click) !== 'not-followed') {
      this.onDecided({ kind: 'not-followed', click });
      return;
    }
    const { kept, tooMany } = withOneMore(this.clicks, click);
    this.clicks = kept;
    if (tooMany !== undefined) this.onDecided({ kind: 'not-followed', click: tooMany });
    this.match();
    setTimeout(() => this.endWhere((one) => one === click), EVENT_TIMEOUT);
  }

  private began(details: Begun): void {
    const { tabId, url, requestId, timeStamp } = details;
    const known = this.requests.get(requestId);
    const hop = known === undefined ? undefined : this.begun.find((one) => one.requestId === requestId);
    // A redirect is not a separate navigation. Chrome may report it first: it holds back the event that starts the background.
    if (known !== undefined && (timeStamp >= known || hop === undefined)) return;
    this.requests.set(requestId, timeStamp);
    const [oldestRequest] = this.requests.keys();
    if (this.requests.size > MAX_REQUESTS && oldestRequest !== undefined) this.requests.delete(oldestRequest);
    // The device's clock may be turned.
    const reported = performance.now();
    this.begun = withOneMore(
      this.begun.filter((one) => one !== hop && one.reported > reported - EVENT_TIMEOUT),
      {
        tabId,
        requestId,
        url: withoutFragment(url),
        documentOrigin: initiatorOrigin(details),
        reported,
        time: timeStamp,
        ...(hop?.pageId === undefined ? {} : { pageId: hop.pageId }),
      },
    ).kept;
    this.match();
  }

  private match(): void {
    for (const click of this.clicks) {
      // Another one of the same press was followed meanwhile.
      if (!this.clicks.includes(click)) continue;
      const followed = this.begun.find((navigation) => this.isOf(click, navigation));
      if (followed === undefined) continue;
      const { requestId } = followed;
      this.begun = this.begun.filter((one) => one !== followed);
      this.clicks = this.clicks.filter((one) => one !== click);
      this.presses.add(click);
      const navigation = crypto.randomUUID() as string as NavigationId;
      this.onDecided({ kind: 'followed', click, navigation, requestId });
      this.endWhere((one) => isSamePress(one, click));
    }
    // The navigation stays unclaimed: the document may still report an eligible click.
    this.ineligible = this.ineligible.filter(
      (click) =>
        !this.begun.some(
          (navigation) => this.isOf(click, navigation) && this.lacks.followed(click, navigation.requestId),
        ),
    );
  }

  private endWhere(isOver: (click: Click) => boolean): void {
    const over = this.clicks.filter(isOver);
    this.clicks = this.clicks.filter((click) => !isOver(click));
    for (const click of over) this.onDecided({ kind: 'not-followed', click });
  }

  private isOf(click: Lead, { tabId, url, pageId, documentOrigin, time }: Navigation): boolean {
    const passed = time - click.time;
    return (
      url === click.url &&
      pageId !== click.pageId &&
      // Otherwise a frame could claim where another document's link leads.
      (documentOrigin === null || documentOrigin === click.documentOrigin) &&
      passed >= -ROUNDING &&
      passed <= (click.inMenu ? MENU : ACTIVATION) &&
      (this.openerOf(tabId) === click.tabId || (tabId === click.tabId && !click.inMenu))
    );
  }
}

/** What makes the responses to the navigation itself register. */
export function followedNavigation({
  click,
  navigation,
  requestId,
}: FollowedClick): Omit<FollowedNavigation, 'time'> {
  const { url, tabId, documentId, documentOrigin, place, around } = click;
  return {
    ...{ via: 'navigation', eligibility: 'navigation-source', navigation, requestId },
    ...{ url, tabId, documentId, documentOrigin, place },
    ...(around === null ? {} : { around }),
  };
}

const isSamePress = (one: Click, other: Click): boolean =>
  one.documentId === other.documentId && one.press === other.press;

/** With `one` added, and the oldest of its tab removed if there are too many of it. */
function withOneMore<T extends { readonly tabId: number }>(
  all: readonly T[],
  one: T,
): { readonly kept: readonly T[]; readonly tooMany: T | undefined } {
  const inTab = all.filter(({ tabId }) => tabId === one.tabId);
  const tooMany = inTab.length < MOST_IN_TAB ? undefined : inTab[0];
  return { kept: [...all.filter((other) => other !== tooMany), one], tooMany };
}

type Begun = Details<WebRequest.OnBeforeRequestDetailsType>;
