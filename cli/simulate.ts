import { existsSync } from 'node:fs';
import { Option } from 'commander';
import type { Json } from '../src/model/json';
import type { AllocationPolicy } from '../analysis/simulation/allocation';
import type { MatchingMechanism } from '../analysis/simulation/matching';
import { workerPool } from '../node/worker';
import { Tally } from '../analysis/simulation/tally';
import type { DefineCommand } from './define';
import { InputError } from './input';
import { CheckpointFile, hashOf, hashWith, type Checkpoint } from './simulate-checkpoint';
import { csvLines } from './simulate-csv';
import { eventLines, Progress } from './simulate-lines';
import { planOf, type Plan, type SimulateOptions } from './simulate-options';
import { isContinuable, openOutput, type Output } from './simulate-output';
import { inOrder, type BatchResult } from './simulate-batches';
import { showProgress } from './progress';
import { sorted } from './simulate-sort';
import { ByteSource } from './simulate-source';
import { summaryJson, summaryText } from './simulate-summary';
import { batchesOf, inOrderOfTime, usersOf, type Batch } from './simulate-users';

/** `cointoss simulate`: runs the logs of many users through the engine; see docs/simulate.md. */
export const define: DefineCommand = (command) => {
  command
    .requiredOption(
      '--input <file>',
      'events, one line of JSON each, or - for standard input; may be .gz or .zst',
    )
    .requiredOption(
      '--output <file>',
      'reports, one line of JSON each, or - for standard output; may be .gz or .zst',
    )
    .option('--sources-output <file>', 'write the log of the stored sources, which estimate reads')
    .option('--threads <count>', 'how many threads; by default as many as the machine has')
    .option('--seed <seed>', 'make the noise and the report ids repeatable')
    .option('--no-noise', 'noise no source unless the log forces it')
    .option(
      '--settings <file>',
      "the extension's settings, or a trial with its settings; by default the defaults with Chromium's delivery",
    )
    .addOption(
      new Option('--allocation <policy>', 'how impressions share the privacy budget of a unit')
        .choices(['per-cap', 'per-count', 'random-cap'] satisfies AllocationPolicy[])
        .default('per-cap' satisfies AllocationPolicy),
    )
    .addOption(
      new Option(
        '--matching <mechanism>',
        'credit each click with at most one conversion, by the private attribution of the settings',
      ).choices(['laplace', 'greedy'] satisfies MatchingMechanism[]),
    )
    .option('--csv', 'the input is CSV; needs --map')
    .option('--map <file>', 'the file that says what the columns of the CSV file are')
    .option('--unsorted', 'sort the events by user and time first')
    .option('--resume', 'continue an output that is not complete')
    .option('--with-users', 'add to each report whose it is (no collector would know)')
    .option('--summary <file>', 'write a summary of everything as JSON')
    .action((options: SimulateOptions) => simulateCommand(planOf(options)));
};

async function simulateCommand(plan: Plan): Promise<void> {
  const checkpoints = isContinuable(plan.output) ? new CheckpointFile(plan.output) : null;
  const run = hashOf([plan.setup, plan.mapping, plan.unsorted]);
  const from = plan.resume ? (checkpoints?.read() ?? null) : null;
  if (from === null && plan.resume && existsSync(plan.output)) {
    process.stderr.write(`cointoss: ${plan.output}: has no checkpoint, so it is already complete\n`);
    return;
  }
  if (from !== null && from.run !== run)
    throw new InputError(
      `${checkpoints?.file ?? ''}: must be of the same options and settings; without --resume the output begins anew`,
    );
  const source = new ByteSource(plan.input);
  const sources =
    plan.sourcesOutput === null ? null : await openOutput(plan.sourcesOutput, from?.sourcesBytes);
  // Opened before the simulation, which can take hours, and before it overwrites earlier output.
  const summary = plan.summary === null ? null : await openOutput(plan.summary);
  try {
    const output = await openOutput(plan.output, from?.bytes);
    try {
      const json = await simulate(plan, source, { output, sources }, checkpoints, from ?? beginning(run));
      await summary?.append(new TextEncoder().encode(`${JSON.stringify(json)}\n`));
      checkpoints?.remove();
    } finally {
      await output.close();
    }
  } finally {
    await sources?.close();
    await summary?.close();
  }
}

const beginning = (run: string): Checkpoint => ({
  run,
  batches: 0,
  log: '',
  bytes: 0,
  sourcesBytes: 0,
  tally: [],
});

/** How far the log has been read. */
function readSoFar({ size, read }: ByteSource, { lines, users }: Progress): string {
  const part = size === null ? '' : ` (${Math.floor((100 * read) / Math.max(size, 1))} %)`;
  return `${lines} lines${part}, ${users} users`;
}

/** @returns the summary. */
async function simulate(
  plan: Plan,
  source: ByteSource,
  { output, sources }: { readonly output: Output; readonly sources: Output | null },
  checkpoints: CheckpointFile | null,
  from: Checkpoint,
): Promise<Json> {
  const progress = new Progress();
  const pool = workerPool<Batch, BatchResult>('simulate-worker', plan.threads, plan.setup);
  const stopShowing = showProgress(() => readSoFar(source, progress));
  const tally = new Tally();
  tally.addAll(from.tally);
  let { batches, bytes, sourcesBytes } = from;
  checkpoints?.write(from);
  try {
    const todo = withoutDone(batchesOf(readUsers(plan, source, progress), progress), from, plan);
    // Two per thread keep every thread busy; more would only take memory.
    for await (const [{ log }, result] of inOrder(todo, ({ batch }) => pool.run(batch), plan.threads * 2)) {
      if (result.kind === 'bad-line')
        throw new InputError(`${plan.input}: line ${result.line}: ${result.message}`);
      await output.append(result.bytes);
      await sources?.append(result.sources);
      tally.addAll(result.tally);
      batches += 1;
      bytes += result.bytes.length;
      sourcesBytes += result.sources.length;
      if (checkpoints === null) continue;
      await output.sync();
      await sources?.sync();
      checkpoints.write({ run: from.run, batches, log, bytes, sourcesBytes, tally: tally.entries() });
    }
  } catch (error) {
    throw isFailureOfInput(error) ? source.failure(error) : error;
  } finally {
    stopShowing();
    await pool.destroy();
  }
  process.stderr.write(summaryText(progress, tally));
  return summaryJson(progress, tally);
}

/** Users with all their events, in order of time. */
function readUsers(plan: Plan, source: ByteSource, progress: Progress): ReturnType<typeof usersOf> {
  const lines =
    plan.mapping === null ? eventLines(source, progress) : csvLines(source, plan.mapping, progress);
  const users = usersOf(plan.unsorted ? sorted(lines) : lines, plan.input, plan.unsorted);
  // A CSV row can describe an event that happens after the next row.
  return plan.mapping === null ? users : inOrderOfTime(users);
}

/** The batches still to do, each with the hash of the log up to it. */
async function* withoutDone(
  batches: AsyncIterable<Batch>,
  done: Checkpoint,
  { input, output }: Plan,
): AsyncGenerator<{ readonly batch: Batch; readonly log: string }, void, undefined> {
  let log = '';
  let count = 0;
  const changed = new InputError(`${input}: must begin with the log that ${output} was begun with`);
  for await (const batch of batches) {
    log = hashWith(log, batch);
    count += 1;
    if (count === done.batches && log !== done.log) throw changed;
    if (count > done.batches) yield { batch, log };
  }
  if (count < done.batches) throw changed;
}

/** Errors of streams and decoders have a code: the file is missing, truncated, or not UTF-8. */
const isFailureOfInput = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && !(error instanceof InputError) && 'code' in error;
