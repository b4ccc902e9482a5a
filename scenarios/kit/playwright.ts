import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { chromium, test as base } from '@playwright/test';
import { launch, serveSites, waitFor, type Extension, type LaunchOptions, type Sites } from './index';

export { expect } from '@playwright/test';

interface Fixtures {
  /** Options of `launch`, for `test.use`. The browser is Chrome. */
  readonly cointoss: Omit<Partial<LaunchOptions>, 'browser' | 'userDataDir'>;
  /** The handle on Cointoss in the browser of `context` and `page`. */
  readonly extension: Extension;
  /** Sites to visit, which also take the reports. */
  readonly sites: Sites;
}

interface Inner {
  readonly launchedIn: { readonly extension: Extension; readonly address: string };
}

/** Playwright's `test`, in which each test has a new browser with Cointoss. */
export const test = base.extend<Fixtures & Inner>({
  cointoss: [{}, { option: true }],

  // oxlint-disable-next-line no-empty-pattern -- Playwright reads which fixtures this one needs
  sites: async ({}, use) => {
    const sites = await serveSites();
    await use(sites);
    await sites.close();
  },

  launchedIn: async ({ cointoss }, use) => {
    const profile = await mkdtemp(path.join(tmpdir(), 'cointoss-'));
    const { puppeteer = {} } = cointoss;
    const launched = await launch({
      ...cointoss,
      browser: 'chrome',
      userDataDir: profile,
      // The kit drives the browser by a pipe, and Playwright by this port.
      puppeteer: { ...puppeteer, args: [...(puppeteer.args ?? []), '--remote-debugging-port=0'] },
    });
    await use({ extension: launched.extension, address: await addressIn(profile) });
    await launched.close();
    await rm(profile, { recursive: true, force: true });
  },

  extension: ({ launchedIn }, use) => use(launchedIn.extension),

  context: async ({ launchedIn }, use) => {
    const browser = await chromium.connectOverCDP(launchedIn.address);
    const [context] = browser.contexts();
    if (context === undefined) throw new Error(`the browser at ${launchedIn.address} has no context`);
    await use(context);
    await browser.close();
  },
});

/** Where Chrome listens, as it writes into its profile. */
const addressIn = (profile: string): Promise<string> =>
  waitFor('the port of the browser', async () => {
    const text = await readFile(path.join(profile, 'DevToolsActivePort'), 'utf8').catch(() => '');
    const [port = ''] = text.split('\n');
    return port === '' ? null : `http://127.0.0.1:${port}`;
  });
