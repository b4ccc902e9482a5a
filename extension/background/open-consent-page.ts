import browser from 'webextension-polyfill';

/** @param trialLink an address at which a trial is described, for the person to look at. */
export async function openConsentPage(trialLink?: string): Promise<void> {
  const fragment = trialLink === undefined ? '' : `#link=${encodeURIComponent(trialLink)}`;
  await browser.tabs.create({ url: browser.runtime.getURL(`pages/consent.html${fragment}`) });
}
