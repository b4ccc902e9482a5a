import browser from 'webextension-polyfill';
import { siteOfUrl } from '../../../src/parsing/origin';

/** Pages that are of no site, such as the browser's own. */
const NO_SITE = 'about:blank';

const RETRY = 250;
const TRIES = 40;

/** Chrome's own `browser` promises nothing here; callbacks are what both browsers' `chrome` takes. */
declare const chrome: {
  readonly devtools: {
    readonly inspectedWindow: { eval(expression: string, answer: (result: unknown) => void): void };
  };
};

/** Calls back with the site of the page that the developer tools look at, now and after each navigation. */
export function inspectedSite(onSite: (site: string) => void): void {
  let isKnown = false;
  const tell = (url: string): void => {
    isKnown = true;
    onSite(siteOfUrl(url) ?? NO_SITE);
  };
  // Refused until the developer tools have heard of the page themselves.
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
