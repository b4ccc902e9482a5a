import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'puppeteer-core';
import type { PageMessage, Reply } from '../../extension/messages';

/** The part of the extension API that runs inside the extension's pages. */
export interface PageGlobals {
  readonly browser?: ExtensionApi;
  readonly chrome?: ExtensionApi;
}

interface ExtensionApi {
  readonly runtime: {
    sendMessage<Answer>(message: PageMessage): Promise<Answer>;
    getURL(path: string): string;
  };
  /** Null while the background is stopped. */
  readonly extension?: { getBackgroundPage(): unknown };
  readonly tabs: {
    create(properties: { url: string }): Promise<{ readonly id?: number }>;
    update(id: number, properties: { url: string }): Promise<unknown>;
  };
}

/** How webextension-polyfill encodes a rejection, because Chrome's messages have none. */
interface PolyfillRejection {
  readonly __mozWebExtensionPolyfillReject__: true;
  readonly message: string;
}

type Answer<Message extends PageMessage> = Reply<Message> | PolyfillRejection;
type Sender<Message extends PageMessage> = (message: PageMessage) => Promise<Answer<Message>>;

/** For 20 seconds: a loaded machine takes that long to start a worker. */
const ATTEMPTS = 100;
const RETRY_MS = 200;

/** The part of an extension page that is used. */
type Sending = Pick<Page, 'evaluate'>;

/**
 * Sends a message from an extension page to its background worker, and resolves to the answer. A worker that is stopping or starting may have
 * no listener, and a page that loads anew takes no answer, so the message is sent again. It may have arrived all the same: in Firefox also if
 * the background ended before its answer.
 */
export async function sendFromPage<Message extends PageMessage>(
  page: Sending,
  message: Message,
): Promise<Reply<Message>> {
  // Sent twice, it would register twice.
  if (message.kind === 'register') {
    // The worker is there once it has answered something else.
    await sendFromPage(page, { kind: 'overview', site: null });
    return sendOnce<Message>(page, message);
  }
  const sent: PageMessage =
    message.kind === 'advance-clock' ? { ...message, command: randomUUID() } : message;
  for (let attempt = 1; ; attempt++) {
    try {
      return await sendOnce<Message>(page, sent);
    } catch (error) {
      if (attempt === ATTEMPTS || !(hadNoReceiver(error) || wasReplaced(error))) throw error;
      await sleep(RETRY_MS);
    }
  }
}

async function sendOnce<Message extends PageMessage>(
  page: Sending,
  message: PageMessage,
): Promise<Reply<Message>> {
  const answer = await page.evaluate<[PageMessage], Sender<Message>>(sendMessage<Answer<Message>>, message);
  if (isRejection(answer)) throw new Error(answer.message);
  return answer;
}

/** Runs in the page. */
function sendMessage<Answered>(message: PageMessage): Promise<Answered> {
  const { browser, chrome } = globalThis as PageGlobals;
  const api = browser ?? chrome;
  if (api === undefined) throw new Error('this is not a page of the extension');
  return api.runtime.sendMessage(message);
}

const isRejection = (answer: unknown): answer is PolyfillRejection =>
  typeof answer === 'object' && answer !== null && '__mozWebExtensionPolyfillReject__' in answer;

const hadNoReceiver = (error: unknown): boolean =>
  error instanceof Error && error.message.includes('Receiving end does not exist');

/** What puppeteer and `sendMessage` say where the page's document was replaced before the answer, or is not there yet. */
const REPLACED = [
  'context was destroyed',
  'Cannot find context',
  'Promise was collected',
  'this is not a page of the extension',
];

const wasReplaced = (error: unknown): boolean =>
  error instanceof Error && REPLACED.some((text) => error.message.includes(text));
