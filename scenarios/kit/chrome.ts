import { TargetType, type Browser, type Target } from 'puppeteer-core';
import { CONSENT_PAGE, HANG_MS, INTERNALS_PAGE, type ExtensionDriver } from './driver';
import { waitFor } from './wait';

/** How long to wait for the tab that the extension opens; in a used profile it opens none. */
const TAB_MS = 5_000;

/** Puppeteer can navigate to extension pages in Chrome. */
export async function chromeDriver(browser: Browser): Promise<ExtensionDriver> {
  const worker = await browser.waitForTarget(isWorker, { timeout: HANG_MS });
  const addressOf = (path: string): string => new URL(path, worker.url()).href;

  const openPage: ExtensionDriver['openPage'] = async (path) => {
    const page = await browser.newPage();
    await page.goto(addressOf(`/${path}`), { timeout: HANG_MS });
    return page;
  };

  return {
    openPage,

    async ownPage(keepsConsentPage) {
      const address = addressOf(`/${INTERNALS_PAGE}`);
      const isConsentPage = (target: Target): boolean =>
        target.type() === TargetType.PAGE && target.url() === addressOf(`/${CONSENT_PAGE}`);
      const tab = await browser.waitForTarget(isConsentPage, { timeout: TAB_MS }).catch(() => null);
      const page = (keepsConsentPage ? null : await tab?.page()) ?? (await browser.newPage());
      // Whether the page is new or still loading: after this, the extension API is available.
      await page.goto(address, { timeout: HANG_MS });
      return page;
    },

    async stopWorker() {
      const running = browser.targets().find(isWorker);
      // A worker that is just starting may not heed the first request.
      const hasStopped = async (): Promise<boolean> => {
        await running
          ?.worker()
          .then((worker) => worker?.close())
          .catch(() => undefined);
        return !browser.targets().some((target) => target === running);
      };
      await waitFor('the service worker to stop', hasStopped);
    },
  };
}

function isWorker(target: Target): boolean {
  return target.type() === TargetType.SERVICE_WORKER && target.url().startsWith('chrome-extension://');
}
