import type { Browser, Page } from 'puppeteer';
import { CONSENT_PAGE, INTERNALS_PAGE, type ExtensionDriver } from './driver';
import type { PageGlobals } from './page-message';
import { waitFor } from './wait';

/** Firefox lets puppeteer go to no page of an extension, but the extension itself opens tabs, and those can be used. */
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

    // Nobody may stop an event page but Firefox itself, once it is idle.
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

/** Where a page really is, for its `url()` says about:blank here. Null while it loads or closes. */
async function addressOf(page: Page): Promise<string | null> {
  try {
    return await page.evaluate(() => (document.readyState === 'loading' ? null : location.href));
  } catch {
    return null;
  }
}
