import { chromium, test as base } from '@playwright/test';
import { serveSites, type Extension, type Sites } from './index';
import { withBrowser, type BrowserAtPort, type OwnOptions } from './with-browser';

export { expect } from '@playwright/test';

interface Fixtures {
  /** Options of `launch`, for `test.use`. The browser is Chrome. */
  readonly cointoss: OwnOptions;
  /** The handle on Cointoss in the browser of `context` and `page`. */
  readonly extension: Extension;
  /** Sites to visit, which also take the reports. */
  readonly sites: Sites;
}

interface Inner {
  readonly launchedIn: BrowserAtPort;
}

/** Playwright's `test`, in which each test has a new browser with Cointoss. */
export const test = base.extend<Fixtures & Inner>({
  cointoss: [{}, { option: true }],

  // oxlint-disable-next-line no-empty-pattern -- Playwright reads which fixtures this one needs
  sites: async ({}, use) => {
    const sites = await serveSites();
    try {
      await use(sites);
    } finally {
      await sites.close();
    }
  },

  launchedIn: ({ cointoss }, use) => withBrowser(cointoss, use),

  extension: ({ launchedIn }, use) => use(launchedIn.extension),

  context: async ({ launchedIn }, use) => {
    const browser = await chromium.connectOverCDP(launchedIn.address);
    try {
      const [context] = browser.contexts();
      if (context === undefined) throw new Error(`the browser at ${launchedIn.address} has no context`);
      await use(context);
    } finally {
      await browser.close();
    }
  },
});
