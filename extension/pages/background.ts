import browser from 'webextension-polyfill';
import type { Overview, PageMessage } from '../messages';

/** Asks the background; rejects with its words when it refuses. */
export async function ask(message: PageMessage): Promise<unknown> {
  return browser.runtime.sendMessage(message);
}

export const askOverview = async (
  message: Extract<
    PageMessage,
    { kind: 'overview' | 'advance-clock' | 'reset-clock' | 'send-due' | 'send-pending' | 'clear' }
  >,
): Promise<Overview> => (await ask(message)) as Overview;

/** The element with that id; the page's HTML is ours, so that it is there. */
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- the caller knows which kind of element it is
export function byId<E extends HTMLElement = HTMLElement>(id: string): E {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`there is no element "${id}"`);
  return element as E;
}
