import { createHash } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import { makeFolder, removeUnfinished, sync } from '../../node/files';
import { folderProblem } from '../../node/owner-only';
import { addOwnLine, readOwnLines } from '../../node/own-lines';
import { lockFile } from '../../scripts/lock.mjs';
import { summaryRows, type SummaryRow } from '../../analysis/aggregate/summary';
import type { Json } from '../../src/model/json';
import { parse } from '../../formats/codec/issues';
import { list, string, type Codec } from '../../formats/codec/codec';
import { constant, record, required, union } from '../../formats/codec/record';
import { accept, InputError, readJson } from '../io/input';
import { replaceFile, writing } from '../io/output';

/** `shared_ids` are spent from `reserved` on. From `done` on the result is not given out again. */
type Entry =
  | { readonly kind: 'reserved'; readonly job: string; readonly sharedIds: readonly string[] }
  | { readonly kind: 'done'; readonly job: string };

const entry: Codec<Entry> = union<Entry>({
  reserved: record<Extract<Entry, { kind: 'reserved' }>>({
    kind: constant('kind', 'reserved'),
    job: required('job', string),
    sharedIds: required('shared_ids', list(string)),
  }),
  done: record<Extract<Entry, { kind: 'done' }>>({
    kind: constant('kind', 'done'),
    job: required('job', string),
  }),
});

/** A batch with everything that determines its summary report. */
export interface Job {
  /** Equal only for the same reports and options. */
  readonly id: string;
  readonly sharedIds: readonly string[];
}

/**
 * Records in a folder which shared ids have been aggregated. Each step is durable before the next one, so a run that is killed has spent
 * and revealed nothing, or it gets the same result when it is run again:
 *
 * 1. `reserved` is appended to the ledger. From here on no other job gets the shared ids.
 * 2. The noise is drawn, and the result is written beside the ledger.
 * 3. The result is published.
 * 4. `done` is appended, and the result beside the ledger is removed.
 */
export class AggregationLedger {
  private readonly file: string;
  /** The job that has spent a shared id, by the hash of that. */
  private readonly spent = new Map<string, string>();
  private readonly done = new Set<string>();

  private constructor(
    private readonly folder: string,
    private readonly release: () => Promise<void>,
  ) {
    this.file = path.join(folder, 'ledger.ndjson');
    const lines = writing(this.file, () => readOwnLines(this.file));
    lines.forEach((line, index) => {
      const place = `${this.file}: line ${index + 1}`;
      this.apply(accept(place, parse(jsonOf(line), entry)));
    });
    removeUnfinished(folder);
    for (const job of this.done) rmSync(this.resultFile(job), { force: true });
  }

  /** @throws InputError when it cannot be read, or another process has it open. */
  static async open(folder: string): Promise<AggregationLedger> {
    writing(folder, () => makeFolder(folder, 'owner'));
    const problem = folderProblem(folder);
    if (problem !== null) throw new InputError(`${folder}: ${problem}`);
    const release = await lockFile(path.join(folder, 'lock'));
    if (release === null)
      throw new InputError(`${folder}: must not be in use, but another cointoss aggregate is using it`);
    try {
      return new AggregationLedger(folder, release);
    } catch (error) {
      await release();
      throw error;
    }
  }

  /**
   * The job's result, which is drawn the first time only.
   * @throws InputError when one of the shared ids is spent.
   */
  result(job: Job, draw: () => readonly SummaryRow[]): readonly SummaryRow[] {
    const ids = job.sharedIds.map(hashOf);
    const [owner] = ids.flatMap((id) => this.spent.get(id) ?? []);
    if (owner === undefined) this.append({ kind: 'reserved', job: job.id, sharedIds: ids });
    else if (owner !== job.id || this.done.has(owner)) throw this.refusal(job, ids);
    const file = this.resultFile(job.id);
    if (!existsSync(file)) {
      replaceFile(file, JSON.stringify(summaryRows.write(draw())), 'owner');
      sync(this.folder);
    }
    return accept(file, parse(readJson(file), summaryRows));
  }

  /** Call it once the result is at its destination. */
  finish({ id }: Job): void {
    this.append({ kind: 'done', job: id });
    rmSync(this.resultFile(id));
  }

  close(): Promise<void> {
    return this.release();
  }

  private refusal(job: Job, ids: readonly string[]): InputError {
    const known = ids.findIndex((id) => this.spent.has(id));
    const count = ids.filter((id) => this.spent.has(id)).length;
    const isOpen = !this.done.has(this.spent.get(ids[known] ?? '') ?? '');
    const advice = isOpen
      ? 'by a run that was stopped: run it again with the same reports and options'
      : 'and reports are aggregated once';
    return new InputError(
      `${this.file}: ${count} of ${ids.length} shared ids of the reports are spent (${job.sharedIds[known] ?? ''}), ${advice}`,
    );
  }

  private append(added: Entry): void {
    writing(this.file, () => {
      addOwnLine(this.file, JSON.stringify(entry.write(added)));
      sync(this.file);
      sync(this.folder);
    });
    this.apply(added);
  }

  private apply(change: Entry): void {
    if (change.kind === 'done') this.done.add(change.job);
    else for (const id of change.sharedIds) this.spent.set(id, change.job);
  }

  private readonly resultFile = (job: string): string => path.join(this.folder, `${job}.result`);
}

const hashOf = (sharedId: string): string => createHash('sha256').update(sharedId).digest('hex');

function jsonOf(line: string): Json {
  try {
    return JSON.parse(line) as Json;
  } catch {
    return null;
  }
}
