import browser from 'webextension-polyfill';
import type { Json } from '../../../src/model/json';
import type { DebugSettings, Settings } from '../../../src/model/settings';
import type { Overview, PageMessage, ParticipationMessage, ParticipationView } from '../../../src/messages';

/** Asks the background. Rejects with its message when it refuses. */
export async function ask(message: PageMessage): Promise<unknown> {
  return browser.runtime.sendMessage(message);
}

export const askOverview = async (site: string | null = null): Promise<Overview> =>
  (await ask({ kind: 'overview', site })) as Overview;

export const askParticipation = async (message: ParticipationMessage): Promise<ParticipationView> =>
  (await ask(message)) as ParticipationView;

/** Shows the person a trial and asks for consent. */
export const offerTrial = (trial: Json): Promise<ParticipationView> =>
  askParticipation({ kind: 'offer-trial', trial });

export const askSettings = async (): Promise<Settings> => (await ask({ kind: 'get-settings' })) as Settings;

/** Some settings, and some of the debug settings. Settings that are not named keep their values. */
export type SettingsChange = Omit<Partial<Settings>, 'debug'> & { readonly debug?: Partial<DebugSettings> };

/** Name only what changes, so that two quick changes do not undo each other. */
export const changeSettings = async (settings: SettingsChange): Promise<Settings> =>
  (await ask({ kind: 'set-settings', settings: settings as Partial<Settings> })) as Settings;
