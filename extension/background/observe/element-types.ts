import browser, { type WebRequest } from 'webextension-polyfill';

/** Only its package may hold requests until the extension answers. */
export const isFirefox = (): boolean =>
  browser.runtime.getManifest().permissions?.includes('webRequestBlocking') === true;

/** What this browser calls the requests of `img` and `script` elements: Chrome refuses a name that it does not know. */
export const elementTypes = (): ('image' | 'imageset' | 'script')[] =>
  isFirefox() ? ['image', 'imageset', 'script'] : ['image', 'script'];

/** The same while a page is left, too: there, Chrome calls an image a ping. */
export const allElementTypes = (): WebRequest.ResourceType[] => [...elementTypes(), 'ping'];

export const isElementType = (type: WebRequest.ResourceType): boolean =>
  type === 'image' || type === 'imageset' || type === 'script' || type === 'ping';
