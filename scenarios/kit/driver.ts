import type { Page } from 'puppeteer';

/** The page that the extension opens in a tab when it is installed. */
export const CONSENT_PAGE = 'pages/consent.html';
export const INTERNALS_PAGE = 'pages/internals.html';

/** What each browser does in its own way. */
export interface ExtensionDriver {
  /** The internals page, which may send messages to the worker; in the tab that the extension opened unless that is to stay. */
  ownPage(keepsConsentPage: boolean): Promise<Page>;
  /**
   * Opens a page of the extension in a new tab.
   * @param from a page of the extension that is open already
   */
  openPage(path: string, from: Page): Promise<Page>;
  /** @param from as for `openPage` */
  stopWorker(from: Page): Promise<void>;
}
