import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { BatchHealth } from './batch-health';
import { isDataError, type Database } from './database';
import { GroupCommit, Overload } from './group-commit';
import type { Journal, JournalLine, Position } from './journal';
import { readItem, writeItem, type Item } from './journal-item';
import { bytesOf, insertReports, type Outcome, type ReceivedReport } from './reports';
import { forgetTokens, SpentTokens, spendTokens, TokenSpent } from './spent-tokens';
import { addCounts, type CountedReport } from './report-counts';

interface Entry {
  readonly item: Item;
  /** In the journal, if there is one. */
  readonly position: Position | null;
}

/** What the database will say of something that is durable already. */
export interface Accepted {
  readonly outcome: Promise<Outcome | 'refused'>;
}

const MEBIBYTE = 2 ** 20;
const BATCH = { items: 2000, bytes: 4 * MEBIBYTE, waitingBytes: Infinity };
/** The most bytes that may wait before they are in the database. */
const WAITING_BYTES = 64 * MEBIBYTE;
/** In bytes. */
const TALLY_BYTES = 500;
/** Between two tries to write a batch, twice as long each time: a folder's database is opened anew for each. */
const RETRY_MILLISECONDS = { first: 500, most: 10_000 };

/** Receives the size and duration of each batch, for the metrics. */
export type OnBatch = (size: number, seconds: number) => void;

/**
 * Writes reports, and counts of refused ones, in batches: into the database or, if that can be busy, into its journal first. What is in the
 * journal is durable, and written to the database until that succeeds.
 */
export class ReportWriter {
  readonly #name = randomUUID();
  readonly #health = new BatchHealth(() => performance.now());
  readonly #journaled: GroupCommit<Item, Position>;
  readonly #entries: GroupCommit<Entry, Outcome | 'refused'>;
  #waitingBytes = 0;
  #waiting = 0;
  #last: Promise<unknown> = Promise.resolve();
  readonly #spent = new SpentTokens();
  /** Whether a batch that cannot be written is tried again. */
  #retries = false;
  /** Ends the wait for the next try. */
  readonly #closing = new AbortController();
  /** Why a batch stays in the journal. The database's position must not pass it, so what follows stays there, too. */
  #stopped: { readonly reason: unknown } | null = null;

  /** @param onStored is called with the number of new reports of a batch. */
  constructor(
    private readonly database: Database,
    private readonly journal: Journal | null,
    private readonly onStored: (reports: number) => void,
    onBatch: OnBatch,
  ) {
    this.#journaled = new GroupCommit(
      (items) => this.journalItems(items),
      () => false,
      BATCH,
    );
    this.#entries = new GroupCommit(
      async (entries) => {
        const start = performance.now();
        const outcomes = await this.writeBatch(entries);
        onBatch(entries.length, (performance.now() - start) / 1000);
        return outcomes;
      },
      isDataError,
      BATCH,
    );
  }

  /** How many reports are not in the database yet. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Whether the last batch could not be written. */
  get isFailing(): boolean {
    return this.#health.isFailing;
  }

  /**
   * Resolves once the report is durable; rejects when it may not be.
   * @throws TokenSpent when another report has spent its token
   */
  add(report: ReceivedReport): Promise<Accepted> {
    return this.accept({ report }, bytesOf(report));
  }

  /** Forgets which tokens of these keys were spent. Only for keys whose tokens are refused. */
  async forgetTokens(keyIds: readonly string[]): Promise<void> {
    this.#spent.forget(keyIds);
    await forgetTokens(this.database, keyIds);
  }

  async countRefused(kind: CountedReport['kind']): Promise<void> {
    await this.accept({ refusal: { kind, outcome: 'refused' } }, TALLY_BYTES);
  }

  /** Resolves once the database has what was accepted before the call. */
  async applied(): Promise<void> {
    if (this.journal !== null) await this.#last;
  }

  /** Writes what an earlier run left in the journal. Rejects when it cannot be written. */
  async recover(): Promise<void> {
    const left = [...(this.journal?.left() ?? [])];
    await Promise.all(left.map((line) => this.writeLeft(line)));
    this.journal?.removeLeft();
    if (this.journal !== null) await this.#spent.load(this.database);
    this.#retries = this.journal !== null;
  }

  /** Writes what waits. What cannot be written stays in the journal. */
  async close(): Promise<void> {
    await this.#journaled.drain();
    this.#retries = false;
    this.#closing.abort();
    await this.#entries.drain();
    this.journal?.close();
  }

  private accept(item: Item, bytes: number): Promise<Accepted> {
    if (this.#waitingBytes + bytes > WAITING_BYTES)
      return Promise.reject(new Overload('too many reports are waiting to be stored'));
    return this.journal === null ? this.acceptAtOnce(item, bytes) : this.acceptInJournal(item, bytes);
  }

  private async acceptAtOnce(item: Item, bytes: number): Promise<Accepted> {
    this.#waitingBytes += bytes;
    this.#waiting += 1;
    try {
      const outcome = await this.#entries.add({ item, position: null }, bytes);
      if (outcome === 'refused' && 'report' in item) throw new TokenSpent();
      return { outcome: Promise.resolve(outcome) };
    } finally {
      this.#waitingBytes -= bytes;
      this.#waiting -= 1;
    }
  }

  private async acceptInJournal(item: Item, bytes: number): Promise<Accepted> {
    // If it cannot be written now, only the same report can spend the token later.
    if ('report' in item) this.#spent.spend(item.report);
    this.#waitingBytes += bytes;
    this.#waiting += 1;
    const done = (): void => {
      this.#waitingBytes -= bytes;
      this.#waiting -= 1;
    };
    try {
      const outcome = this.write({ item, position: await this.#journaled.add(item, bytes) });
      this.#last = outcome.then(done, done);
      return { outcome };
    } catch (error) {
      done();
      throw error;
    }
  }

  /** What can never be written is set aside: it must not keep the collector from starting. */
  private async writeLeft({ text, position }: JournalLine): Promise<void> {
    let item: Item;
    try {
      item = readItem(text);
    } catch {
      // A version with other checks has accepted it.
      this.journal?.setAside(text);
      return;
    }
    await this.write({ item, position }).catch((error: unknown) => {
      if (!isDataError(error)) throw error;
    });
  }

  private async write(entry: Entry): Promise<Outcome | 'refused'> {
    try {
      return await this.#entries.add(
        entry,
        'report' in entry.item ? bytesOf(entry.item.report) : TALLY_BYTES,
      );
    } catch (error) {
      if (isDataError(error)) this.journal?.setAside(writeItem(entry.item));
      throw error;
    }
  }

  private async journalItems(items: readonly Item[]): Promise<readonly Position[]> {
    try {
      return (await this.journal?.append(items.map(writeItem))) ?? [];
    } catch (error) {
      this.#health.failed();
      throw error;
    }
  }

  private async writeBatch(entries: readonly Entry[]): Promise<readonly (Outcome | 'refused')[]> {
    for (let wait = RETRY_MILLISECONDS.first; ; wait = Math.min(2 * wait, RETRY_MILLISECONDS.most))
      try {
        if (this.#stopped !== null) throw this.#stopped.reason;
        const outcomes = await this.commit(entries);
        this.#health.succeeded();
        this.onStored(outcomes.filter((outcome) => outcome === 'stored').length);
        return outcomes;
      } catch (error) {
        if (!isDataError(error)) this.#health.failed();
        if (isDataError(error)) throw error;
        if (!this.#retries) {
          if (this.journal !== null) this.#stopped = { reason: error };
          throw error;
        }
        await sleep(wait, null, { signal: this.#closing.signal }).catch(() => undefined);
      }
  }

  private async commit(entries: readonly Entry[]): Promise<readonly (Outcome | 'refused')[]> {
    const outcomes = await this.database.transaction(async (transaction) => {
      const reports = entries.flatMap(({ item }) => ('report' in item ? [item.report] : []));
      const unpaid = await spendTokens(transaction, reports);
      const isUnpaid = (entry?: Entry): boolean =>
        entry !== undefined && 'report' in entry.item && unpaid.has(entry.item.report);
      const paid = reports.filter((report) => !unpaid.has(report));
      const found = [...(paid.length === 0 ? [] : await insertReports(transaction, paid))];
      const counts = entries.map(({ item }): CountedReport => {
        if ('refusal' in item) return item.refusal;
        const { report } = item;
        return { kind: report.kind, outcome: unpaid.has(report) ? 'refused' : (found.shift() ?? 'stored') };
      });
      // Whoever sent a report with a spent token is answered, and then it is counted as refused.
      const counted = counts.filter((_, index) => !isUnpaid(entries[index]));
      if (counted.length > 0) addCounts(transaction, this.#name, counted);
      const { position = null } = entries.at(-1) ?? {};
      if (position !== null)
        transaction.withCommit(`UPDATE journal SET part = ${position.part}, position = ${position.end}`);
      return counts.map(({ outcome }) => outcome);
    });
    const { position = null } = entries.at(-1) ?? {};
    if (position !== null) this.journal?.applied(position);
    return outcomes;
  }
}
