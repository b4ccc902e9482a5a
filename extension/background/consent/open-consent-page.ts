import browser from 'webextension-polyfill';

/**
 * Shows the consent page, in the tab that has it already if there is one.
 * @param trialLink the address of a trial to show
 */
export async function openConsentPage(trialLink?: string): Promise<void> {
  const page = browser.runtime.getURL('pages/consent.html');
  const fragment = trialLink === undefined ? '' : `#link=${encodeURIComponent(trialLink)}`;
  const [open] = await browser.tabs.query({ url: `${page}*` });
  if (open?.id === undefined) await browser.tabs.create({ url: page + fragment });
  // The page notices a change of the fragment.
  else
    await browser.tabs.update(open.id, {
      active: true,
      ...(fragment === '' ? {} : { url: page + fragment }),
    });
}
