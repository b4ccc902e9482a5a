import { CHANGES_CHANNEL, type ChangesMessage } from '../messages';
import type { Changes } from '../store/idb-transaction';

/** With more changes than this, pages read the whole table again. */
const MOST_IDS = 2000;

export function changeAnnouncer(): (changes: Changes) => void {
  const channel = new BroadcastChannel(CHANGES_CHANNEL);
  return (changes) => {
    const message: ChangesMessage = Object.fromEntries(
      [...changes].map(([table, ids]) => [table, ids === 'all' || ids.size > MOST_IDS ? 'all' : [...ids]]),
    );
    channel.postMessage(message);
  };
}
