import type { Browser, Page } from 'puppeteer';
import { CONSENT_PAGE, INTERNALS_PAGE, type ExtensionDriver } from './driver';
import type { PageGlobals } from './page-message';
import { waitFor } from './wait';

/** In Firefox puppeteer cannot navigate to extension pages, but it can use tabs that the extension opens. */
export function firefoxDriver(browser: Browser): ExtensionDriver {
  const openPage: ExtensionDriver['openPage'] = async (path, from) => {
    const before = new Set(await browser.pages());
    const address = await from.evaluate(openTab, path);
    return waitForPage(browser, (candidate, page) => candidate === address && !before.has(page));
  };

  return {
    async ownPage(keepsConsentPage) {
      const consentPage = await waitForPage(browser, (address) => address.endsWith(`/${CONSENT_PAGE}`));
      const page = await openPage(INTERNALS_PAGE, consentPage);
      if (!keepsConsentPage) await consentPage.close();
      return page;
    },

    openPage,

    // Only Firefox itself can stop an event page, once it is idle.
    stopWorker: async (from) => {
      await waitFor('Firefox to stop the idle background (give launch a shorter idleTimeout)', () =>
        from.evaluate(isStopped),
      );
    },
  };
}

/** Runs in the page. */
async function openTab(path: string): Promise<string | undefined> {
  const { browser } = globalThis as PageGlobals;
  const url = browser?.runtime.getURL(path);
  if (url !== undefined) await browser?.tabs.create({ url });
  return url;
}

/** Runs in the page. */
function isStopped(): boolean {
  const { browser } = globalThis as PageGlobals;
  return browser?.extension?.getBackgroundPage() === null;
}

function waitForPage(browser: Browser, matches: (address: string, page: Page) => boolean): Promise<Page> {
  return waitFor("the tab of the extension's page", async () => {
    for (const page of await browser.pages()) {
      const address = await addressOf(page);
      if (address?.startsWith('moz-extension:') && matches(address, page)) return page;
    }
    return null;
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
