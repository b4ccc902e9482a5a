import browser from 'webextension-polyfill';
import { siteOfUrl } from '../../../src/model/site';

export interface CurrentTab {
  readonly id: number | null;
  readonly url: string;
  /** Null for the browser's own pages. */
  readonly site: string | null;
}

/** In a popup, the tab below it. In a tab of the extension, the page that was used before. */
export async function currentTab(): Promise<CurrentTab> {
  const [active] = await browser.tabs.query({ active: true, currentWindow: true });
  const isOwn = active?.url?.startsWith(browser.runtime.getURL('')) === true;
  const tab = isOwn ? await latestPage() : active;
  const url = tab?.url ?? '';
  return { id: tab?.id ?? null, url, site: siteOfUrl(url) };
}

async function latestPage(): Promise<browser.Tabs.Tab | undefined> {
  const tabs = await browser.tabs.query({ url: ['http://*/*', 'https://*/*'] });
  return tabs.sort((a, b) => (b.lastAccessed ?? 0) - (a.lastAccessed ?? 0))[0];
}
