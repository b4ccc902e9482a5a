import { openDB, type DBSchema, type IDBPDatabase, type IDBPTransaction } from 'idb';
import { firstState, type ApiState, type Budget, type Changes, type Impression } from '../../w3c/documents';
import type { CallEntry } from '../../w3c/log';
import { MemoryDocuments } from '../../w3c/memory';
import { abort } from './idb-schema';
import { fromSpare, hasSpare, isThereOrSaved, replaceDatabase } from './idb-spare';

/** Keys tell nothing: Chrome keeps some of them in a file that outlives the database (./hidden-names.ts). */
interface Schema extends DBSchema {
  readonly state: { readonly key: string; readonly value: ApiState };
  readonly impressions: { readonly key: number; readonly value: Impression };
  readonly budgets: { readonly key: string; readonly value: readonly Budget[] };
  readonly log: { readonly key: number; readonly value: CallEntry };
  /** Whose the entries of the log are. */
  readonly logged: { readonly key: string; readonly value: readonly Logged[] };
}

type Logged = Pick<CallEntry, 'id' | 'site'>;

/** All that there is. */
export interface W3cContent {
  readonly state: ApiState;
  readonly impressions: readonly Impression[];
  readonly budgets: readonly Budget[];
  /** The oldest first. */
  readonly log: readonly CallEntry[];
}

/** What was erased: all that there was before, and what the erasure wrote of budgets. */
export interface W3cErased extends W3cContent {
  readonly written: Changes['budgets'];
}

/** A decision: what changes, and what the log has of it. */
export interface Decided<T> {
  readonly result: T;
  readonly changes?: Changes;
  readonly entry?: Omit<CallEntry, 'id'>;
}

const TABLES = ['state', 'impressions', 'budgets', 'log', 'logged'] as const;
/** The key of the one value that some tables have. */
const ALL = 'all';

/** A site that calls more often loses its own oldest entries. */
const MOST_LOGGED = 1000;
const MOST_LOGGED_OF_SITE = 200;

type Names = ArrayLike<(typeof TABLES)[number]>;
type Tables = IDBPTransaction<Schema, Names, 'readwrite'>;

/** The documents of W3C Attribution in IndexedDB, beside those of Attribution Reporting. */
export class W3cStore {
  /** Opened when it is first needed: nothing else waits for it, or fails with it. Null: not yet, or no more. */
  private opened: Promise<IDBPDatabase<Schema>> | null = null;
  constructor(private readonly name = 'cointoss-w3c') {}

  private database(): Promise<IDBPDatabase<Schema>> {
    return (this.opened ??= this.orAgain(this.finishReplacing()));
  }

  /** If it cannot be opened, the next one tries again. */
  private orAgain(opened: Promise<IDBPDatabase<Schema>>): Promise<IDBPDatabase<Schema>> {
    return opened.catch((error: unknown) => {
      this.opened = null;
      throw error;
    });
  }

  private connect(): Promise<IDBPDatabase<Schema>> {
    return openDB<Schema>(this.name, 1, {
      upgrade: (database) => {
        for (const name of ['state', 'budgets', 'logged'] as const) database.createObjectStore(name);
        for (const name of ['impressions', 'log'] as const)
          database.createObjectStore(name, { keyPath: 'id' });
      },
      terminated: () => {
        this.opened = null;
      },
    });
  }

  /** As `replace` of the other store (./idb-store.ts): nothing of what was erased stays on the disk. */
  async replace(): Promise<void> {
    // The background may have ended since something was erased, so it counts only whether there is a database.
    if (!(await this.isThere())) return;
    const { saved, opened } = replaceDatabase(this.name, this.database(), TABLES, () => this.connect());
    this.opened = this.orAgain(opened);
    await Promise.all([saved, this.opened]);
  }

  /** Whether there is a database, or what was saved of one: it is made when it is first needed. */
  async isThere(): Promise<boolean> {
    return this.opened !== null || (await isThereOrSaved(this.name));
  }

  async hasImpressions(): Promise<boolean> {
    return (await this.isThere()) && (await (await this.database()).count('impressions')) > 0;
  }

  private async finishReplacing(): Promise<IDBPDatabase<Schema>> {
    const connect = (): Promise<IDBPDatabase<Schema>> => this.connect();
    return (await hasSpare(this.name)) ? fromSpare(this.name, connect) : connect();
  }

  async close(): Promise<void> {
    (await this.database()).close();
  }

  /**
   * Decides in one transaction, and applies what changes. Others wait until it is over.
   * @param durability strict where the result must not outlast what changes
   */
  decide<T>(
    work: (documents: MemoryDocuments) => Decided<T>,
    durability: IDBTransactionDurability = 'relaxed',
  ): Promise<T> {
    return this.write(durability, async (tables) => {
      const documents = await documentsIn(tables);
      const { result, changes, entry } = work(documents);
      if (changes !== undefined) apply(tables, documents, changes);
      if (entry !== undefined) await log(tables, entry);
      return result;
    });
  }

  /** Adds an entry of the log about a call that decided nothing. */
  add(entry: Omit<CallEntry, 'id'>): Promise<void> {
    return this.write('relaxed', (tables) => log(tables, entry));
  }

  async content(): Promise<W3cContent> {
    if (!(await this.isThere())) return { state: firstState, impressions: [], budgets: [], log: [] };
    return contentOf((await this.database()).transaction(TABLES));
  }

  /**
   * Erases in one transaction, and says what was there.
   * @param isErased whether an entry of the log is erased
   */
  erase(
    decide: (documents: MemoryDocuments) => Changes,
    isErased: (entry: CallEntry) => boolean,
  ): Promise<W3cErased> {
    return this.write('strict', async (tables) => {
      const before = await contentOf(tables);
      const documents = new MemoryDocuments(before.state, before.impressions, before.budgets);
      const changes = decide(documents);
      apply(tables, documents, changes);
      putLog(
        tables,
        before.log.filter((entry) => !isErased(entry)),
      );
      return { ...before, written: changes.budgets };
    });
  }

  /** Brings back what was erased. What came since stays, and what was spent since stays spent. */
  restore({ state, impressions, budgets, log: entries, written }: W3cErased): Promise<void> {
    return this.write('relaxed', async (tables) => {
      const current = await contentOf(tables);
      unawaited(tables.objectStore('state').put({ ...current.state, lastClear: state.lastClear }, ALL));
      for (const one of impressions) unawaited(tables.objectStore('impressions').put(one));
      const since = new Map(current.budgets.map((one) => [one.id, one]));
      // The erasure itself spends budgets of later epochs. These become what they were, unless something else was spent since.
      for (const [id, one] of written) if (one?.left === since.get(id)?.left) since.delete(id);
      const restored = budgets.map((one) => {
        const left = Math.min(one.left, since.get(one.id)?.left ?? one.left);
        since.delete(one.id);
        return { ...one, left };
      });
      unawaited(tables.objectStore('budgets').put([...restored, ...since.values()], ALL));
      const times = new Map(entries.map(({ id, time }) => [id, time]));
      // After all were erased, entries are numbered from the beginning.
      const others = current.log.filter(({ id, time }) => times.get(id) !== time);
      const kept = [...entries, ...others].sort((a, b) => a.time - b.time);
      putLog(
        tables,
        kept.map((entry, index) => ({ ...entry, id: index + 1 })),
      );
    });
  }

  /** All that it does takes place, or nothing. */
  private async write<T>(
    durability: IDBTransactionDurability,
    work: (tables: Tables) => Promise<T>,
  ): Promise<T> {
    const transaction = (await this.database()).transaction(TABLES, 'readwrite', { durability });
    try {
      const result = await work(transaction);
      await transaction.done;
      return result;
    } catch (error) {
      transaction.done.catch(() => undefined);
      const first = transaction.error;
      abort(transaction);
      throw first ?? error;
    }
  }
}

/** A failure undoes the transaction, which then says why. */
function unawaited(request: Promise<unknown>): void {
  request.catch(() => undefined);
}

type Readable = Pick<IDBPTransaction<Schema, Names, IDBTransactionMode>, 'objectStore'>;

async function documentsIn(tables: Readable): Promise<MemoryDocuments> {
  const [state, impressions, budgets] = await Promise.all([
    tables.objectStore('state').get(ALL),
    tables.objectStore('impressions').getAll(),
    tables.objectStore('budgets').get(ALL),
  ]);
  return new MemoryDocuments(state ?? firstState, impressions, budgets ?? []);
}

async function contentOf(tables: Readable): Promise<W3cContent> {
  const [{ state, impressions, budgets }, entries] = await Promise.all([
    documentsIn(tables),
    tables.objectStore('log').getAll(),
  ]);
  return { state, impressions, budgets, log: entries };
}

function apply(tables: Tables, documents: MemoryDocuments, changes: Changes): void {
  documents.apply(changes);
  unawaited(tables.objectStore('state').put(changes.state, ALL));
  const saved = tables.objectStore('impressions');
  for (const [id, one] of changes.impressions) unawaited(one === null ? saved.delete(id) : saved.put(one));
  if (changes.budgets.size > 0) unawaited(tables.objectStore('budgets').put(documents.budgets, ALL));
}

async function log(tables: Tables, entry: Omit<CallEntry, 'id'>): Promise<void> {
  const logged = (await tables.objectStore('logged').get(ALL)) ?? [];
  const id = (logged.at(-1)?.id ?? 0) + 1;
  const own = logged.filter(({ site }) => site === entry.site);
  const [oldest] = own.length < MOST_LOGGED_OF_SITE ? logged : own;
  const isFull = own.length >= MOST_LOGGED_OF_SITE || logged.length >= MOST_LOGGED;
  if (isFull && oldest !== undefined) unawaited(tables.objectStore('log').delete(oldest.id));
  unawaited(tables.objectStore('log').put({ ...entry, id }));
  const kept = isFull ? logged.filter((one) => one !== oldest) : logged;
  unawaited(tables.objectStore('logged').put([...kept, { id, site: entry.site }], ALL));
}

function putLog(tables: Tables, entries: readonly CallEntry[]): void {
  const table = tables.objectStore('log');
  unawaited(table.clear());
  for (const entry of entries) unawaited(table.put(entry));
  unawaited(
    tables.objectStore('logged').put(
      entries.map(({ id, site }) => ({ id, site })),
      ALL,
    ),
  );
}
