import browser from 'webextension-polyfill';
import manifest from '../../../manifest.json';
import type { PageMessage } from '../../../extension/messages';
import { ask } from './webextension';

export const OWN_PAGE = { id: 'cointoss', url: 'moz-extension://cointoss/pages/options.html' };

/** Answers as to a page of the extension. */
export const ofOwnPage = (message: PageMessage): Promise<unknown> => ask(message, OWN_PAGE);

/** Starts all of the background, with the databases of Node. */
export async function startWholeBackground(): Promise<void> {
  // Node's would keep the process alive. Nobody listens here.
  jest.spyOn(globalThis, 'BroadcastChannel').mockReturnValue({ postMessage: () => undefined } as never);
  // As in Firefox: Chrome's rules for headers need more of the browser than there is here.
  jest
    .spyOn(browser.runtime, 'getManifest')
    .mockReturnValue({ ...manifest, permissions: ['webRequestBlocking'] } as never);
  await import('../../../extension/background/main');
}
