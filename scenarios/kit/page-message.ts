import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'puppeteer';
import type { PageMessage } from '../../src/messages';

/** The part of the extension API that runs inside the extension's pages. */
export interface PageGlobals {
  readonly browser?: ExtensionApi;
  readonly chrome?: ExtensionApi;
}

interface ExtensionApi {
  readonly runtime: {
    sendMessage(message: PageMessage): Promise<unknown>;
    getURL(path: string): string;
  };
  /** Null while the background is stopped. */
  readonly extension?: { getBackgroundPage(): unknown };
  readonly tabs: { create(properties: { url: string }): Promise<unknown> };
}

/** How webextension-polyfill encodes a rejection, because Chrome's messages have none. */
interface PolyfillRejection {
  readonly __mozWebExtensionPolyfillReject__: true;
  readonly message: string;
}

const ATTEMPTS = 5;
const RETRY_MS = 200;

/** Sends a message from an extension page to its background worker, and resolves to the answer. */
export async function sendFromPage(page: Page, message: PageMessage): Promise<unknown> {
  for (let attempt = 1; ; attempt++) {
    try {
      return unwrap(await page.evaluate(sendMessage, message));
    } catch (error) {
      if (attempt === ATTEMPTS || !neverArrived(error)) throw error;
      await sleep(RETRY_MS);
    }
  }
}

/** Runs in the page. */
function sendMessage(message: PageMessage): Promise<unknown> | undefined {
  const { browser, chrome } = globalThis as PageGlobals;
  return (browser ?? chrome)?.runtime.sendMessage(message);
}

function unwrap(answer: unknown): unknown {
  if (isRejection(answer)) throw new Error(answer.message);
  return answer;
}

function isRejection(answer: unknown): answer is PolyfillRejection {
  return typeof answer === 'object' && answer !== null && '__mozWebExtensionPolyfillReject__' in answer;
}

/** A worker that is stopping or starting has no listener: nothing has happened, so retrying is safe. */
function neverArrived(error: unknown): boolean {
  return error instanceof Error && error.message.includes('Receiving end does not exist');
}
