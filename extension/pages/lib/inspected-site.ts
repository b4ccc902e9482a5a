import browser from 'webextension-polyfill';
import { siteOfUrl } from '../../../src/registration/origin';

/** Pages that are of no site, such as the browser's own. */
const NO_SITE = 'about:blank';

/** Calls back with the site of the page that the developer tools look at, now and after each navigation. */
export function inspectedSite(onSite: (site: string) => void): void {
  const tell = (url: string): void => onSite(siteOfUrl(url) ?? NO_SITE);
  const { inspectedWindow, network } = browser.devtools;
  network.onNavigated.addListener(tell);
  void inspectedWindow.eval('location.href').then(([url]) => tell(typeof url === 'string' ? url : NO_SITE));
}
