import { TargetType, type Browser, type Target } from 'puppeteer-core';
import {
  ATTACH_MS,
  CONSENT_PAGE,
  HANG_MS,
  INTERNALS_PAGE,
  notInstalled,
  type ExtensionDriver,
  type Installed,
} from './driver';
import { waitFor } from './wait';

/** How long to wait for the tab that the extension opens; in a used profile it opens none. */
const TAB_MS = 5_000;

/** How long to look for the extension where Chrome names the unpacked ones: another may still start. */
const LISTED_MS = 10_000;

/** How long to wait for the answer of another extension's file, before asking for it again. */
const FILE_MS = 5_000;

/** The extension's, in each language. */
const NAME = 'Cointoss';

interface Named {
  readonly id: string;
  readonly name: string;
  readonly enabled: boolean;
}

/**
 * Puppeteer can navigate to extension pages in Chrome.
 * @param installed null looks for an extension that something else installed
 */
export async function chromeDriver(browser: Browser, installed: Installed | null): Promise<ExtensionDriver> {
  const origin = installed === null ? await findOrigin(browser) : `chrome-extension://${installed.id}`;
  const isWorker = (target: Target): boolean => isExtension(target) && target.url().startsWith(`${origin}/`);
  // One that was there before may be asleep, and a page wakes it.
  if (installed !== null) await browser.waitForTarget(isWorker, { timeout: HANG_MS });
  const addressOf = (path: string): string => `${origin}${path}`;

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

function isExtension(target: Target): boolean {
  return target.type() === TargetType.SERVICE_WORKER && target.url().startsWith('chrome-extension://');
}

/** A worker that sleeps is no target, but pages that are open are. */
function isOwnPage(address: string): boolean {
  if (!address.startsWith('chrome-extension://')) return false;
  return [CONSENT_PAGE, INTERNALS_PAGE].includes(new URL(address).pathname.slice(1));
}

/** The origin of Cointoss among the unpacked extensions, and those whose workers run or whose pages are open. */
async function findOrigin(browser: Browser): Promise<string> {
  const others = new Set<string>();
  const timeout = (await unpacked(browser)) === null ? ATTACH_MS : LISTED_MS;
  let isDisabled = false;
  const find = async (): Promise<string | null> => {
    const all = (await unpacked(browser)) ?? [];
    isDisabled = all.some(({ name, enabled }) => name === NAME && !enabled);
    for (const { id, name, enabled } of all) {
      const origin = `chrome-extension://${id}`;
      if (name === NAME && enabled) return origin;
      // One that is disabled may be enabled yet.
      if (name !== NAME) others.add(origin);
    }
    for (const target of browser.targets()) {
      if (!isExtension(target) && !isOwnPage(target.url())) continue;
      const [origin = ''] = /^chrome-extension:\/\/[a-z]+/.exec(target.url()) ?? [];
      if (others.has(origin)) continue;
      const found = await isCointoss(browser, origin);
      if (found === true) return origin;
      if (found === false) others.add(origin);
    }
    return null;
  };
  return waitFor('the extension', find, { timeout }).catch((cause: unknown) => {
    throw new Error(
      isDisabled
        ? 'Cointoss is installed in this browser, but disabled: enable it at chrome://extensions'
        : `${notInstalled('chrome', timeout)}. If it is installed, its background may be asleep: open pages/internals.html`,
      { cause },
    );
  });
}

/** The unpacked extensions, also those that sleep; null: this version of Chrome names none. */
async function unpacked(browser: Browser): Promise<readonly Named[] | null> {
  try {
    return [...(await browser.extensions()).values()];
  } catch {
    // Over WebDriver BiDi, it throws before there is a promise.
    return null;
  }
}

/** Whether this extension has its name; null: it did not answer yet. Puppeteer would keep a worker that it asks from its sleep. */
async function isCointoss(browser: Browser, origin: string): Promise<boolean | null> {
  const consentPage = `${origin}/${CONSENT_PAGE}`;
  if (browser.targets().some((target) => target.url() === consentPage)) return true;
  const page = await browser.newPage();
  try {
    const answer = await page.goto(`${origin}/_locales/en/messages.json`, { timeout: FILE_MS });
    const words = JSON.parse((await answer?.text()) ?? '') as {
      readonly extensionName?: { readonly message?: string };
    };
    return words.extensionName?.message === NAME;
  } catch (error) {
    return String(error).includes('net::ERR_FILE_NOT_FOUND') ? false : null;
  } finally {
    await page.close();
  }
}
