import browser from 'webextension-polyfill';
import { everyPage } from '../urls';

/** The part of Chrome's API that the polyfill's types lack. */
declare const chrome: {
  readonly declarativeNetRequest: {
    updateDynamicRules(update: {
      readonly removeRuleIds: readonly number[];
      readonly addRules: readonly object[];
    }): Promise<void>;
  };
};

const HEADER = 'Sec-Fetch-Site';
const CROSS_SITE = 'cross-site';

/**
 * Says of the extension's own requests that they come from another site, which they do (Fetch Metadata, "Sec-Fetch-Site"). Call it
 * synchronously while the background starts, because it may add a listener.
 */
export function sendAsCrossSite(): void {
  if (browser.runtime.getManifest().permissions?.includes('webRequestBlocking') === true) listen();
  else
    void chrome.declarativeNetRequest.updateDynamicRules({
      removeRuleIds: [1],
      addRules: [
        {
          id: 1,
          action: {
            type: 'modifyHeaders',
            requestHeaders: [{ header: HEADER, operation: 'set', value: CROSS_SITE }],
          },
          condition: {
            initiatorDomains: [new URL(browser.runtime.getURL('')).hostname],
            resourceTypes: ['xmlhttprequest'],
          },
        },
      ],
    });
}

function listen(): void {
  const own = new URL(browser.runtime.getURL('')).origin;
  browser.webRequest.onBeforeSendHeaders.addListener(
    ({ originUrl = '', requestHeaders = [] }) => {
      if (!originUrl.startsWith(`${own}/`)) return undefined;
      const others = requestHeaders.filter(({ name }) => name.toLowerCase() !== HEADER.toLowerCase());
      return { requestHeaders: [...others, { name: HEADER, value: CROSS_SITE }] };
    },
    { ...everyPage, types: ['xmlhttprequest'] },
    ['blocking', 'requestHeaders'],
  );
}
