import { shortened } from '../../urls';

/** The last answer to a navigation, as the browser reports it. */
export interface PageAnswer {
  readonly tabId: number;
  readonly requestId: string;
  readonly url: string;
  /** In ms, by the device's clock. */
  readonly timeStamp: number;
}

interface Shown extends Omit<PageAnswer, 'requestId'> {
  /** Null until its answer is known, and for a page that the browser kept. */
  requestId: string | null;
}

/** How many pages that a tab has left may still fail: a script can leave each before the browser says so of the one before. */
const MOST_LEFT = 8;

/**
 * Which request led to the page that each tab shows. Browsers name the request with the answer only, and the page only once it is there; Firefox
 * may report the page first. So an answer belongs to the page with its URL that came after it.
 */
export class TabPages {
  private readonly shown = new Map<number, Shown>();
  /** The requests of the last pages that each tab showed before. */
  private readonly left = new Map<number, readonly string[]>();
  private readonly answers = new Map<number, PageAnswer>();

  /** @returns the request of the page that the tab shows, if this answer tells it */
  answered({ tabId, requestId, url, timeStamp }: PageAnswer): string | null {
    this.answers.set(tabId, { tabId, requestId, url: shortened(url), timeStamp });
    return this.join(tabId);
  }

  /** @returns the request of the new page, if its answer was reported before */
  committed({ tabId, url, timeStamp }: Omit<PageAnswer, 'requestId'>): string | null {
    const before = this.shown.get(tabId)?.requestId ?? null;
    if (before !== null) this.left.set(tabId, [...(this.left.get(tabId) ?? []), before].slice(-MOST_LEFT));
    this.shown.set(tabId, { tabId, url: shortened(url), timeStamp, requestId: null });
    return this.join(tabId);
  }

  /** A navigation ended without a page, as a download does. @returns its request, if it was answered */
  ended(tabId: number, url: string): string | null {
    const answer = this.answers.get(tabId);
    if (answer?.url !== shortened(url)) return null;
    this.answers.delete(tabId);
    return answer.requestId;
  }

  /** A request failed: its answer leads to no page. */
  forget(tabId: number, requestId: string): void {
    if (this.answers.get(tabId)?.requestId === requestId) this.answers.delete(tabId);
  }

  closed(tabId: number): void {
    this.shown.delete(tabId);
    this.left.delete(tabId);
    this.answers.delete(tabId);
  }

  /** Whether the tab shows the page to which this request led. */
  shows(tabId: number, requestId: string): boolean {
    return this.shown.get(tabId)?.requestId === requestId;
  }

  /** Whether this request led to one of the last pages that the tab showed before. */
  hasLeft(tabId: number, requestId: string): boolean {
    return this.left.get(tabId)?.includes(requestId) === true;
  }

  private join(tabId: number): string | null {
    const [page, answer] = [this.shown.get(tabId), this.answers.get(tabId)];
    if (page === undefined || answer === undefined || page.requestId !== null) return null;
    if (answer.timeStamp > page.timeStamp || answer.url !== page.url) return null;
    page.requestId = answer.requestId;
    this.answers.delete(tabId);
    return answer.requestId;
  }
}
