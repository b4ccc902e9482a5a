import type { Origin } from '../../../src/model/units';
import { shortened } from '../../urls';
import type { Policy } from './permissions-policy';
import type { SessionEntry, SessionKey, SessionMemory } from './session-memory';
import { steadyNow } from '../state/steady-time';

/** The most headers of pages, and of frames, that wait for their document in one tab. */
const MOST = 500;
/** In ms: how long a header waits for its document. A busy page keeps its frames' documents waiting. */
const LIFETIME = 60_000;
/** The most responses of one origin's workers, and the most origins. A document comes right after its response. */
const MOST_OF_WORKERS = 50;
const MOST_ORIGINS = 200;

interface Waiting {
  readonly policy: Policy;
  /** By `steadyNow`. */
  readonly since: number;
}

/** What a response that may become a document says in its `Permissions-Policy` header, from the response until the document is there. */
export class DocumentHeaders {
  /** By tab and level, by frame and URL. */
  private readonly waiting = new Map<string, Map<string, Waiting>>();
  /** By origin and URL: what service workers were answered. They may pass it on as a document, of whose response no browser tells. */
  private readonly ofWorkers = new Map<Origin, Map<string, Policy>>();

  constructor(private readonly memory: SessionMemory) {}

  put(tabId: number, frameId: number, url: string, policy: Policy): void {
    if (this.memory.isOff) return;
    const key = keyOf(tabId, frameId, url);
    const entry = { policy, since: steadyNow() };
    this.set(key, entry);
    this.memory.set({ ...key, value: entry });
  }

  putOfWorker(origin: Origin, url: string, policy: Policy): void {
    if (this.memory.isOff) return;
    const known = this.ofWorkers.get(origin) ?? new Map<string, Policy>();
    known.delete(shortened(url));
    known.set(shortened(url), policy);
    this.ofWorkers.set(origin, known);
    forgetOldest(known, MOST_OF_WORKERS);
    forgetOldest(this.ofWorkers, MOST_ORIGINS);
  }

  /** Takes the header of the response that became a document. What else waits for its frame was not to become one. */
  claim(tabId: number, frameId: number, url: string, origin: Origin | null): Policy | 'unseen' {
    const key = keyOf(tabId, frameId, url);
    const all = this.waiting.get(groupOf(key));
    const found = all?.get(key.id);
    for (const id of all?.keys() ?? []) if (id.startsWith(`${frameId} `)) this.delete({ ...key, id });
    if (found !== undefined && found.since > steadyNow() - LIFETIME) return found.policy;
    return (origin === null ? undefined : this.ofWorkers.get(origin)?.get(url)) ?? 'unseen';
  }

  forgetTab(tabId: number): void {
    for (const of of ['page', 'frames'] as const)
      for (const id of this.waiting.get(groupOf({ tabId, of }))?.keys() ?? [])
        this.delete({ kind: 'header', of, tabId, id });
  }

  clear(): void {
    this.waiting.clear();
    this.ofWorkers.clear();
  }

  /** @param stored all that the browser's session storage holds */
  load(stored: readonly SessionEntry[]): void {
    for (const { value, ...key } of stored) if (key.kind === 'header') this.set(key, value as Waiting);
  }

  private set(key: SessionKey, entry: Waiting): void {
    const group = this.waiting.get(groupOf(key)) ?? new Map<string, Waiting>();
    this.waiting.set(groupOf(key), group);
    group.delete(key.id);
    group.set(key.id, entry);
    const [oldest] = group.keys();
    if (group.size > MOST && oldest !== undefined) this.delete({ ...key, id: oldest });
  }

  private delete(key: SessionKey): void {
    const group = this.waiting.get(groupOf(key));
    group?.delete(key.id);
    if (group?.size === 0) this.waiting.delete(groupOf(key));
    this.memory.remove([key]);
  }
}

function forgetOldest(map: Map<string, unknown>, most: number): void {
  const [oldest] = map.keys();
  if (map.size > most && oldest !== undefined) map.delete(oldest);
}

const groupOf = ({ tabId, of }: Pick<SessionKey, 'tabId' | 'of'>): string => `${tabId} ${of}`;

const keyOf = (tabId: number, frameId: number, url: string): SessionKey => ({
  kind: 'header',
  of: frameId === 0 ? 'page' : 'frames',
  tabId,
  id: `${frameId} ${shortened(url)}`,
});
