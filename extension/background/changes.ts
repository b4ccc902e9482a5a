import { CHANGES_CHANNEL, type ChangesMessage } from '../../src/messages';
import type { Changes } from '../store/idb-store';

/** More than a page would read one by one. */
const MOST_IDS = 2000;

/** Tells every open page of the extension which rows changed. */
export function changeAnnouncer(): (changes: Changes) => void {
  const channel = new BroadcastChannel(CHANGES_CHANNEL);
  return (changes) => {
    const message: ChangesMessage = Object.fromEntries(
      [...changes].map(([table, ids]) => [table, ids === 'all' || ids.size > MOST_IDS ? 'all' : [...ids]]),
    );
    channel.postMessage(message);
  };
}
