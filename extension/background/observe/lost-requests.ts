import type { SessionKey, SessionMemory } from '../documents/session-memory';
import { steadyNow } from '../state/steady-time';

/** The most documents and workers of which requests were forgotten that are remembered. Session storage takes less than a kilobyte for each. */
const MOST_LOST = 1000;
/** In ms: how long the redirected requests of a closed tab are remembered, as its documents are. */
const AFTER_TAB = 5 * 60_000;

/** What is lost of all that is in no tab, and of all. */
const ALL_OUTSIDE_TABS = 'all outside tabs';
const ALL = 'all';

const NOBODY: Requester = { tabId: -1, documentId: undefined, origin: null };

/** Who makes a request, according to the browser. */
export interface Requester {
  readonly tabId: number;
  /** The document, if the browser names it. */
  readonly documentId: string | undefined;
  /** The origin of a worker, which is in no tab. */
  readonly origin: string | null;
}

export interface Lost {
  readonly requester: Requester;
  /** By `steadyNow`: when its tab was closed, or what is in no tab last had a redirect from nobody knows where. Null: there is no end yet. */
  readonly closed: number | null;
}

/** Documents, or else tabs and workers, or all, of whose requests some were forgotten. What comes of them may be a redirect. */
export class LostRequests {
  private readonly lost = new Map<string, Lost>();
  /** Those of which an earlier run of the background forgot requests. This run knows of which ones it saw a redirect. */
  private readonly earlier = new Set<string>();

  constructor(private readonly memory: SessionMemory) {}

  /** Nothing is known of what an earlier run of the background saw. */
  loseAll(): void {
    this.keep(ALL, { requester: NOBODY, closed: null });
  }

  /** Whether it could not be read what earlier runs saw. */
  get isAllUnread(): boolean {
    return this.lost.has(ALL);
  }

  tabClosed(tabId: number, closed: number): void {
    for (const [id, { requester }] of this.lost)
      if (requester.tabId === tabId) this.keep(id, { requester, closed });
  }

  forgetClosed(): void {
    for (const [id, lost] of this.lost) if (isOver(lost)) this.forget(id);
  }

  /** Stores all again. */
  store(): void {
    for (const [id, lost] of this.lost) this.keep(id, lost);
  }

  add({ requester, closed }: Lost): void {
    if (this.has(requester)) return;
    this.keep(requester.documentId ?? makerOf(requester), lostNow({ requester, closed }));
    if (this.lost.size > MOST_LOST) this.merge();
  }

  /** What is in no tab is lost until no redirect has been unknown for a while: each may lead to another. */
  renew(requester: Requester): void {
    if (requester.tabId >= 0) return;
    for (const id of lostIdsOf(requester)) {
      const lost = this.lost.get(id);
      if (lost !== undefined && lost.closed !== null) this.keep(id, { ...lost, closed: steadyNow() });
    }
  }

  /** Counts the whole tab or worker as lost that was first, instead of its documents; or else all that is in no tab. Tabs are few. */
  private merge(): void {
    this.forgetClosed();
    const all = [...this.lost.values()];
    const oldest = all.find(({ requester }) => requester.documentId !== undefined);
    if (oldest === undefined)
      this.replace(ALL_OUTSIDE_TABS, lostNow({ requester: NOBODY, closed: null }), ({ tabId }) => tabId < 0);
    else {
      const maker = makerOf(oldest.requester);
      const lost = lostNow({ ...oldest, requester: { ...oldest.requester, documentId: undefined } });
      this.replace(maker, lost, (requester) => makerOf(requester) === maker);
    }
  }

  private replace(by: string, lost: Lost, replaces: (requester: Requester) => boolean): void {
    for (const [id, { requester }] of this.lost)
      if (id !== ALL && replaces(requester)) {
        if (this.earlier.has(id)) this.earlier.add(by);
        if (id !== by) this.forget(id);
      }
    this.keep(by, lost);
  }

  /** Takes what an earlier run of the background left. */
  keepEarlier(id: string, lost: Lost): void {
    if (id !== ALL) this.earlier.add(id);
    this.keep(id, lost);
  }

  private keep(id: string, lost: Lost): void {
    this.lost.set(id, lost);
    this.memory.set({ ...lostKey(id, lost.requester), value: lost });
  }

  private forget(id: string): void {
    const lost = this.lost.get(id);
    this.earlier.delete(id);
    if (lost !== undefined && this.lost.delete(id)) this.memory.remove([lostKey(id, lost.requester)]);
  }

  has(requester: Requester): boolean {
    return this.lost.size > 0 && lostIdsOf(requester).some((id) => this.isLost(id));
  }

  /** Whether a request of which this run sees the next hop first may have begun in an earlier run, other than after a failed read. */
  hasEarlier(requester: Requester): boolean {
    return (
      this.earlier.size > 0 && lostIdsOf(requester).some((id) => this.earlier.has(id) && this.isLost(id))
    );
  }

  private isLost(id: string): boolean {
    const lost = this.lost.get(id);
    return lost !== undefined && !isOver(lost);
  }
}

/** `worker null` makes what has no origin that is known. */
export const makerOf = ({ tabId, origin }: Requester): string =>
  tabId < 0 ? `worker ${origin}` : `tab ${tabId}`;

export const isOver = ({ closed }: Lost): boolean => closed !== null && closed <= steadyNow() - AFTER_TAB;

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

const lostKey = (id: string, { tabId }: Requester): SessionKey => ({
  kind: 'lost-beginnings',
  of: 'requests',
  tabId,
  id,
});
