import browser from 'webextension-polyfill';

/** @param trialLink the address of a trial to show */
export async function openConsentPage(trialLink?: string): Promise<void> {
  const fragment = trialLink === undefined ? '' : `#link=${encodeURIComponent(trialLink)}`;
  await browser.tabs.create({ url: browser.runtime.getURL(`pages/consent.html${fragment}`) });
}
