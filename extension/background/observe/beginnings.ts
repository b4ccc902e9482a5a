import { LONGEST_URL } from '../../content-messages';
import { markIn, type Mark } from '../../eligibility-mark';
import { withoutFragment } from '../../urls';
import type { Asked } from '../state/asked';
import { FairShare } from '../state/fair-share';
import type { SessionKey, SessionMemory } from '../documents/session-memory';
import { steadyNow } from '../state/steady-time';
import { isOver, LostRequests, makerOf, type Lost, type Requester } from './lost-requests';

/** The most redirected requests that are remembered. */
const MOST = 5000;
/** The most requests without an answer, in all and of one tab or worker. The oldest is forgotten: ten tabs at once must reach it to cost others any. */
const MOST_BEGUN = 10_000;
const MOST_BEGUN_OF_ONE = 1000;

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

interface Begun {
  readonly maker: string;
  /** When, on the device's clock; null if this run of the background did not see it begin. */
  readonly asked: Asked | null;
}

interface Remembered extends Lost {
  readonly beginning: KnownBeginning;
}

const UNKNOWN: Beginning = { kind: 'unknown' };
const MISSED: Beginning = { kind: 'missed' };

/**
 * The beginning of each redirected request, until its last answer. A requester with many makes those of others no less known. The browser's
 * session storage has each before anything is waited for, because a background can be killed at any time.
 */
export class Beginnings {
  private readonly known = new Map<string, Remembered & { readonly leave: () => void }>();
  /** The same by who makes them, the oldest first. */
  private readonly byMaker = new Map<string, Set<string>>();
  private readonly lost: LostRequests;
  private readonly share = new FairShare(MOST);
  /** Those that the browser reports and that have no answer yet. */
  private readonly begun = new Map<string, Begun>();
  /** The same by who makes them. */
  private readonly begunBy = new Map<string, Set<string>>();
  /** Requests with a redirect that may not be followed. */
  private readonly unfollowed = new Set<string>();
  /** Resolves when it is known what an earlier run of the background saw. Nothing may be asked before. */
  readonly loaded: Promise<void>;

  constructor(private readonly memory: SessionMemory) {
    this.lost = new LostRequests(memory);
    this.loaded = memory.load().then(
      (entries) => {
        for (const { kind, id, value } of entries) {
          if (kind === 'lost-beginnings') this.lost.keep(id, value as Lost);
          if (kind === 'beginning') this.remember(id, value as Remembered);
        }
        this.forgetClosed();
      },
      // Any request may have begun in an earlier run, until the browser ends.
      () => this.lost.loseAll(),
    );
    memory.whenTurnedOn(() => this.storeAll());
  }

  /** Takes that a request begins, or goes on after a redirect: browsers tell of both alike. */
  began(requestId: string, requester: Requester, asked: Asked): void {
    this.note(requestId, requester, asked);
  }

  /** When the request began, on the device's clock; null if that was not seen, or it has its last answer. */
  askedAt(requestId: string): Asked | null {
    return this.begun.get(requestId)?.asked ?? null;
  }

  /** Takes at once that a request is under way: if nobody saw it begin, its next hop is not its beginning. */
  sees(requestId: string, requester: Requester): void {
    this.note(requestId, requester, null);
  }

  private note(requestId: string, requester: Requester, asked: Asked | null): void {
    if (this.begun.has(requestId)) return;
    const maker = makerOf(requester);
    this.begun.set(requestId, { maker, asked });
    const own = (this.begunBy.get(maker) ?? new Set()).add(requestId);
    this.begunBy.set(maker, own);
    if (own.size > MOST_BEGUN_OF_ONE) this.forgetFirst(own);
    else if (this.begun.size > MOST_BEGUN) this.forgetFirst(this.begun.keys());
  }

  private forgetFirst(requestIds: Iterable<string>): void {
    const [oldest = ''] = requestIds;
    this.forgetBegun(oldest);
  }

  private forgetBegun(requestId: string): void {
    const { maker = '' } = this.begun.get(requestId) ?? {};
    this.begun.delete(requestId);
    const own = this.begunBy.get(maker);
    own?.delete(requestId);
    if (own?.size === 0) this.begunBy.delete(maker);
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
    isRedirect: boolean,
    requester: Requester,
    isReported = false,
  ): Beginning {
    const remembered = this.known.get(requestId);
    const isMissed = isReported && this.askedAt(requestId) === null;
    const seen = this.lost.has(requester) ? UNKNOWN : isMissed ? MISSED : beginningAt(url);
    const beginning = remembered?.beginning ?? seen;
    if (!isRedirect) this.forget(requestId);
    else if (beginning.kind === 'unknown') this.lost.renew(requester);
    else if (remembered === undefined && beginning.kind === 'known')
      this.redirected(requestId, { beginning, requester, closed: null });
    return beginning;
  }

  private redirected(requestId: string, remembered: Remembered): void {
    this.remember(requestId, remembered);
    if (!this.known.has(requestId)) return;
    this.store(requestId);
    this.unfollowed.add(requestId);
    setTimeout(() => this.unfollowed.has(requestId) && this.forget(requestId), FOLLOWED_WITHIN);
  }

  /** Takes that a redirect is followed. */
  followed(requestId: string): void {
    this.unfollowed.delete(requestId);
  }

  /** Takes the end of a request, or that it failed. */
  forget(requestId: string): void {
    this.unfollowed.delete(requestId);
    this.forgetBegun(requestId);
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

  /** Takes that a tab was closed. Its last requests outlive it; browsers do not tell of the end of some. */
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
    const { beginning, requester, closed } = remembered;
    const value: Remembered = { beginning, requester, closed };
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
