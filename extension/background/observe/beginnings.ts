import { LONGEST_URL } from '../../content-messages';
import { markIn, type Mark } from '../../eligibility-mark';
import { withoutFragment } from '../../urls';
import type { Asked } from '../state/asked';
import { FairShare } from '../state/fair-share';
import type { SessionKey, SessionMemory } from '../documents/session-memory';
import { steadyNow } from '../state/steady-time';
import { BegunRequests } from './begun-requests';
import { isOver, LostRequests, makerOf, type Lost, type Requester } from './lost-requests';

/** The most requests that are remembered. */
const MOST = 5000;
/** The most of these that a server has refused without a password: whether the browser asks again, it tells late or never. */
const MOST_REFUSED = 1000;

/** In ms: how long after a redirect the browser tells that it follows it. Those that `fetch` is not to follow have no end in Firefox. */
const FOLLOWED_WITHIN = 10_000;

/**
 * How a request began. Nothing registers from an unknown beginning, unless a redirect has a valid mark of the page (marks.ts). `missed`: the
 * background did not run then, so it may have missed a redirect, too. No source registers from it.
 */
export type Beginning = KnownBeginning | { readonly kind: 'unknown' | 'missed' };

interface KnownBeginning {
  readonly kind: 'known';
  /** Without its fragment; empty if it is too long to be declared. */
  readonly url: string;
  readonly mark: Mark | null;
}

interface Remembered extends Lost {
  readonly beginning: Beginning;
  /** Whether its server wanted a password. */
  readonly isRefused: boolean;
}

/** `refusal`: the server wants a password, with which the browser may repeat the request. Firefox then tells anew that it begins. */
export type Answer = 'redirect' | 'refusal' | 'last';

const UNKNOWN: Beginning = { kind: 'unknown' };
const MISSED: Beginning = { kind: 'missed' };

/**
 * The beginning of each request that was redirected or refused, until its last answer. A requester with many makes those of others no less known. The browser's
 * session storage has each before anything is waited for, because a background can be killed at any time.
 */
export class Beginnings {
  private readonly known = new Map<string, Remembered & { readonly leave: () => void }>();
  /** The same by who makes them, the oldest first. */
  private readonly byMaker = new Map<string, Set<string>>();
  private readonly lost: LostRequests;
  private readonly share = new FairShare(MOST);
  private readonly begun = new BegunRequests();
  /** Requests with a redirect that may not be followed. */
  private readonly unfollowed = new Set<string>();
  /** Those of `known` that are refused, the oldest first. */
  private readonly refused = new Set<string>();
  /** Resolves when it is known what an earlier run of the background saw. Nothing may be asked before. */
  readonly loaded: Promise<void>;

  constructor(private readonly memory: SessionMemory) {
    this.lost = new LostRequests(memory);
    this.loaded = memory.load().then(
      (entries) => {
        for (const { kind, id, value } of entries) {
          if (kind === 'lost-beginnings') this.lost.keepEarlier(id, value as Lost);
          if (kind !== 'beginning') continue;
          const remembered = value as Remembered;
          this.remember(id, remembered);
          this.begun.beganEarlier(id, remembered.requester);
        }
        this.forgetClosed();
      },
      // Any request may have begun in an earlier run, until the browser ends.
      () => this.lost.loseAll(),
    );
    memory.whenTurnedOn(() => this.storeAll());
  }

  /** Records that a request begins, or continues after a redirect or a refusal: browsers report all of these alike. */
  began(requestId: string, requester: Requester, asked: Asked): void {
    this.begun.add(requestId, requester, this.known.has(requestId) ? null : asked);
  }

  /** When the request began, on the device's clock; null if nobody saw it. To be asked before `answered`. */
  askedAt(requestId: string, requester: Requester): Asked | null {
    return this.lost.isAllUnread ? null : this.begunAt(requestId, requester);
  }

  /**
   * As `askedAt`, but after a failed read of what earlier runs saw, the first event of a request counts as its beginning: no request would
   * have one otherwise, until the browser ends.
   */
  begunAt(requestId: string, requester: Requester): Asked | null {
    // It may be a redirect of which an earlier run knew.
    return this.lost.hasEarlier(requester) ? null : this.begun.askedAt(requestId);
  }

  /** Takes at once that a request is under way: if nobody saw it begin, its next hop is not its beginning. */
  sees(requestId: string, requester: Requester): void {
    this.begun.add(requestId, requester, null);
  }

  /**
   * Takes an answer.
   * @param requestId the browser's, the same after redirects
   * @param url the one that answers
   * @param isReported whether the browser reports when such a request begins
   */
  answered(
    requestId: string,
    url: string,
    answer: Answer,
    requester: Requester,
    isReported = false,
  ): Beginning {
    const remembered = this.known.get(requestId);
    const isMissed = isReported && this.begun.askedAt(requestId) === null;
    const seen = this.lost.has(requester) ? UNKNOWN : isMissed ? MISSED : beginningAt(url);
    const beginning = remembered?.beginning ?? seen;
    if (answer === 'last') this.forget(requestId);
    else if (answer === 'refusal')
      this.refuse(requestId, remembered ?? { beginning, requester, closed: null });
    else if (beginning.kind === 'unknown') this.lost.renew(requester);
    else if (remembered === undefined && beginning.kind === 'known')
      this.redirected(requestId, { beginning, requester, closed: null, isRefused: false });
    return beginning;
  }

  private redirected(requestId: string, remembered: Remembered): void {
    this.remember(requestId, remembered);
    if (!this.known.has(requestId)) return;
    this.store(requestId);
    this.unfollowed.add(requestId);
    setTimeout(() => this.unfollowed.has(requestId) && this.forget(requestId), FOLLOWED_WITHIN);
  }

  private refuse(requestId: string, before: Omit<Remembered, 'isRefused'>): void {
    this.release(requestId);
    this.remember(requestId, { ...before, isRefused: true });
    this.store(requestId);
    const [oldest = ''] = this.refused;
    if (this.refused.size > MOST_REFUSED) this.giveUp(oldest);
  }

  /** The next try is no beginning all the same. */
  private giveUp(requestId: string): void {
    const remembered = this.known.get(requestId);
    this.release(requestId);
    if (remembered !== undefined) this.begun.beganEarlier(requestId, remembered.requester);
  }

  /** Records that a redirect is followed. */
  followed(requestId: string): void {
    this.unfollowed.delete(requestId);
  }

  /** Takes the end of a request, or that it failed. */
  forget(requestId: string): void {
    this.begun.forget(requestId);
    this.release(requestId);
  }

  private release(requestId: string): void {
    this.unfollowed.delete(requestId);
    this.refused.delete(requestId);
    const remembered = this.known.get(requestId);
    if (remembered === undefined) return;
    remembered.leave();
    this.known.delete(requestId);
    const maker = ownerOf(remembered);
    const others = this.byMaker.get(maker);
    others?.delete(requestId);
    if (others?.size === 0) this.byMaker.delete(maker);
    this.memory.remove([sessionKey(requestId, remembered.requester)]);
  }

  /** Records that a tab was closed. Its last requests outlive it, and browsers do not report the end of some. */
  tabClosed(tabId: number): void {
    const closed = steadyNow();
    for (const requestId of [...(this.byMaker.get(`tab ${tabId}`) ?? [])]) {
      const remembered = this.known.get(requestId);
      if (remembered === undefined) continue;
      this.forget(requestId);
      this.remember(requestId, { ...remembered, closed });
      this.store(requestId);
    }
    this.lost.tabClosed(tabId, closed);
    this.forgetClosed();
  }

  private forgetClosed(): void {
    for (const [requestId, remembered] of this.known) if (isOver(remembered)) this.forget(requestId);
    this.lost.forgetClosed();
  }

  private remember(requestId: string, remembered: Remembered): void {
    const maker = ownerOf(remembered);
    let leave = this.share.acquire(1, maker);
    if (leave === null) {
      this.loseOldest(maker);
      leave = this.share.acquire(1, maker);
    }
    if (leave === null) {
      this.memory.remove([sessionKey(requestId, remembered.requester)]);
      this.lost.add(remembered);
    } else {
      this.known.set(requestId, { ...remembered, leave });
      if (remembered.isRefused) this.refused.add(requestId);
      this.byMaker.set(maker, (this.byMaker.get(maker) ?? new Set()).add(requestId));
    }
  }

  private loseOldest(maker: string): void {
    const [oldest = ''] = this.byMaker.get(maker) ?? [];
    const remembered = this.known.get(oldest);
    if (remembered === undefined) return;
    this.forget(oldest);
    this.lost.add(remembered);
  }

  private storeAll(): void {
    for (const requestId of this.known.keys()) this.store(requestId);
    this.lost.store();
  }

  private store(requestId: string): void {
    const remembered = this.known.get(requestId);
    if (remembered === undefined) return;
    const { beginning, requester, closed, isRefused } = remembered;
    const value: Remembered = { beginning, requester, closed, isRefused };
    // Without it, the next run of the background would take its next URL for the first one.
    if (!this.memory.set({ ...sessionKey(requestId, requester), value })) this.lost.add(remembered);
  }
}

function beginningAt(url: string): KnownBeginning {
  const declarable = url.length <= LONGEST_URL ? withoutFragment(url) : '';
  return { kind: 'known', url: declarable, mark: markIn(url) };
}

/** Whose share a request takes: all tabs that were closed have one. */
const ownerOf = ({ requester, closed }: Lost): string => (closed === null ? makerOf(requester) : 'closed');

const sessionKey = (id: string, { tabId }: Requester): SessionKey => ({
  kind: 'beginning',
  of: 'requests',
  tabId,
  id,
});
