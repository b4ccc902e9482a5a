import type { Origin } from '../../src/model/units';

/** A document in a tab. The browser never uses its id again, unlike the id of its frame. */
export interface KnownDocument {
  readonly id: string;
  /** Null: it is the page. */
  readonly parentId: string | null;
  readonly tabId: number;
  readonly frameId: number;
  /** Shortened, without its fragment. */
  readonly url: string;
  /** That of the URL; null if it has none. */
  readonly origin: Origin | null;
  /** The first URLs that its frame was to show, from the `src` before redirects to its own. */
  readonly frameUrls: readonly string[];
  /** False for a page that the browser prepares in case somebody goes there. */
  readonly isShown: boolean;
  /** By `steadyNow`. */
  readonly since: number;
  /** By `steadyNow`: when the page was left. Null while it is there, and for frames, which leave with it. */
  readonly left: number | null;
}

/**
 * The origin of the first document; one without a URL of its own (`srcdoc`) has that of the document around it.
 * @param documents each within the next
 */
export const inheritedOrigin = (documents: readonly KnownDocument[]): Origin | null =>
  documents.find(({ origin }) => origin !== null)?.origin ?? null;
