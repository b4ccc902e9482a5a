import browser from 'webextension-polyfill';
import { siteOfUrl } from '../../../src/model/site';

/** Stands for pages without a site, such as the browser's own. */
const NO_SITE = 'about:blank';

const RETRY = 250;
const TRIES = 40;

/** Chrome's `browser` returns no promises here. Both browsers' `chrome` takes callbacks. */
declare const chrome: {
  readonly devtools: {
    readonly inspectedWindow: { eval(expression: string, answer: (result: unknown) => void): void };
  };
};

/** Calls back with the inspected page's site, now and after each navigation. */
export function inspectedSite(onSite: (site: string) => void): void {
  let isKnown = false;
  const tell = (url: string): void => {
    isKnown = true;
    onSite(siteOfUrl(url) ?? NO_SITE);
  };
  // Fails until the developer tools themselves know the page.
  const look = (tries: number): void =>
    chrome.devtools.inspectedWindow.eval('location.href', (url) => {
      if (isKnown) return;
      if (typeof url === 'string') tell(url);
      else if (tries > 1) setTimeout(() => look(tries - 1), RETRY);
    });
  browser.devtools.network.onNavigated.addListener(tell);
  onSite(NO_SITE);
  look(TRIES);
}
