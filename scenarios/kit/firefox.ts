import { randomUUID } from 'node:crypto';
import type { Browser, Page } from 'puppeteer-core';
import {
  ATTACH_MS,
  CONSENT_PAGE,
  HANG_MS,
  INTERNALS_PAGE,
  notInstalled,
  type ExtensionDriver,
  type Installed,
} from './driver';
import type { PageGlobals } from './page-message';
import { waitFor } from './wait';

/** How long the first wait for the consent page lasts, in ms. Each further one lasts twice as long. */
const FIRST_WAIT_MS = 20_000;

/**
 * In Firefox puppeteer cannot navigate to extension pages, but it can use tabs that the extension opens. Resolves once the consent page is
 * there.
 * @param installed to install it anew opens that page once more; null where something else installed the extension
 */
export async function firefoxDriver(browser: Browser, installed: Installed | null): Promise<ExtensionDriver> {
  if (installed === null) await presentPage(browser);
  else await firstPage(browser, installed.again);

  const openPage: ExtensionDriver['openPage'] = async (path, from) => {
    const empty = `about:blank#${randomUUID()}`;
    const tab = await from.evaluate(openTab, empty);
    const page = await waitForPage(browser, (address) => address === empty);
    const url = await from.evaluate(showInTab, tab, path);
    return waitForPage(browser, (address, candidate) => candidate === page && address === url);
  };

  return {
    async ownPage(keepsConsentPage) {
      const consentPage = await waitForPage(browser, isConsentPage);
      const page = await openPage(INTERNALS_PAGE, consentPage);
      if (!keepsConsentPage) await consentPage.close();
      return page;
    },

    openPage,

    // Only Firefox itself can stop an event page, once it is idle.
    stopWorker: async (from) => {
      await waitFor('Firefox to stop the idle background (launch with idleTimeout: 500)', () =>
        from.evaluate(isStopped),
      );
    },
  };
}

async function presentPage(browser: Browser): Promise<void> {
  await waitForPage(browser, isConsentPage, ATTACH_MS).catch((cause: unknown) => {
    throw new Error(`${notInstalled('firefox')}, and leave the tab that it opens`, { cause });
  });
}

/** Waits for the consent page. Firefox may have opened it without telling puppeteer: see `openTab`. */
async function firstPage(browser: Browser, installAgain: () => Promise<void>): Promise<void> {
  for (let timeout = FIRST_WAIT_MS; timeout < HANG_MS; timeout *= 2) {
    const page = await waitForPage(browser, isConsentPage, timeout).catch(() => null);
    if (page !== null) return;
    if (browser.connected) await installAgain();
  }
  await waitForPage(browser, isConsentPage, FIRST_WAIT_MS);
}

/**
 * Runs in the page. Opened with an address of the extension, a tab changes its process at once, and then Firefox does not always tell
 * puppeteer of it (version 153: no `browsingContext.contextCreated`).
 */
async function openTab(url: string): Promise<number | undefined> {
  const { browser } = globalThis as PageGlobals;
  return (await browser?.tabs.create({ url }))?.id;
}

/** Runs in the page. */
async function showInTab(tab: number | undefined, path: string): Promise<string | undefined> {
  const { browser } = globalThis as PageGlobals;
  const url = browser?.runtime.getURL(path);
  if (tab !== undefined && url !== undefined) await browser?.tabs.update(tab, { url });
  return url;
}

/** Runs in the page. */
function isStopped(): boolean {
  const { browser } = globalThis as PageGlobals;
  return browser?.extension?.getBackgroundPage() === null;
}

const isConsentPage = (address: string | null): boolean =>
  address?.startsWith('moz-extension:') === true && address.endsWith(`/${CONSENT_PAGE}`);

async function waitForPage(
  browser: Browser,
  matches: (address: string | null, page: Page) => boolean,
  timeout = HANG_MS,
): Promise<Page> {
  let seen: readonly (string | null)[] = [];
  const find = async (): Promise<Page | null> => {
    if (!browser.connected) throw new Error("Firefox ended before it opened the extension's tab");
    const pages = await browser.pages();
    seen = await Promise.all(pages.map(addressOf));
    return pages.find((page, index) => matches(seen[index] ?? null, page)) ?? null;
  };
  return waitFor("the extension's tab", find, { timeout }).catch((error: unknown) => {
    throw new Error(`${String(error)}; the tabs are ${JSON.stringify(seen)}`, { cause: error });
  });
}

/** The page's real address, because its `url()` says about:blank here. Null while it loads or closes. */
async function addressOf(page: Page): Promise<string | null> {
  try {
    return await page.evaluate(() => (document.readyState === 'loading' ? null : location.href));
  } catch {
    return null;
  }
}
