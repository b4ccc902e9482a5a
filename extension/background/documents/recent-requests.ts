import type { Origin } from '../../../src/model/units';
import { sizeOf } from '../../store/charges';
import type { NumberedEvent } from '../../request-events';
import type { SessionMemory } from './session-memory';

/** The most events that are kept, and in bytes their size. A request takes two or three. */
const MOST = 3000;
const ROOM = 1e6;
/** In bytes. A page chooses how long its URLs are, and one of them must not displace all other events. */
const LARGEST = ROOM / 20;

/** `page`: where the event counts; null if that is not known. */
export type RecentEvent = NumberedEvent & { readonly page: Origin | null };

interface Kept {
  readonly event: RecentEvent;
  readonly size: number;
}

const keyOf = ({ number, event }: RecentEvent) =>
  ({
    kind: 'request',
    of: 'recent',
    tabId: 'tabId' in event ? event.tabId : -1,
    id: String(number),
  }) as const;

const declarationKey = ({ tabId, url }: { readonly tabId: number; readonly url: string }): string =>
  `${tabId} ${url}`;

/** A declaration has no request id: it is found by tab and URL. */
function eventsOf(events: readonly RecentEvent[], requestIds: ReadonlySet<string>): readonly RecentEvent[] {
  const declared = new Set(
    events.flatMap(({ event }) =>
      'requestId' in event && 'tabId' in event && requestIds.has(event.requestId)
        ? [declarationKey(event)]
        : [],
    ),
  );
  return events.filter(({ event }) =>
    event.kind === 'declared' ? declared.has(declarationKey(event)) : requestIds.has(event.requestId),
  );
}

/**
 * The newest events of requests, in the browser's session storage, because the background sleeps. The oldest make way, at most to an eighth of
 * that storage.
 */
export class RecentRequests {
  private readonly kept = new Map<number, Kept>();
  private size = 0;
  /** Resolves when it is known what an earlier run of the background kept. Nothing may be asked before. */
  readonly loaded: Promise<void>;

  constructor(private readonly memory: SessionMemory) {
    this.loaded = memory.load().then(
      (entries) => {
        const earlier = entries.flatMap(({ kind, value }) =>
          kind === 'request' ? [value as RecentEvent] : [],
        );
        for (const event of earlier.sort((one, other) => one.number - other.number)) this.keep(event);
      },
      () => undefined,
    );
  }

  /** The oldest first. */
  get events(): readonly RecentEvent[] {
    return [...this.kept.values()].map(({ event }) => event);
  }

  /** Keeps the event, unless it is too large. */
  add(event: RecentEvent): void {
    if (sizeOf(event) > LARGEST) return;
    this.keep(event);
    this.memory.set({ ...keyOf(event), value: event });
  }

  /** @param requestIds of the requests to forget, with what declared them eligible; null: all */
  forget(requestIds: ReadonlySet<string> | null): void {
    const forgotten = requestIds === null ? this.events : eventsOf(this.events, requestIds);
    for (const { number } of forgotten) this.drop(number);
    if (forgotten.length > 0) this.memory.remove(forgotten.map(keyOf));
  }

  private drop(number: number): void {
    this.size -= this.kept.get(number)?.size ?? 0;
    this.kept.delete(number);
  }

  private keep(event: RecentEvent): void {
    const size = sizeOf(event);
    // A clock that was set back can give a number twice.
    this.drop(event.number);
    this.kept.set(event.number, { event, size });
    this.size += size;
    for (const [number, oldest] of this.kept) {
      if (this.kept.size <= MOST && this.size <= ROOM) break;
      this.drop(number);
      this.memory.remove([keyOf(oldest.event)]);
    }
  }
}
