import { CHANGES_CHANNEL, type ChangesMessage } from '../../messages';
import type { Changes } from '../../store/idb-transaction';

/** With more changes than this, pages read the whole table again. */
const MOST_IDS = 2000;

export function changeAnnouncer(): (changes: Changes) => void {
  const channel = new BroadcastChannel(CHANGES_CHANNEL);
  return (changes) => {
    const message: ChangesMessage = Object.fromEntries(
      [...changes].flatMap(([table, ids]): [string, readonly number[] | 'all'][] => {
        if (ids === 'all' || ids.size > MOST_IDS) return [[table, 'all']];
        // Pages show no documents, which have names in place of numbers.
        const numbers = [...ids].filter((id) => typeof id === 'number');
        return numbers.length === 0 ? [] : [[table, numbers]];
      }),
    );
    channel.postMessage(message);
  };
}
