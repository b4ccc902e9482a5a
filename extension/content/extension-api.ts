import type { ContentMessage, FrameQuestion, SendReport } from '../content-messages';
import type { Runtime } from '../seal';

/** The part of the WebExtension API that content scripts use: small enough to do without the polyfill. */
interface ExtensionApi {
  readonly runtime?: Runtime & {
    sendMessage(message: ContentMessage): Promise<unknown>;
    readonly onMessage?: {
      addListener(
        listener: (question: FrameQuestion | SendReport, sender: unknown, answer: Answer) => void,
      ): void;
    };
    /** Only in Firefox. @returns -1 if the element has no frame */
    getFrameId?(element: Element): number;
  };
}

type Answer = (answer: unknown) => void;

const { browser, chrome } = globalThis as { readonly browser?: ExtensionApi; readonly chrome?: ExtensionApi };

/** An element of the page with the id `browser` or `chrome` becomes a global of that name. */
export const api = [browser, chrome].find(
  (candidate) => typeof candidate?.runtime?.sendMessage === 'function',
);
