import browser from 'webextension-polyfill';

const ID = 'w3c-attribution';

let changing: Promise<void> = Promise.resolve();

/** Puts `navigator.attribution` into pages that are opened from now on, or does so no more. A page that does not need it pays nothing. */
export function injectAttribution(isOn: boolean): Promise<void> {
  changing = changing
    .then(() => inject(isOn))
    .catch((error: unknown) => console.error('Cointoss could not offer navigator.attribution', error));
  return changing;
}

async function inject(isOn: boolean): Promise<void> {
  const ids = [ID, `${ID}-page`];
  const registered = await browser.scripting.getRegisteredContentScripts({ ids });
  if (registered.length > 0 === isOn) return;
  if (!isOn) return browser.scripting.unregisterContentScripts({ ids });
  const everywhere = {
    matches: ['http://*/*', 'https://*/*'],
    runAt: 'document_start' as const,
    allFrames: true,
    matchOriginAsFallback: true,
    persistAcrossSessions: false,
  };
  await browser.scripting.registerContentScripts([
    { id: ids[0] ?? '', js: ['w3c.js'], ...everywhere },
    { id: ids[1] ?? '', js: ['w3c-page.js'], world: 'MAIN', ...everywhere },
  ]);
}
