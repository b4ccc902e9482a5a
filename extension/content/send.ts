import type { ContentMessage, FrameQuestion, SendReport } from '../content-messages';
import { api } from './extension-api';

/** Calls `answer` for each question of the background. */
export function onQuestion(answer: (question: FrameQuestion) => unknown): void {
  api?.runtime?.onMessage?.addListener((question, _sender, send) => {
    if (question.kind === 'frame-attributes') send(answer(question));
  });
}

/** Calls `act` for each report that the background wants sent from here. */
export function onReport(act: (report: SendReport) => void): void {
  api?.runtime?.onMessage?.addListener((message) => {
    if (message.kind === 'send-report') act(message);
  });
}

/** The browser's id of an element's frame; null if there is none, or the browser does not tell. */
export function frameIdOf(element: Element): number | null {
  const id = api?.runtime?.getFrameId?.(element) ?? -1;
  return id < 0 ? null : id;
}

/** Whether `frameIdOf` can tell. */
export const knowsFrameIds = (): boolean => api?.runtime?.getFrameId !== undefined;

/** A page that sends more messages per period is not showing ads; the rest are dropped. */
const maxMessagesPerPeriod = 200;
/** In characters: the browser adds the document's URL to each message, so a longer one makes it count as several. */
const urlOfOneMessage = 2000;
const period = 10_000;
/** How often a message is sent that nobody answers. */
const maxTries = 3;

let periodStart = -Infinity;
let messagesInPeriod = 0;

function overflows(): boolean {
  const now = performance.now();
  if (now - periodStart > period) {
    periodStart = now;
    messagesInPeriod = 0;
  }
  messagesInPeriod += Math.ceil(location.href.length / urlOfOneMessage);
  return messagesInPeriod > maxMessagesPerPeriod;
}

/**
 * Sends a message to the background before it returns. Resolves to the answer, or to undefined if there is none: the extension was
 * reloaded, the background stopped, or the page sends too much. It never rejects, because these errors do not concern the page.
 */
export const send = (message: ContentMessage): Promise<unknown> => sendMade(() => message);

/** The same for a message that costs something to make. It is not made if the page sends too much. */
export async function sendMade(make: () => ContentMessage): Promise<unknown> {
  if (overflows()) return undefined;
  try {
    return await api?.runtime?.sendMessage(make());
  } catch {
    return undefined;
  }
}

/** As `send`, and again if the background stops before it answers. Only for messages that may arrive twice. */
export async function sendUntilAnswered(message: ContentMessage): Promise<void> {
  for (let tries = 0; tries < maxTries; tries++) if ((await send(message)) !== undefined) return;
}
