import { openDB, type DBSchema, type IDBPDatabase, type IDBPTransaction } from 'idb';
import { firstState, type ApiState, type Budget, type Changes, type Impression } from '../../w3c/documents';
import type { CallEntry } from '../../w3c/log';
import { MemoryDocuments } from '../../w3c/memory';

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

/** A site that calls more often loses its own oldest entries, and only with its first one another's. */
const MOST_LOGGED = 1000;
const MOST_LOGGED_OF_SITE = 200;

type Tables = IDBPTransaction<Schema, ArrayLike<(typeof TABLES)[number]>, 'readwrite'>;

/** The documents of W3C Attribution in IndexedDB, beside those of Attribution Reporting. */
export class W3cStore {
  private constructor(private readonly database: IDBPDatabase<Schema>) {}

  static async open(name = 'cointoss-w3c'): Promise<W3cStore> {
    return new W3cStore(
      await openDB<Schema>(name, 1, {
        upgrade: (database) => {
          database.createObjectStore('state');
          database.createObjectStore('impressions', { keyPath: 'id' });
          database.createObjectStore('budgets', { keyPath: 'id' });
          database
            .createObjectStore('log', { keyPath: 'id', autoIncrement: true })
            .createIndex('site', 'site');
        },
      }),
    );
  }

  close(): void {
    this.database.close();
  }

  /** Decides in one transaction, and applies what changes. Others wait until it is over. */
  async decide<T>(work: (documents: MemoryDocuments) => Decided<T>): Promise<T> {
    const transaction = this.database.transaction(TABLES, 'readwrite');
    try {
      const [state, impressions, budgets] = await Promise.all([
        transaction.objectStore('state').get(STATE),
        transaction.objectStore('impressions').getAll(),
        transaction.objectStore('budgets').getAll(),
      ]);
      const { result, changes, entry } = work(new MemoryDocuments(state ?? firstState, impressions, budgets));
      if (changes !== undefined) apply(transaction, changes);
      if (entry !== undefined) await log(transaction, entry);
      await transaction.done;
      return result;
    } catch (error) {
      transaction.done.catch(() => undefined);
      if (transaction.error === null) transaction.abort();
      throw error;
    }
  }

  /** Adds an entry of the log about a call that decided nothing. */
  add(entry: Omit<CallEntry, 'id'>): Promise<void> {
    return this.decide(() => ({ result: undefined, entry }));
  }

  async content(): Promise<W3cContent> {
    const transaction = this.database.transaction(TABLES);
    const [state, impressions, budgets, entries] = await Promise.all([
      transaction.objectStore('state').get(STATE),
      transaction.objectStore('impressions').getAll(),
      transaction.objectStore('budgets').getAll(),
      transaction.objectStore('log').getAll(),
    ]);
    return { state: state ?? firstState, impressions, budgets, log: entries };
  }

  /**
   * Erases, and says what was there.
   * @param isErased whether an entry of the log is erased
   */
  async erase(
    decide: (documents: MemoryDocuments) => Changes,
    isErased: (entry: CallEntry) => boolean,
  ): Promise<W3cContent> {
    const before = await this.content();
    await this.decide((documents) => ({ result: undefined, changes: decide(documents) }));
    const transaction = this.database.transaction('log', 'readwrite', { durability: 'strict' });
    for (const entry of before.log) if (isErased(entry)) void transaction.store.delete(entry.id);
    await transaction.done;
    return before;
  }

  /** Brings back what was erased. What came since stays, and what was spent since stays spent. */
  async restore({ state, impressions, budgets, log: entries }: W3cContent): Promise<void> {
    const transaction = this.database.transaction(TABLES, 'readwrite');
    const current = (await transaction.objectStore('state').get(STATE)) ?? firstState;
    void transaction.objectStore('state').put({ ...current, lastClear: state.lastClear }, STATE);
    for (const one of impressions) void transaction.objectStore('impressions').put(one);
    for (const one of budgets) {
      const since = await transaction.objectStore('budgets').get(one.id);
      const left = Math.min(one.left, since?.left ?? one.left);
      void transaction.objectStore('budgets').put({ ...one, left });
    }
    for (const one of entries) void transaction.objectStore('log').put(one);
    await transaction.done;
  }
}

function apply(transaction: Tables, { state, impressions, budgets }: Changes): void {
  void transaction.objectStore('state').put(state, STATE);
  const saved = transaction.objectStore('impressions');
  for (const [id, one] of impressions) void (one === null ? saved.delete(id) : saved.put(one));
  const spent = transaction.objectStore('budgets');
  for (const [id, one] of budgets) void (one === null ? spent.delete(id) : spent.put(one));
}

async function log(transaction: Tables, entry: Omit<CallEntry, 'id'>): Promise<void> {
  const entries = transaction.objectStore('log');
  // The key generator numbers it.
  await entries.add(entry as CallEntry);
  const ofSite = entries.index('site');
  const own = (await ofSite.count(entry.site)) > MOST_LOGGED_OF_SITE;
  if (!own && (await entries.count()) <= MOST_LOGGED) return;
  const oldest = own ? await ofSite.getKey(entry.site) : await entries.getKey(IDBKeyRange.lowerBound(0));
  if (oldest !== undefined) await entries.delete(oldest);
}
