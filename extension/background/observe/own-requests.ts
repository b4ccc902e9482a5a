import browser, { type WebRequest } from 'webextension-polyfill';
import type { IgnoredReason } from '../../../formats/codec/mistakes';
import { eligibleHeader } from '../../../recording/eligibility';
import type { RegistrationHeaders } from '../../../recording/requests';
import { ELIGIBLE } from '../../../recording/structured-headers';
import { originOfUrl, parseUrl } from '../../../src/model/origin';
import { remembered } from '../../../src/model/remembered';
import { siteOf } from '../../../src/model/site';
import type { Origin } from '../../../src/model/units';
import { endAnswer } from '../../answer-body';
import { addressSpace, fetchFrom, type AddressSpace } from '../state/address-space';
import type { Erasures } from '../state/erasures';
import { FairShare } from '../state/fair-share';
import { keepAwake } from '../state/keep-awake';
import { Pace } from '../state/pace';
import { sleep } from '../state/sleep';
import { ClickRequests } from './click-requests';
import type { OwnRequest } from './own-request';
import {
  hasRegistration,
  INSECURE_SERVER,
  noRegistration,
  PRIVATE_NETWORK,
  whyUnanswered,
} from './unanswered';
import type { OwnResponse, Recording } from '../record/recorder';
import { everyPage, withoutFragment } from '../../urls';

const TIMEOUT = 30_000;
/**
 * Requests that a tab may make at once, and in ms how soon each further one follows. All at once would delay those of other tabs, and what a
 * flood leaves is garbage faster than Chrome collects it.
 */
const AT_ONCE = 40;
const INTERVAL = 500;
/** Requests at a time, for all pages. Each counts until `REPORTING_TIME` after its answer. */
const MOST = 400;
/** In ms: how long the requests of a closed tab may go on. Pages make some while they close. */
const AFTER_CLOSING = 5000;
/** In ms after the answer. Chrome may report a request later than `fetch` resolves. */
const REPORTING_TIME = 5000;
/** As many as browsers follow (Fetch, "HTTP-redirect fetch"). */
const MAX_REDIRECTS = 20;

/** Requests of no tab, as far as the browser heeds that: Chrome does not. */
export const outsideTabs: WebRequest.RequestFilter & { readonly tabId: number } = {
  ...everyPage,
  types: ['xmlhttprequest'],
  tabId: -1,
};

export type Begun = WebRequest.OnBeforeRequestDetailsType & { readonly initiator?: string };

/** How a request came about. */
interface Way {
  readonly redirects: number;
  /** What asked for it, or redirected to it. */
  readonly from: Origin;
  /** Whether a redirect on the way had a registration. */
  readonly hasRegistered: boolean;
}

interface Progress {
  readonly way: Way;
  /** The browser's id of it. Undefined if the browser never reports it. */
  readonly id: Promise<string | undefined>;
  readonly reported: (id?: string) => void;
  /** Call it once the browser has reported the end of the request, and with its error if there is one. */
  readonly answered: (error?: string) => void;
  readonly answer: Promise<string | undefined>;
  readonly stopping: AbortController;
}

type Made = Progress & { readonly url: string; readonly request: OwnRequest };

/**
 * The requests that Cointoss makes for the URLs of an `attributionsrc` (ARA, "make a background attributionsrc request"). `fetch` hides
 * redirects and their headers. So each request is matched to one that the browser reports, and its responses are read there.
 */
export class OwnRequests {
  /** Requests that the browser has not reported yet, by the fragment of their URL, which no other request has. Servers get no fragment. */
  private readonly expected = new Map<string, Made>();
  private readonly known = new Map<string, Made>();
  /** Requests that may still get responses. */
  private readonly inFlight = new Set<Made>();
  private readonly clicks = new ClickRequests();
  private readonly share = new FairShare(MOST);
  private readonly pace = new Pace(AT_ONCE, INTERVAL);
  /** A flood asks for the same few pages and servers again and again. */
  private readonly originOf = remembered(originOfUrl, (url) => url);
  private readonly spaceOf = remembered(addressSpace, (url) => url);

  /** Whether pages may ask for any address, as debug mode allows. */
  private isEverywhereAllowed = false;

  constructor(
    private readonly recording: Recording,
    private readonly erasures: Erasures,
  ) {}

  /** @param isAllowed whether pages outside may ask for addresses in private networks and on this device */
  allowPrivateNetworks(isAllowed: boolean): void {
    this.isEverywhereAllowed = isAllowed;
  }

  listen(): void {
    browser.tabs.onRemoved.addListener((closed) => {
      setTimeout(() => this.stopWhere(({ tabId }) => tabId === closed), AFTER_CLOSING);
    });
    browser.webRequest.onCompleted.addListener(({ requestId }) => this.ended(requestId), outsideTabs);
    browser.webRequest.onErrorOccurred.addListener(
      ({ requestId, error }) => this.ended(requestId, error),
      outsideTabs,
    );
  }

  /** Records that a request outside of tabs begins, which may be one of these. */
  began({ requestId, url, initiator, originUrl }: Begun): void {
    if (this.known.has(requestId) || !isOwn(initiator ?? originUrl)) return;
    const made = this.expected.get(new URL(url).hash);
    if (made === undefined) return;
    this.known.set(requestId, made);
    made.reported(requestId);
  }

  /** As `ClickRequests.settled`. */
  navigationSourcesSettled(tabs: readonly number[]): Promise<void> {
    return this.clicks.settled(tabs);
  }

  /** Aborts the requests that are over, and ignores further responses to them. */
  stopWhere(isOver: (request: OwnRequest, url: string) => boolean): void {
    for (const { request, url, stopping } of this.inFlight) if (isOver(request, url)) stopping.abort();
  }

  /** Stops those that were asked for before an erasure. */
  stopErased(): void {
    this.stopWhere((request, url) => this.isErased(request, url));
  }

  private isErased({ asked, ...request }: OwnRequest, url: string): boolean {
    return this.erasures.cover(asked, { url, ...request });
  }

  /** What a request of the browser is for; undefined unless it is one of these. */
  of(requestId: string): OwnRequest | undefined {
    return this.known.get(requestId)?.request;
  }

  private ended(requestId: string, error?: string): void {
    this.known.get(requestId)?.answered(error);
    this.known.delete(requestId);
  }

  make(url: string, request: OwnRequest): Promise<void> {
    return this.follow(url, request, { redirects: 0, from: request.contextOrigin, hasRegistered: false });
  }

  private async follow(url: string, request: OwnRequest, way: Way): Promise<void> {
    const origin = this.originOf(url);
    // A content script sends nothing but URLs, unless its page has taken it over.
    if ((origin === null && parseUrl(url) === null) || this.isErased(request, url)) return;
    const isReachable = this.spaceAround(request) <= this.spaceOf(url);
    if (!isReachable) this.refuse(request, origin ?? way.from, PRIVATE_NETWORK);
    else if (origin === null) this.refuse(request, url, INSECURE_SERVER);
    if (!isReachable || origin === null || way.redirects > MAX_REDIRECTS) return;
    const leave = this.share.acquire(1, siteOf(request.contextOrigin), `tab ${request.tabId}`);
    if (leave === null) {
      this.refuse(request, origin, 'too-many');
      return;
    }
    const made = this.note(url, request, way);
    this.inFlight.add(made);
    await sleep(this.pace.delay(`tab ${request.tabId}`, performance.now()));
    const fragment = `#${crypto.randomUUID()}`;
    this.expected.set(fragment, made);
    const over = new AbortController();
    const timeout = setTimeout(() => over.abort(), TIMEOUT);
    const signal = AbortSignal.any([over.signal, made.stopping.signal]);
    // Not before: a trial may have begun meanwhile, in which debug mode allows nothing.
    const space = this.spaceAround(request);
    try {
      const answer = await fetchFrom(space, withoutFragment(url) + fragment, {
        headers: {
          [ELIGIBLE]: eligibleHeader(request.eligibility) ?? '',
          'Attribution-Reporting-Support': 'web',
        },
        // The extension's requests would carry cookies that the browser blocks for third parties.
        credentials: 'omit',
        // `responseTo` checks each hop before it follows.
        redirect: 'manual',
        cache: 'no-store',
        referrerPolicy: 'no-referrer',
        signal,
      });
      if (answer === null) {
        this.refuse(request, origin, PRIVATE_NETWORK);
        return;
      }
      // The observer of the headers takes registrations and redirects. Each hop may register (ARA, "make a background attributionsrc request").
      if (answer.type !== 'opaqueredirect' && !way.hasRegistered && !hasRegistration(answer.headers))
        this.refuse(request, origin, noRegistration(answer.status, way.redirects), made);
      await endAnswer(answer);
      // The body of a redirect is hidden, and Firefox loads it all the same.
      over.abort();
    } catch {
      if (!made.stopping.signal.aborted)
        this.refuse(request, origin, await whyUnanswered(made.answer, space, way.redirects), made);
    } finally {
      clearTimeout(timeout);
      // The browser may report the request after the answer, or never.
      setTimeout(() => {
        // Not before: a server that answers at once must not let its page ask without end.
        leave();
        this.expected.delete(fragment);
        this.inFlight.delete(made);
        made.answered();
        made.reported();
      }, REPORTING_TIME);
    }
  }

  /**
   * An extension's requests are not subject to Local Network Access. So a page outside a private network reaches nothing in it, and only a
   * page on this device reaches the device; nor do frames from outside, sandboxed or not, in pages that may. Names of makers are not resolved:
   * their servers could change where they lead.
   */
  private spaceAround({ contextOrigin, makers }: OwnRequest): AddressSpace {
    if (this.isEverywhereAllowed) return 0;
    let farthest = this.spaceOf(contextOrigin);
    for (const maker of makers) {
      const space = this.spaceOf(maker);
      if (space > farthest) farthest = space;
    }
    return farthest;
  }

  private note(url: string, request: OwnRequest, way: Way): Made {
    let answered: Made['answered'] = () => undefined;
    const answer = new Promise<string | undefined>((resolve) => (answered = resolve));
    let reported: Made['reported'] = () => undefined;
    const id = new Promise<string | undefined>((resolve) => (reported = resolve));
    if (request.eligibility === 'navigation-source') void answer.then(this.clicks.add(request.tabId));
    return { url, request, way, id, reported, answered, answer, stopping: new AbortController() };
  }

  /**
   * Takes the response to one of these requests, unless it was aborted: what it registers, and where it redirects to.
   * @returns false for a response to any other request
   */
  responseTo(
    requestId: string,
    url: string,
    headers: RegistrationHeaders | null,
    location: string | null,
  ): boolean {
    const made = this.known.get(requestId);
    if (made === undefined) return false;
    const reportingOrigin = originOfUrl(url);
    if (made.stopping.signal.aborted || reportingOrigin === null) return true;
    const { way, request } = made;
    if (headers !== null) this.record(request, { requestId, reportingOrigin, headers });
    const next = location === null ? undefined : parseUrl(location, url)?.href;
    const further = {
      redirects: way.redirects + 1,
      from: reportingOrigin,
      hasRegistered: way.hasRegistered || (headers !== null && headers.unknown === undefined),
    };
    if (next !== undefined) void this.follow(next, request, further);
    return true;
  }

  /** Records one response, or one redirect hop. */
  private record(request: OwnRequest, response: Omit<OwnResponse, 'time'>): void {
    const time = Date.now();
    const recorded = this.recording.then(({ clock, recorder }) =>
      recorder.ownResponse(request, { ...response, time: clock.at(time) }),
    );
    keepAwake(recorded);
  }

  /**
   * Logs that a request registers nothing: it is not made, because its site or tab has too many under way or because it leads from outside
   * into a private network or to this device; or its answer has no registration.
   * @param made if it was made
   */
  private refuse(
    { tabId, contextOrigin, asked, eligibility }: OwnRequest,
    url: string,
    why: 'too-many' | IgnoredReason,
    made?: Made,
  ): void {
    const own = made && { id: made.id, eligibility };
    const asking = { tabId, asked, place: { kind: 'known', contextOrigin }, own } as const;
    void this.recording.then(({ recorder }) => recorder.refusals.dropped(url, asking, why));
  }
}

const isOwn = (initiator: string | undefined): boolean =>
  initiator !== undefined && `${initiator}/`.startsWith(browser.runtime.getURL(''));
