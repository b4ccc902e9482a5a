import type { Browser, Page } from 'puppeteer-core';
import { waitFor, type Extension } from '../../../scenarios/kit';
import type { JsonObject } from '../../../src/model/json';
import { Researcher } from '../../unit/helpers/trial-key';
import { unlimited } from '../../unit/helpers/budgets';

/** Who runs the trials of the tests. */
export const researcher = new Researcher();

/** The configuration of a trial that ends in `duration` milliseconds. */
export const trialFor = (duration: number, more: JsonObject = {}): JsonObject => ({
  id: 'ad-recall',
  version: 1,
  title: 'Ad recall 2027',
  researcher: { name: 'University of Example', contact: 'trial@uni.example' },
  information: { en: 'We study how much noise an honest measurement bears.', de: 'Wir erforschen Rauschen.' },
  end: new Date(Date.now() + duration).toISOString(),
  ...more,
  settings: { ...unlimited, ...(more['settings'] as JsonObject | undefined) },
});

/**
 * Runs in a page of the extension: the number of rows in each non-empty table, or only in one. There are none while the database is being
 * replaced.
 */
export async function countRows(only?: string): Promise<Record<string, number>> {
  const request = indexedDB.open('cointoss');
  // To open a database that is not there would make an empty one, which the extension would then find.
  request.onupgradeneeded = () => request.transaction?.abort();
  const database = await new Promise<IDBDatabase | null>((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () =>
      request.error?.name === 'AbortError' ? resolve(null) : reject(new Error('the database does not open'));
  });
  if (database === null) return {};
  const counts: Record<string, number> = {};
  for (const name of [...database.objectStoreNames].filter(
    (table) => table === (only ?? table) && table !== 'meta' && table !== 'salt',
  )) {
    const counting = database.transaction(name).objectStore(name).count();
    const count = await new Promise<number>(
      (resolve) => (counting.onsuccess = () => resolve(counting.result)),
    );
    if (count > 0) counts[name] = count;
  }
  database.close();
  return counts;
}

export const consentStatusOn = (page: Page): Promise<string | undefined> =>
  page
    .$eval('#consent-status', (element) => (element as HTMLElement).dataset['consentStatus'])
    .catch(() => undefined);

interface ExtensionGlobals {
  readonly chrome: {
    readonly runtime: { getURL(path: string): string };
    readonly tabs: {
      query(tabs: {
        readonly url: string;
      }): Promise<readonly { readonly id: number; readonly url?: string }[]>;
      remove(ids: readonly number[]): Promise<void>;
    };
  };
}

/** The addresses in all tabs with the consent page, as the browser says. */
async function consentTabs(extension: Extension): Promise<readonly string[]> {
  const own = await extension.page();
  return own.evaluate(async () => {
    const { chrome } = globalThis as unknown as ExtensionGlobals;
    const tabs = await chrome.tabs.query({ url: `${chrome.runtime.getURL('pages/consent.html')}*` });
    // A tab that is being opened has none yet.
    return tabs.map(({ url }) => url ?? '');
  });
}

/** Closes all tabs with the consent page, also those that puppeteer does not know of. */
export async function closeConsentTabs(extension: Extension): Promise<void> {
  const own = await extension.page();
  await own.evaluate(async () => {
    const { chrome } = globalThis as unknown as ExtensionGlobals;
    const tabs = await chrome.tabs.query({ url: `${chrome.runtime.getURL('pages/consent.html')}*` });
    await chrome.tabs.remove(tabs.map(({ id }) => id));
  });
}

/**
 * Waits until the extension shows one consent page, with an invitation to a trial, and opens the same once more: puppeteer is not always
 * told of what the extension opened itself.
 */
export async function invitation(extension: Extension): Promise<Page> {
  const [shown] = await waitFor('the invitation', async () => {
    const addresses = await consentTabs(extension);
    return addresses.some((address) => address.includes('#link=')) ? addresses : null;
  });
  expect(await consentTabs(extension)).toHaveLength(1);
  const page = await extension.openPage(`pages/consent.html${new URL(shown ?? '').hash}`);
  await page.bringToFront();
  await page.waitForSelector('#from-page');
  return page;
}

export async function pagesAt(browser: Browser, file: string): Promise<readonly Page[]> {
  const found: Page[] = [];
  for (const page of await browser.pages()) {
    const address = await page.evaluate(() => location.href).catch(() => '');
    if (/^(chrome|moz)-extension:/.test(address) && address.includes(`/pages/${file}`)) found.push(page);
  }
  return found;
}
