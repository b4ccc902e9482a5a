import browser from 'webextension-polyfill';
import type { Settings } from '../../../src/model/settings';
import type { Overview, PageMessage } from '../../messages';

/** Asks the background; rejects with its words when it refuses. */
export async function ask(message: PageMessage): Promise<unknown> {
  return browser.runtime.sendMessage(message);
}

export const askOverview = async (site: string | null = null): Promise<Overview> =>
  (await ask({ kind: 'overview', site })) as Overview;

export const askSettings = async (): Promise<Settings> => (await ask({ kind: 'get-settings' })) as Settings;

export const changeSettings = async (settings: Partial<Settings>): Promise<Settings> =>
  (await ask({ kind: 'set-settings', settings })) as Settings;
