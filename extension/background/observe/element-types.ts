import browser, { type WebRequest } from 'webextension-polyfill';

/** Only its package may hold requests until the extension answers. */
export const isFirefox = (): boolean =>
  browser.runtime.getManifest().permissions?.includes('webRequestBlocking') === true;

const types = ['image', 'imageset', 'script'] as const satisfies readonly WebRequest.ResourceType[];

/** What browsers call the requests of `img` and `script` elements. */
export const isElementType = (type: WebRequest.ResourceType): boolean =>
  (types as readonly WebRequest.ResourceType[]).includes(type);

/** The same for this browser: Chrome refuses a name that it does not know. */
export const elementTypes = (): (typeof types)[number][] =>
  types.filter((type) => isFirefox() || type !== 'imageset');
