import type { Page } from 'puppeteer-core';
import type { BrowserName } from './executable';

/** The page that opens on install. */
export const CONSENT_PAGE = 'pages/consent.html';
export const INTERNALS_PAGE = 'pages/internals.html';

/** A browser that takes longer to start, or to open a tab, hangs. In milliseconds; a loaded machine needs half a minute. */
export const HANG_MS = 300_000;

/** In milliseconds: how long `attach` looks for the extension, which is to be there already. Enough for a loaded machine. */
export const ATTACH_MS = 30_000;

/** The extension that the kit has just installed. */
export interface Installed {
  readonly id: string;
  /** Installs it anew. */
  readonly again: () => Promise<void>;
}

/** What `attach` says of a browser in which it finds no extension. */
export const notInstalled = (name: BrowserName, timeout = ATTACH_MS): string =>
  `no Cointoss showed in this browser within ${timeout / 1000} s: install extensionPath('${name}') first`;

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
