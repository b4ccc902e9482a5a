import { createHash } from 'node:crypto';
import type { ByteSource } from '../io/byte-source';
import { inOrder } from '../io/in-order';
import { InputError } from '../io/input';
import { cutLog, filesToCut, withLineNumbers, type SizedFile } from '../io/log-ranges';
import { NameNumbers } from '../io/name-numbers';
import { memberOf } from './sharding';
import { sayNoEvents, type Progress } from './lines';
import type { LogPlan } from './log-options';
import type { Answer, Part, PartRead, PartTask } from './parts';
import { batchesOf, comesAgain, readUsers } from './users';

/** How far a log was simulated. */
interface Done {
  readonly parts: number;
  /** A hash of these parts. */
  readonly log: string;
}

const nothing: Done = { parts: 0, log: '' };

/** The result of a part of a log, and how far the log is done with it. */
interface PartDone<Simulated> extends Done {
  readonly result: Simulated;
}

/** What simulates the parts of a log. */
export interface Simulator<Simulated> {
  readonly run: (task: PartTask) => Promise<Answer<Simulated>>;
  /** How many parts it is given before the first one is done. */
  readonly atOnce: number;
}

/** Two for each thread keep every thread busy; more would only use memory. */
export const atOnceIn = (threads: number): number => 2 * threads;

/**
 * Simulates a log. Yields the results of its parts in order.
 * @param before the parts that an earlier run finished: they are read again, to check that they are the same.
 * @throws InputError for a mistake in the log.
 */
export async function* resultsOf<Simulated extends { readonly kind: 'done'; readonly read: PartRead }>(
  plan: LogPlan,
  progress: Progress,
  { run, atOnce }: Simulator<Simulated>,
  before = nothing,
): AsyncGenerator<PartDone<Simulated>, void, undefined> {
  const { input, mapping, unsorted } = plan;
  // Threads read their parts themselves, unless the log must be read from its beginning, is sorted, or has a map.
  const files = mapping === null && !unsorted ? filesToCut(input.files) : null;
  const readings = new Readings(plan, progress);
  const changed = new InputError(
    `${input.names.join(', ')}: must begin with the log that ${plan.output} was begun with`,
  );
  let parts = 0;
  const tasks = tasksOf(files === null ? readParts(plan, progress) : cutParts(files), before.parts);
  for await (const [task, answer] of inOrder(tasks, run, atOnce)) {
    if (answer.kind === 'bad-line') throw await badLine(task, answer.message, run);
    await readings.add(task.part, answer.read);
    const { log } = readings;
    parts += 1;
    if (parts === before.parts && log !== before.log) throw changed;
    if (answer.kind === 'done') yield { result: answer, parts, log };
  }
  if (parts < before.parts) throw changed;
  if (files !== null && progress.rows === 0) sayNoEvents(input);
}

async function* tasksOf(
  parts: AsyncIterable<Part> | Iterable<Part>,
  done: number,
): AsyncGenerator<PartTask, void, undefined> {
  let count = 0;
  for await (const part of parts) yield { part, isDone: count++ < done };
}

function* cutParts(files: readonly SizedFile[]): Generator<Part, void, undefined> {
  for (const ranges of cutLog(files)) yield { kind: 'ranges', ranges };
}

async function* readParts(plan: LogPlan, progress: Progress): AsyncGenerator<Part, void, undefined> {
  for await (const batch of batchesOf(readUsers(plan, progress), progress)) {
    const users = batch.map(({ user, lines }) => ({
      user,
      lines: lines.map(({ place, text }) => ({ place, text })),
    }));
    yield { kind: 'users', users };
  }
}

/** Locates the mistake in a part. A thread does not know the line numbers, so the part is read again with them. */
async function badLine(
  { part, isDone }: PartTask,
  message: string,
  run: (task: PartTask) => Promise<Answer<{ readonly kind: 'done' }>>,
): Promise<InputError> {
  if (part.kind === 'users') return new InputError(message);
  const again = await run({ part: numbered(part), isDone });
  return new InputError(again.kind === 'bad-line' ? again.message : message);
}

const numbered = (part: Part): Part =>
  part.kind === 'ranges' ? { kind: 'ranges', ranges: withLineNumbers(part.ranges) } : part;

/** Combines, in order, what threads read from a log. */
class Readings {
  /** A hash of all that was added so far. */
  log = '';
  private readonly names = new NameNumbers();
  private readonly sources: ReadonlyMap<string, ByteSource>;

  constructor(
    private readonly plan: LogPlan,
    private readonly progress: Progress,
  ) {
    this.sources = new Map(plan.input.files.map((source) => [source.file, source]));
  }

  /** @throws InputError for a user who has lines in an earlier part. */
  async add(part: Part, { digest, names, rows, lines, first, last }: PartRead): Promise<void> {
    this.log = createHash('sha256').update(this.log).update(digest).digest('hex');
    if (part.kind === 'users') return;
    for (const [index, name] of names.entries()) {
      const known = this.names.size;
      if (this.names.ofHash(name) < known) throw await this.repeated(part, index);
    }
    this.progress.rows += rows;
    this.progress.lines += lines;
    this.progress.users += names.length;
    this.progress.span({ first, last });
    for (const { file, start, end } of part.ranges) {
      const source = this.sources.get(file);
      if (source !== undefined) source.read += end - start;
    }
  }

  private async repeated(part: Part, index: number): Promise<InputError> {
    const { readPart } = await import('./read');
    const { users } = readPart(numbered(part), memberOf(this.plan.shard));
    let count = 0;
    for await (const { user, lines } of users)
      if (count++ === index) return comesAgain({ user, place: lines[0]?.place ?? '' });
    throw new Error('the log must not change while it is read');
  }
}
