import { LONGEST_URL } from '../messages';
import { markIn, type Mark } from '../eligibility-mark';
import { withoutFragment } from '../urls';
import { FairShare } from './fair-share';
import type { SessionKey, SessionMemory } from './session-memory';

/** The most requests that are remembered. */
const MOST = 5000;
/** The most documents of which requests were forgotten that are remembered. Session storage takes less than a kilobyte for each. */
const MOST_LOST = 1000;
/** In ms: what goes on for longer is remembered while the background sleeps. Most redirects are over sooner. */
const SOON = 100;

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

interface Remembered {
  readonly beginning: KnownBeginning;
  readonly requester: Requester;
}

const UNKNOWN: Beginning = { kind: 'unknown' };

/**
 * The beginning of each redirected request, until its last answer. A requester with many makes those of others no less known. The browser's
 * session storage keeps them while the background sleeps.
 */
export class Beginnings {
  private readonly known = new Map<string, Remembered & { readonly leave: () => void }>();
  /** The same by who makes them, the oldest first. */
  private readonly byMaker = new Map<string, Set<string>>();
  /** Documents, or else tabs and workers, of whose requests some were forgotten. What comes of them may be a redirect. */
  private readonly lost = new Map<string, Requester>();
  private readonly share = new FairShare(MOST);
  /** Requests that session storage has. */
  private readonly stored = new Set<string>();
  private readonly unstored = new Set<string>();
  /** Resolves when it is known what an earlier run of the background saw. Nothing may be asked before. */
  readonly loaded: Promise<void>;

  constructor(private readonly memory: SessionMemory) {
    this.loaded = memory.load().then((entries) => {
      for (const { kind, id, value } of entries) {
        if (kind === 'lost-beginnings') this.lose(value as Requester);
        if (kind !== 'beginning') continue;
        this.stored.add(id);
        this.remember(id, value as Remembered);
      }
    });
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
    else if (remembered === undefined && beginning.kind === 'known') {
      this.remember(requestId, { beginning, requester });
      this.storeSoon(requestId);
    }
    return beginning;
  }

  /** Takes the end of a request, or that it failed. */
  forget(requestId: string): void {
    const remembered = this.known.get(requestId);
    if (remembered === undefined) return;
    remembered.leave();
    this.known.delete(requestId);
    const maker = makerOf(remembered.requester);
    const others = this.byMaker.get(maker);
    others?.delete(requestId);
    if (others?.size === 0) this.byMaker.delete(maker);
    this.removeStored(requestId, remembered.requester);
  }

  /** Forgets the requests of a tab that is closed, and of its documents. */
  forgetTab(tabId: number): void {
    for (const requestId of this.byMaker.get(`tab ${tabId}`) ?? []) this.forget(requestId);
    for (const [id, requester] of this.lost) if (requester.tabId === tabId) this.forgetLost(id);
  }

  private remember(requestId: string, remembered: Remembered): void {
    const maker = makerOf(remembered.requester);
    let leave = this.share.take(1, maker);
    if (leave === null) {
      this.loseOldest(maker);
      leave = this.share.take(1, maker);
    }
    if (leave === null) {
      this.removeStored(requestId, remembered.requester);
      this.lose(remembered.requester);
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
    this.lose(remembered.requester);
  }

  private lose(requester: Requester): void {
    const id = requester.documentId ?? makerOf(requester);
    if (this.lost.has(id)) return;
    this.lost.set(id, requester);
    this.storeLost(id, requester);
    const [oldest = id] = this.lost.keys();
    if (this.lost.size > MOST_LOST) this.forgetLost(oldest);
  }

  private forgetLost(id: string): void {
    const requester = this.lost.get(id);
    if (requester !== undefined && this.lost.delete(id)) this.memory.remove([lostKey(id, requester)]);
  }

  private isLost(requester: Requester): boolean {
    return this.lost.size > 0 && this.lost.has(requester.documentId ?? makerOf(requester));
  }

  private storeSoon(requestId: string): void {
    if (this.unstored.size === 0) setTimeout(() => this.store(), SOON);
    this.unstored.add(requestId);
  }

  private storeLost(id: string, requester: Requester): void {
    this.memory.set({ ...lostKey(id, requester), value: requester });
  }

  private storeAll(): void {
    for (const requestId of this.known.keys()) this.unstored.add(requestId);
    this.store();
    for (const [id, requester] of this.lost) this.storeLost(id, requester);
  }

  private removeStored(requestId: string, requester: Requester): void {
    if (this.stored.delete(requestId)) this.memory.remove([sessionKey(requestId, requester)]);
  }

  private store(): void {
    for (const requestId of this.unstored) {
      const remembered = this.known.get(requestId);
      if (remembered === undefined) continue;
      const { beginning, requester } = remembered;
      if (this.memory.set({ ...sessionKey(requestId, requester), value: { beginning, requester } }))
        this.stored.add(requestId);
      // The next run of the background would take its next URL for the first one.
      else this.lose(requester);
    }
    this.unstored.clear();
  }
}

function beginningAt(url: string): KnownBeginning {
  const declarable = url.length <= LONGEST_URL ? withoutFragment(url) : '';
  return { kind: 'known', url: declarable, mark: markIn(url) };
}

const makerOf = ({ tabId, origin }: Requester): string => (tabId < 0 ? (origin ?? '') : `tab ${tabId}`);

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
