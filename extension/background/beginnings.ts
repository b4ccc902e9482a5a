import { LONGEST_URL } from '../messages';
import { FairShare } from './fair-share';

/** The most requests that are remembered. */
const MOST = 5000;

interface Beginning {
  readonly url: string;
  readonly maker: string;
  /** Gives back its room. */
  readonly leave: () => void;
}

/** The first URL of each redirected request, until its last answer. A maker with many makes those of others no less known. */
export class Beginnings {
  private readonly known = new Map<string, Beginning>();
  private readonly share = new FairShare(MOST);

  /**
   * Takes an answer.
   * @param requestId the browser's, the same after redirects
   * @param maker the tab that asks, or the origin of a worker
   * @returns the first URL of the request, unless that was too long to be declared
   */
  answered(requestId: string, url: string, isRedirect: boolean, maker: string): string {
    const first = this.known.get(requestId) ?? { url, maker };
    this.forget(requestId);
    if (isRedirect && first.url.length <= LONGEST_URL) this.remember(requestId, first);
    return first.url;
  }

  /** Takes the end of a request, or that it failed. */
  forget(requestId: string): void {
    this.known.get(requestId)?.leave();
    this.known.delete(requestId);
  }

  private remember(requestId: string, { url, maker }: Omit<Beginning, 'leave'>): void {
    let leave = this.share.take(1, maker);
    if (leave === null) {
      this.forgetOldest(maker);
      leave = this.share.take(1, maker);
    }
    if (leave !== null) this.known.set(requestId, { url, maker, leave });
  }

  private forgetOldest(maker: string): void {
    for (const [requestId, one] of this.known)
      if (one.maker === maker) {
        this.forget(requestId);
        return;
      }
  }
}
