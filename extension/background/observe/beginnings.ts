import { LONGEST_URL } from '../../messages';
import { markIn, type Mark } from '../../eligibility-mark';
import { withoutFragment } from '../../urls';
import { FairShare } from '../state/fair-share';
import type { SessionKey, SessionMemory } from '../documents/session-memory';
import { steadyNow } from '../state/steady-time';

/** The most requests that are remembered. */
const MOST = 5000;
/** The most documents and workers of which requests were forgotten that are remembered. Session storage takes less than a kilobyte for each. */
const MOST_LOST = 1000;
/** In ms: how long the redirected requests of a closed tab are remembered, as its documents are. */
const AFTER_TAB = 5 * 60_000;

/** In ms: how long after a redirect the browser tells that it follows it. Those that `fetch` is not to follow have no end in Firefox. */
const FOLLOWED_WITHIN = 10_000;

/** How a request began. Nothing registers from an unknown beginning, unless a redirect has a valid mark of the page (marks.ts). */
export type Beginning = KnownBeginning | { readonly kind: 'unknown' };

interface KnownBeginning {
  readonly kind: 'known';
  /** Without its fragment; empty if it is too long to be declared. */
  readonly url: string;
  readonly mark: Mark | null;
}

/** Who makes a request, according to the browser. */
export interface Requester {
  readonly tabId: number;
  /** The document, if the browser names it. */
  readonly documentId: string | undefined;
  /** The origin of a worker, which is in no tab. */
  readonly origin: string | null;
}

interface Lost {
  readonly requester: Requester;
  /** By `steadyNow`: when its tab was closed, or what is in no tab last had a redirect from nobody knows where. Null: there is no end yet. */
  readonly closed: number | null;
}

interface Remembered extends Lost {
  readonly beginning: KnownBeginning;
}

const UNKNOWN: Beginning = { kind: 'unknown' };

const NOBODY: Requester = { tabId: -1, documentId: undefined, origin: null };

/** What is lost of all that is in no tab, and of all. */
const ALL_OUTSIDE_TABS = 'all outside tabs';
const ALL = 'all';

/**
 * The beginning of each redirected request, until its last answer. A requester with many makes those of others no less known. The browser's
 * session storage has each before anything is waited for, because a background can be killed at any time.
 */
export class Beginnings {
  private readonly known = new Map<string, Remembered & { readonly leave: () => void }>();
  /** The same by who makes them, the oldest first. */
  private readonly byMaker = new Map<string, Set<string>>();
  /** Documents, or else tabs and workers, or all, of whose requests some were forgotten. What comes of them may be a redirect. */
  private readonly lost = new Map<string, Lost>();
  private readonly share = new FairShare(MOST);
  /** Requests with a redirect that may not be followed. */
  private readonly unfollowed = new Set<string>();
  /** Resolves when it is known what an earlier run of the background saw. Nothing may be asked before. */
  readonly loaded: Promise<void>;

  constructor(private readonly memory: SessionMemory) {
    this.loaded = memory.load().then(
      (entries) => {
        for (const { kind, id, value } of entries) {
          if (kind === 'lost-beginnings') this.keepLost(id, value as Lost);
          if (kind === 'beginning') this.remember(id, value as Remembered);
        }
        this.forgetClosed();
      },
      // Any request may have begun in an earlier run, until the browser ends.
      () => this.keepLost(ALL, { requester: NOBODY, closed: null }),
    );
    memory.whenTurnedOn(() => this.storeAll());
  }

  /**
   * Takes an answer.
   * @param requestId the browser's, the same after redirects
   * @param url the one that answers
   */
  answered(requestId: string, url: string, isRedirect: boolean, requester: Requester): Beginning {
    const remembered = this.known.get(requestId);
    const beginning = remembered?.beginning ?? (this.isLost(requester) ? UNKNOWN : beginningAt(url));
    if (!isRedirect) this.forget(requestId);
    else if (beginning.kind === 'unknown') this.renewLost(requester);
    else if (remembered === undefined) this.redirected(requestId, { beginning, requester, closed: null });
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
    for (const [id, { requester }] of this.lost)
      if (requester.tabId === tabId) this.keepLost(id, { requester, closed });
    this.forgetClosed();
  }

  private forgetClosed(): void {
    for (const [requestId, remembered] of this.known) if (isOver(remembered)) this.forget(requestId);
    for (const [id, lost] of this.lost) if (isOver(lost)) this.forgetLost(id);
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
      this.lose(remembered);
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
    this.lose(remembered);
  }

  private lose({ requester, closed }: Lost): void {
    if (this.isLost(requester)) return;
    this.keepLost(requester.documentId ?? makerOf(requester), lostNow({ requester, closed }));
    if (this.lost.size > MOST_LOST) this.mergeLost();
  }

  /** What is in no tab is lost until no redirect has been unknown for a while: each may lead to another. */
  private renewLost(requester: Requester): void {
    if (requester.tabId >= 0) return;
    for (const id of lostIdsOf(requester)) {
      const lost = this.lost.get(id);
      if (lost !== undefined && lost.closed !== null) this.keepLost(id, { ...lost, closed: steadyNow() });
    }
  }

  /** Counts the whole tab or worker as lost that was first, instead of its documents; or else all that is in no tab. Tabs are few. */
  private mergeLost(): void {
    this.forgetClosed();
    const all = [...this.lost.values()];
    const oldest = all.find(({ requester }) => requester.documentId !== undefined);
    if (oldest === undefined)
      this.replaceLost(
        ALL_OUTSIDE_TABS,
        lostNow({ requester: NOBODY, closed: null }),
        ({ tabId }) => tabId < 0,
      );
    else {
      const maker = makerOf(oldest.requester);
      const lost = lostNow({ ...oldest, requester: { ...oldest.requester, documentId: undefined } });
      this.replaceLost(maker, lost, (requester) => makerOf(requester) === maker);
    }
  }

  private replaceLost(by: string, lost: Lost, replaces: (requester: Requester) => boolean): void {
    for (const [id, { requester }] of this.lost) if (id !== ALL && replaces(requester)) this.forgetLost(id);
    this.keepLost(by, lost);
  }

  private keepLost(id: string, lost: Lost): void {
    this.lost.set(id, lost);
    this.memory.set({ ...lostKey(id, lost.requester), value: lost });
  }

  private forgetLost(id: string): void {
    const lost = this.lost.get(id);
    if (lost !== undefined && this.lost.delete(id)) this.memory.remove([lostKey(id, lost.requester)]);
  }

  private isLost(requester: Requester): boolean {
    if (this.lost.size === 0) return false;
    return lostIdsOf(requester).some((id) => {
      const lost = this.lost.get(id);
      return lost !== undefined && !isOver(lost);
    });
  }

  private storeAll(): void {
    for (const requestId of this.known.keys()) this.store(requestId);
    for (const [id, lost] of this.lost) this.keepLost(id, lost);
  }

  private store(requestId: string): void {
    const remembered = this.known.get(requestId);
    if (remembered === undefined) return;
    const { beginning, requester, closed } = remembered;
    const value: Remembered = { beginning, requester, closed };
    // Without it, the next run of the background would take its next URL for the first one.
    if (!this.memory.set({ ...sessionKey(requestId, requester), value })) this.lose(remembered);
  }
}

function beginningAt(url: string): KnownBeginning {
  const declarable = url.length <= LONGEST_URL ? withoutFragment(url) : '';
  return { kind: 'known', url: declarable, mark: markIn(url) };
}

/** Whose share a request takes: all tabs that were closed have one. */
const ownerOf = ({ requester, closed }: Lost): string => (closed === null ? makerOf(requester) : 'closed');

/** `worker null` makes what has no origin that is known. */
const makerOf = ({ tabId, origin }: Requester): string => (tabId < 0 ? `worker ${origin}` : `tab ${tabId}`);

const isOver = ({ closed }: Lost): boolean => closed !== null && closed <= steadyNow() - AFTER_TAB;

/** Nobody tells the end of what is in no tab. */
const lostNow = ({ requester, closed }: Lost): Lost => ({
  requester,
  closed: requester.tabId < 0 ? steadyNow() : closed,
});

/** What may be lost that says that this is. */
const lostIdsOf = (requester: Requester): readonly string[] => [
  ...(requester.documentId === undefined ? [] : [requester.documentId]),
  makerOf(requester),
  ...(requester.tabId < 0 ? [ALL_OUTSIDE_TABS] : []),
  ALL,
];

const sessionKey = (id: string, { tabId }: Requester): SessionKey => ({
  kind: 'beginning',
  of: 'requests',
  tabId,
  id,
});

const lostKey = (id: string, { tabId }: Requester): SessionKey => ({
  kind: 'lost-beginnings',
  of: 'requests',
  tabId,
  id,
});
