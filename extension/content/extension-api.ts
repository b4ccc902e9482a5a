import type { ContentMessage } from '../messages';
import type { Runtime } from '../seal';

/** The part of the WebExtension API that content scripts use: small enough to do without the polyfill. */
interface ExtensionApi {
  readonly runtime?: Runtime & { sendMessage(message: ContentMessage): Promise<unknown> };
}

const { browser, chrome } = globalThis as { readonly browser?: ExtensionApi; readonly chrome?: ExtensionApi };

/** An element of the page with the id `browser` or `chrome` becomes a global of that name. */
export const api = [browser, chrome].find(
  (candidate) => typeof candidate?.runtime?.sendMessage === 'function',
);
