import type { Settings } from '../../../formats/settings/settings';
import { readTables, type Snapshot } from './snapshot/snapshot';
import type { Rows } from '../../../src/store/rows';
import { IdbStore } from '../../store/idb-store';
import type { Overview } from '../../messages';

export async function takeSnapshot({ now, clockAhead }: Overview, settings: Settings): Promise<Snapshot> {
  const store = await IdbStore.open();
  const all = <Name extends keyof Snapshot['tables']>(name: Name): Promise<Rows[Name][]> =>
    store.range(name, 0, Number.MAX_SAFE_INTEGER);
  try {
    const tables = await readTables(all);
    return { time: now, clockAhead, truth: true, settings, tables };
  } finally {
    await store.close();
  }
}
