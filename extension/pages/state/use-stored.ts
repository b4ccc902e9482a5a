import { useEffect, useState } from 'preact/hooks';
import type { Rows } from '../../../src/store/rows';
import type { ShownTable } from '../data/reader';
import { useSession } from './session';

/** Undefined while loading. */
export type Loaded<T> = T | undefined;

/** Loads again whenever `keys` change. */
export function useLoaded<T>(load: () => Promise<T>, keys: readonly unknown[]): Loaded<T> {
  const [value, setValue] = useState<Loaded<T>>(undefined);
  const { act } = useSession();
  useEffect(() => {
    let isCurrent = true;
    const loadNow = async (): Promise<void> => {
      const loaded = await load();
      if (isCurrent) setValue(() => loaded);
    };
    loadNow().catch((error: unknown) =>
      act(() => Promise.reject(error instanceof Error ? error : new Error(String(error)))),
    );
    return () => {
      isCurrent = false;
    };
    // Callers list what `load` depends on.
  }, keys);
  return value;
}

/** Counts changes of the tables. A view that reads rows itself reads them again when it grows. */
export function useChanges(tables: readonly ShownTable[]): number {
  const { reader } = useSession();
  const [changes, setChanges] = useState(0);
  useEffect(
    () =>
      reader.onChange((changed) => {
        if (tables.some((table) => changed[table] !== undefined)) setChanges((count) => count + 1);
      }),
    [reader],
  );
  return changes;
}

/** One stored row, kept up to date; null when there is none. */
export function useRow<Name extends ShownTable>(table: Name, id: number): Loaded<Rows[Name] | null> {
  const { reader } = useSession();
  const changes = useChanges([table]);
  return useLoaded(() => reader.get(table, id), [reader, table, id, changes]);
}
