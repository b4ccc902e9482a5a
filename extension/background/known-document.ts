/** A document in a tab. The browser never uses its id again, unlike the id of its frame. */
export interface KnownDocument {
  readonly id: string;
  /** Null: it is the page. */
  readonly parentId: string | null;
  readonly tabId: number;
  readonly frameId: number;
  /** Shortened, without its fragment. */
  readonly url: string;
  /** The first URLs that its frame was to show, from the `src` before redirects to its own. */
  readonly frameUrls: readonly string[];
  /** False for a page that the browser prepares in case somebody goes there. */
  readonly isShown: boolean;
  /** On the device's clock. */
  readonly since: number;
  /** On the device's clock: when the page was left. Null while it is there, and for frames, which leave with it. */
  readonly left: number | null;
}
