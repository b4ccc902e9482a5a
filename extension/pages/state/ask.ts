import browser from 'webextension-polyfill';
import type { Json } from '../../../src/model/json';
import type { Settings } from '../../../formats/settings/settings';
import type { Overview, PageMessage, ParticipationView, Reply, SettingsChange } from '../../messages';

/** Asks the background. Rejects with its message when it refuses. */
export const ask = <Message extends PageMessage>(message: Message): Promise<Reply<Message>> =>
  browser.runtime.sendMessage<Message, Reply<Message>>(message);

export const askOverview = (site: string | null = null): Promise<Overview> => ask({ kind: 'overview', site });

/** Shows the person a trial from a file. */
export const offerTrial = (trial: Json): Promise<ParticipationView> => ask({ kind: 'offer-trial', trial });

/** Shows the person the trial at an address. */
export const lookAtTrial = (link: string): Promise<ParticipationView> => ask({ kind: 'look-at-trial', link });

export const askSettings = (): Promise<Settings> => ask({ kind: 'get-settings' });

/** Name only what changes, so that two quick changes do not undo each other. */
export const changeSettings = (settings: SettingsChange): Promise<Settings> =>
  ask({ kind: 'set-settings', settings });
