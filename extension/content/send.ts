import type { ContentMessage } from '../../src/messages';

/** What the content scripts use of the WebExtension API: small enough to do without the polyfill. */
interface ExtensionApi {
  readonly runtime?: { sendMessage(message: ContentMessage): Promise<unknown> };
}

const { browser, chrome } = globalThis as { readonly browser?: ExtensionApi; readonly chrome?: ExtensionApi };
// An element of the page with such an id goes by the same name.
const api = [browser, chrome].find((candidate) => typeof candidate?.runtime?.sendMessage === 'function');

/** A page that makes more than this many messages in a period is not showing ads: the rest are dropped. */
const maxMessagesPerPeriod = 200;
const period = 10_000;

let periodStart = -Infinity;
let messagesInPeriod = 0;

function overflows(): boolean {
  const now = performance.now();
  if (now - periodStart > period) {
    periodStart = now;
    messagesInPeriod = 0;
  }
  messagesInPeriod += 1;
  return messagesInPeriod > maxMessagesPerPeriod;
}

/**
 * Sends a message to the background worker, before it returns.
 * Resolves to the answer, or to undefined where none comes: the extension was reloaded under the page, the worker went
 * away, or the page sends too much. None of this is the page's business, so it never rejects.
 */
export async function send(message: ContentMessage): Promise<unknown> {
  if (overflows()) return undefined;
  try {
    return await api?.runtime?.sendMessage(message);
  } catch {
    return undefined;
  }
}
