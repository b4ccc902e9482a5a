import { openDB, type DBSchema, type IDBPDatabase, type IDBPTransaction } from 'idb';
import { firstState, type ApiState, type Budget, type Changes, type Impression } from '../../w3c/documents';
import type { CallEntry } from '../../w3c/log';
import { MemoryDocuments } from '../../w3c/memory';
import { abort } from './idb-schema';
import { fromSpare, hasSpare, replaceDatabase } from './idb-spare';

interface Schema extends DBSchema {
  readonly state: { readonly key: string; readonly value: ApiState };
  readonly impressions: { readonly key: number; readonly value: Impression };
  readonly budgets: { readonly key: string; readonly value: Budget };
  readonly log: {
    readonly key: number;
    readonly value: CallEntry;
    readonly indexes: { readonly site: string };
  };
}

/** All that there is. */
export interface W3cContent {
  readonly state: ApiState;
  readonly impressions: readonly Impression[];
  readonly budgets: readonly Budget[];
  /** The oldest first. */
  readonly log: readonly CallEntry[];
}

/** A decision: what changes, and what the log has of it. */
export interface Decided<T> {
  readonly result: T;
  readonly changes?: Changes;
  readonly entry?: Omit<CallEntry, 'id'>;
}

const STATE = 'state';
const TABLES = ['state', 'impressions', 'budgets', 'log'] as const;

/** A site that calls more often loses its own oldest entries. */
const MOST_LOGGED = 1000;
const MOST_LOGGED_OF_SITE = 200;

type Names = ArrayLike<(typeof TABLES)[number]>;
type Tables = IDBPTransaction<Schema, Names, 'readwrite'>;

/** The documents of W3C Attribution in IndexedDB, beside those of Attribution Reporting. */
export class W3cStore {
  /** Opened when it is first needed: nothing else waits for it, or fails with it. Null: not yet, or no more. */
  private opened: Promise<IDBPDatabase<Schema>> | null = null;
  /** Whether anything that was erased may still be on the disk. */
  private hasTraces = false;

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
        database.createObjectStore('state');
        database.createObjectStore('impressions', { keyPath: 'id' });
        database.createObjectStore('budgets', { keyPath: 'id' });
        database.createObjectStore('log', { keyPath: 'id', autoIncrement: true }).createIndex('site', 'site');
      },
      terminated: () => {
        this.opened = null;
      },
    });
  }

  /** As `replace` of the other store (./idb-store.ts): nothing of what was erased stays on the disk. */
  async replace(): Promise<void> {
    if (!this.hasTraces) return;
    const { saved, opened } = replaceDatabase(this.name, this.database(), TABLES, () => this.connect());
    this.opened = this.orAgain(opened);
    await Promise.all([saved, this.opened]);
    this.hasTraces = false;
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
      const { result, changes, entry } = work(await documentsIn(tables));
      if (changes !== undefined) apply(tables, changes);
      if (entry !== undefined) await log(tables, entry);
      return result;
    });
  }

  /** Adds an entry of the log about a call that decided nothing. */
  add(entry: Omit<CallEntry, 'id'>): Promise<void> {
    return this.write('relaxed', (tables) => log(tables, entry));
  }

  async content(): Promise<W3cContent> {
    return contentOf((await this.database()).transaction(TABLES));
  }

  /**
   * Erases in one transaction, and says what was there.
   * @param isErased whether an entry of the log is erased
   */
  erase(
    decide: (documents: MemoryDocuments) => Changes,
    isErased: (entry: CallEntry) => boolean,
  ): Promise<W3cContent> {
    return this.write('strict', async (tables) => {
      const before = await contentOf(tables);
      apply(tables, decide(new MemoryDocuments(before.state, before.impressions, before.budgets)));
      for (const entry of before.log)
        if (isErased(entry)) unawaited(tables.objectStore('log').delete(entry.id));
      this.hasTraces ||= before.impressions.length + before.budgets.length + before.log.length > 0;
      return before;
    });
  }

  /** Brings back what was erased. What came since stays, and what was spent since stays spent. */
  restore({ state, impressions, budgets, log: entries }: W3cContent): Promise<void> {
    return this.write('relaxed', async (tables) => {
      const current = (await tables.objectStore('state').get(STATE)) ?? firstState;
      unawaited(tables.objectStore('state').put({ ...current, lastClear: state.lastClear }, STATE));
      for (const one of impressions) unawaited(tables.objectStore('impressions').put(one));
      for (const one of budgets) {
        const since = await tables.objectStore('budgets').get(one.id);
        const left = Math.min(one.left, since?.left ?? one.left);
        unawaited(tables.objectStore('budgets').put({ ...one, left }));
      }
      const log = tables.objectStore('log');
      const times = new Map(entries.map(({ id, time }) => [id, time]));
      // A replaced database numbers them from the beginning.
      const since = (await log.getAll()).filter(({ id, time }) => times.get(id) !== time);
      const numberedAnew = since.map(({ id, ...entry }) => {
        unawaited(log.delete(id));
        return entry;
      });
      for (const one of entries) unawaited(log.put(one));
      for (const one of numberedAnew) unawaited(log.add(one as CallEntry));
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
    tables.objectStore('state').get(STATE),
    tables.objectStore('impressions').getAll(),
    tables.objectStore('budgets').getAll(),
  ]);
  return new MemoryDocuments(state ?? firstState, impressions, budgets);
}

async function contentOf(tables: Readable): Promise<W3cContent> {
  const [{ state, impressions, budgets }, entries] = await Promise.all([
    documentsIn(tables),
    tables.objectStore('log').getAll(),
  ]);
  return { state, impressions, budgets, log: entries };
}

function apply(tables: Tables, { state, impressions, budgets }: Changes): void {
  unawaited(tables.objectStore('state').put(state, STATE));
  const saved = tables.objectStore('impressions');
  for (const [id, one] of impressions) unawaited(one === null ? saved.delete(id) : saved.put(one));
  const spent = tables.objectStore('budgets');
  for (const [id, one] of budgets) unawaited(one === null ? spent.delete(id) : spent.put(one));
}

async function log(tables: Tables, entry: Omit<CallEntry, 'id'>): Promise<void> {
  const entries = tables.objectStore('log');
  // The key generator numbers it.
  await entries.add(entry as CallEntry);
  const ofSite = entries.index('site');
  const own = (await ofSite.count(entry.site)) > MOST_LOGGED_OF_SITE;
  if (!own && (await entries.count()) <= MOST_LOGGED) return;
  const oldest = own ? await ofSite.getKey(entry.site) : await entries.getKey(IDBKeyRange.lowerBound(0));
  if (oldest !== undefined) await entries.delete(oldest);
}
