import { CHANGES_CHANNEL, type ChangesMessage } from '../../messages';
import { IdbStore } from '../../store/idb-store';
import type { FinishedReport } from '../../../src/model/records';
import type { Reader } from './reader';

export interface LiveReader extends Reader {
  /** The `most` finished reports that ended last, the last first. */
  lastFinished(most: number): Promise<readonly FinishedReport[]>;
}

/** Reads the background's database directly. Messages would copy every row twice, through JSON. */
export async function liveReader(): Promise<LiveReader> {
  const store = await IdbStore.open();
  const listeners = new Set<(changes: ChangesMessage) => void>();
  new BroadcastChannel(CHANGES_CHANNEL).addEventListener('message', ({ data }) => {
    for (const listener of listeners) listener(data as ChangesMessage);
  });
  return {
    ids: (table) => store.ids(table),
    range: (table, first, last) => store.range(table, first, last),
    newest: (table, most) => store.newest(table, most),
    lastFinished: (most) => store.lastFinished(most),
    get: async (table, id) => (await store.range(table, id, id))[0] ?? null,
    accounts: () => store.newest('accounts', Infinity),
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
