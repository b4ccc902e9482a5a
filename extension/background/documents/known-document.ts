import type { Origin } from '../../../src/model/units';
import type { Policy } from './permissions-policy';

/** A page, a frame in a page, or a frame in a frame: those of one level take no room of another's. */
export type Level = 'page' | 'in-page' | 'frames';

/** A document in a tab. The browser never uses its id again, unlike the id of its frame. */
export interface KnownDocument {
  readonly id: string;
  /** Null: it is the page. */
  readonly parentId: string | null;
  readonly level: Level;
  readonly tabId: number;
  readonly frameId: number;
  /** Shortened, without its fragment. */
  readonly url: string;
  /** That of the URL; null if it has none. */
  readonly origin: Origin | null;
  /** What the `Permissions-Policy` header of its response allows. */
  readonly header: Policy | 'unseen';
  /** What the `allow` attribute of its frame allows; of a page, everything. */
  readonly attribute: Policy | 'unconfirmed';
  /** Whether the background heard of each of its frames from the start, so that a frame's first URL is known as such. */
  readonly hasKnownFrames: boolean;
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

/** Whether a document comes from a server, so that its response may have a header. */
export const hasServer = (url: string): boolean => /^https?:/.test(url);
