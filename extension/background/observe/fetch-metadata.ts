import browser from 'webextension-polyfill';

/** The part of both browsers' API that the polyfill's types lack. */
interface DynamicRules {
  readonly declarativeNetRequest: {
    updateDynamicRules(update: {
      readonly removeRuleIds: readonly number[];
      readonly addRules: readonly object[];
    }): Promise<void>;
  };
}

/** Dynamic rules have ids of their own, and those for the eligibility of requests are session rules. */
const RULE = 1;

/**
 * Says of the extension's own requests that they come from another site, as they do (Fetch Metadata, "Sec-Fetch-Site"). Chrome would say `none`
 * and Firefox `same-origin`, which servers take for a person's own request or for one of their pages. `fetch` may not set the header.
 */
export const sendAsCrossSite = (): Promise<void> =>
  (browser as unknown as DynamicRules).declarativeNetRequest.updateDynamicRules({
    removeRuleIds: [RULE],
    addRules: [
      {
        id: RULE,
        action: {
          type: 'modifyHeaders',
          requestHeaders: [{ header: 'Sec-Fetch-Site', operation: 'set', value: 'cross-site' }],
        },
        condition: {
          initiatorDomains: [new URL(browser.runtime.getURL('')).hostname],
          resourceTypes: ['xmlhttprequest'],
        },
      },
    ],
  });
