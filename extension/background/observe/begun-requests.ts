import type { Asked } from '../state/asked';
import { makerOf, type Requester } from './lost-requests';

/** The most requests without an answer, in all and of one tab or worker. The oldest is forgotten: ten tabs at once must reach it to cost others any. */
const MOST = 10_000;
const MOST_OF_ONE = 1000;

interface Begun {
  readonly maker: string;
  /** When, on the device's clock; null if this run of the background did not see it begin. */
  readonly asked: Asked | null;
}

/** The requests whose beginning the browser reports and that have no answer yet. One that is forgotten counts as one that nobody saw begin. */
export class BegunRequests {
  private readonly begun = new Map<string, Begun>();
  /** The same by who makes them. */
  private readonly byMaker = new Map<string, Set<string>>();

  /** When the request began; null if that was not seen, or it has its last answer. */
  askedAt(requestId: string): Asked | null {
    return this.begun.get(requestId)?.asked ?? null;
  }

  /** Records that a request is under way. Only the first time says when it began. @param asked null: nobody saw it */
  add(requestId: string, requester: Requester, asked: Asked | null): void {
    if (this.begun.has(requestId)) return;
    const maker = makerOf(requester);
    this.begun.set(requestId, { maker, asked });
    const own = (this.byMaker.get(maker) ?? new Set()).add(requestId);
    this.byMaker.set(maker, own);
    if (own.size > MOST_OF_ONE) this.forgetFirst(own);
    else if (this.begun.size > MOST) this.forgetFirst(this.begun.keys());
  }

  /** Records that an earlier run of the background saw an answer. What this run took for the beginning of the request was the next hop, or the next try. */
  beganEarlier(requestId: string, requester: Requester): void {
    this.forget(requestId);
    this.add(requestId, requester, null);
  }

  /** Takes the end of a request. */
  forget(requestId: string): void {
    const { maker = '' } = this.begun.get(requestId) ?? {};
    this.begun.delete(requestId);
    const own = this.byMaker.get(maker);
    own?.delete(requestId);
    if (own?.size === 0) this.byMaker.delete(maker);
  }

  private forgetFirst(requestIds: Iterable<string>): void {
    const [oldest = ''] = requestIds;
    this.forget(oldest);
  }
}
