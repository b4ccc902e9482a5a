import { randomUUID } from 'node:crypto';
import { BatchHealth } from './batch-health';
import { isDataError, type Database } from './database';
import { GroupCommit } from './group-commit';
import { bytesOf, insertReports, type Outcome, type ReceivedReport } from './reports';
import { addTallies, type Tally } from './tallies';

type Entry = { readonly report: ReceivedReport } | { readonly refusal: Tally };

const MEBIBYTE = 2 ** 20;
const LIMITS = { items: 2000, bytes: 4 * MEBIBYTE, waitingBytes: 64 * MEBIBYTE };
/** In bytes. */
const TALLY_BYTES = 500;

/** Receives the size and duration of each batch, for the metrics. */
export type OnBatch = (size: number, seconds: number) => void;

/** Writes reports, and counts of refused ones, in batches. */
export class ReportWriter {
  readonly #name = randomUUID();
  readonly #health = new BatchHealth(() => performance.now());
  readonly #entries: GroupCommit<Entry, Outcome | 'refused'>;

  /** @param onStored is called with the number of new reports of a batch. */
  constructor(
    private readonly database: Database,
    private readonly onStored: (reports: number) => void,
    onBatch: OnBatch,
  ) {
    this.#entries = new GroupCommit(
      async (entries) => {
        const start = performance.now();
        const outcomes = await this.write(entries);
        onBatch(entries.length, (performance.now() - start) / 1000);
        return outcomes;
      },
      isDataError,
      LIMITS,
    );
  }

  /** How many reports wait for the current batch to finish. */
  get waiting(): number {
    return this.#entries.waiting;
  }

  /** Whether the last batch could not be written. */
  get isFailing(): boolean {
    return this.#health.isFailing;
  }

  /** Resolves once the report is durable; rejects when it may not be. */
  async add(report: ReceivedReport): Promise<Outcome> {
    const outcome = await this.#entries.add({ report }, bytesOf(report));
    return outcome as Outcome; // one report has one outcome
  }

  async countRefused(kind: Tally['kind']): Promise<void> {
    await this.#entries.add({ refusal: { kind, outcome: 'refused' } }, TALLY_BYTES);
  }

  /** Writes all waiting reports. */
  drain(): Promise<void> {
    return this.#entries.drain();
  }

  private async write(entries: readonly Entry[]): Promise<readonly (Outcome | 'refused')[]> {
    try {
      const outcomes = await this.commit(entries);
      this.#health.succeeded();
      this.onStored(outcomes.filter((outcome) => outcome === 'stored').length);
      return outcomes;
    } catch (error) {
      if (!isDataError(error)) this.#health.failed();
      throw error;
    }
  }

  private commit(entries: readonly Entry[]): Promise<readonly (Outcome | 'refused')[]> {
    return this.database.transaction(async (transaction) => {
      const reports = entries.flatMap((entry) => ('report' in entry ? [entry.report] : []));
      const outcomes = [...(reports.length === 0 ? [] : await insertReports(transaction, reports))];
      const tallies = entries.map((entry): Tally => {
        if ('refusal' in entry) return entry.refusal;
        return { kind: entry.report.kind, outcome: outcomes.shift() ?? 'stored' };
      });
      addTallies(transaction, this.#name, tallies);
      return tallies.map(({ outcome }) => outcome);
    });
  }
}
