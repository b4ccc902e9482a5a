import { LONGEST_URL } from '../messages';

/** The most requests of one maker that are remembered. */
const MOST = 500;

/** The first URL of each redirected request, until its last answer. A maker with many makes those of others no less known. */
export class Beginnings {
  private readonly known = new Map<string, { readonly url: string; readonly maker: string }>();

  /**
   * Takes an answer.
   * @param requestId the browser's, the same after redirects
   * @param maker the tab that asks, or the origin of a worker
   * @returns the first URL of the request, unless that was too long to be declared
   */
  answered(requestId: string, url: string, isRedirect: boolean, maker: string): string {
    const first = this.known.get(requestId) ?? { url, maker };
    this.known.delete(requestId);
    if (isRedirect && first.url.length <= LONGEST_URL) {
      this.known.set(requestId, first);
      this.forgetOldest(maker);
    }
    return first.url;
  }

  private forgetOldest(maker: string): void {
    const ids = [...this.known].flatMap(([id, one]) => (one.maker === maker ? id : []));
    const [oldest] = ids;
    if (ids.length > MOST && oldest !== undefined) this.known.delete(oldest);
  }
}
