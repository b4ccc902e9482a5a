import type { IdbStore } from '../../store/idb-store';
import type { W3cStore } from '../../store/w3c-store';
import type { Files } from './erasing';

/** In ms after the databases were replaced: pages read the new one at once, and again when something new is recorded. */
const PAUSES = [100, 2000, 10_000];

/**
 * The files of the databases. What Chrome cannot remove when they are replaced is removed soon after. If the background ends before that, Chrome
 * removes it when it next starts or merges files.
 */
export const erasedFiles = (
  store: Pick<IdbStore, 'replace' | 'mergeFiles'>,
  other: Pick<W3cStore, 'replace'>,
): Files => ({
  merge: () => store.mergeFiles(),
  replace: async () => {
    await store.replace();
    await other.replace();
    for (const pause of PAUSES) setTimeout(() => void store.mergeFiles(), pause);
  },
});
