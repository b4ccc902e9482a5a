import type { Page } from 'puppeteer-core';

/** The page that opens on install. */
export const CONSENT_PAGE = 'pages/consent.html';
export const INTERNALS_PAGE = 'pages/internals.html';

/** A browser that takes longer to start, or to open a tab, hangs. In milliseconds; a loaded machine needs half a minute. */
export const HANG_MS = 300_000;

/** The operations that differ between browsers. */
export interface ExtensionDriver {
  /** The internals page, which can send messages to the worker. Uses the tab that the extension opened, unless that must stay. */
  ownPage(keepsConsentPage: boolean): Promise<Page>;
  /**
   * Opens a page of the extension in a new tab.
   * @param from a page of the extension that is already open
   */
  openPage(path: string, from: Page): Promise<Page>;
  /** @param from as for `openPage` */
  stopWorker(from: Page): Promise<void>;
}
