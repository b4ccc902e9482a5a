import { existsSync } from 'node:fs';
import { Option } from 'commander';
import { isJsonObject, type Json, type JsonObject } from '../src/model/json';
import type { AllocationPolicy } from '../analysis/simulation/allocation';
import type { PriorCost } from '../analysis/optimize/private-prior';
import { matchingMechanisms } from '../analysis/simulation/matching';
import { workerPool } from '../node/worker';
import { Tally } from '../analysis/simulation/tally';
import type { DefineCommand } from './define';
import { InputError } from './input';
import { InputFiles } from './input-files';
import { isContinuable, openOutput, unfinishedOf, type Output, type OutputOptions } from './output';
import { readingProgress, showProgress } from './progress';
import { readRows } from './rows';
import { inOrder } from './simulate-batches';
import { addCounts, type CreditCounts } from '../analysis/credits/credit-counts';
import { histogramMechanisms } from '../analysis/histograms/mechanisms';
import { writeComparedCredits } from './simulate-compare';
import { writeHistogram } from './simulate-histogram';
import { withPriorOf } from './simulate-prior';
import { CheckpointFile, hashOf, hashWith, type Checkpoint } from './simulate-checkpoint';
import { Progress } from './simulate-lines';
import { planOf, type Api, type Plan, type SimulateOptions } from './simulate-options';
import { summaryJson, summaryLines } from './simulate-summary';
import { tableRow } from '../analysis/estimate/collected-line';
import { encodeTable, tableFormatOf } from './table-file';
import { batchesOf, readUsers, type Batch } from './simulate-users';
import { simulateW3c } from './simulate-w3c';
import { simulateWorker } from './workers';
import { say, tell } from './terminal';

/** `cointoss simulate`: runs the logs of many users through the engine; see docs/simulate.md. */
export const define: DefineCommand = (command) => {
  command
    .requiredOption(
      '--input <files...>',
      'events, one line of JSON each, or Parquet; files or folders, or - for standard input; may be .gz or .zst',
    )
    .requiredOption(
      '--output <file>',
      'reports, one line of JSON each, or - for standard output; .csv, .tsv, .parquet, .gz and .zst as named',
    )
    .addOption(
      new Option('--api <api>', 'Attribution Reporting, or W3C Attribution; see docs/w3c.md')
        .choices(['ara', 'w3c'] satisfies Api[])
        .default('ara' satisfies Api),
    )
    .option('--sources-output <file>', 'write the log of the stored sources, which estimate reads')
    .option('--threads <count>', 'how many threads; by default as many as the machine has')
    .option('--seed <seed>', 'make the noise and the report ids repeatable')
    .option(
      '--source-epsilon <epsilon>',
      'the ε that all sources register, in place of their event_level_epsilon',
    )
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
      ).choices(matchingMechanisms),
    )
    .option(
      '--prior-file <file>',
      'past sources, one per row, for the prior of the label noise: a file, or - for CSV from standard input',
    )
    .option('--prior-column <name>', 'the column with their values; for rr-with-prior, with their states')
    .option('--prior-epsilon <epsilon>', 'with how much privacy they are counted')
    .addOption(
      new Option(
        '--prior-split <split>',
        'whether they are of other people, or of these, out of their budget',
      )
        .choices(['people', 'budget'] satisfies PriorCost['split'][])
        .default('people' satisfies PriorCost['split']),
    )
    .option(
      '--map <file>',
      'the file that says which events the rows of a CSV, TSV, Parquet or NDJSON file are',
    )
    .option('--csv', 'the rows are CSV whatever the name of the input; needs --map')
    .option(
      '--skip-invalid',
      'leave out and count rows that do not fit --map, and go on without a valid source',
    )
    .option('--unsorted', 'sort the events by user and time first')
    .option(
      '--shard <i/n>',
      'only the users in shard i of n, from 0/n; needs --seed; see "cointoss shard --help"',
    )
    .option('--resume', 'continue an output that is not complete')
    .option(
      '--aggregation-key <file>',
      'also write aggregatable reports, sealed for one of the public keys that cointoss aggregate --new-key printed',
    )
    .option('--with-users', 'add to each report whose it is (no collector would know)')
    .option('--summary <file>', 'write a summary of everything as JSON')
    .option(
      '--compare <file>',
      'write how attribution models, learned ones among them, credit channels; see docs/credits.md',
    )
    .option(
      '--histogram <file>',
      'write how many people converted first after which channel, as --mechanism tells it; see docs/histograms.md',
    )
    .addOption(
      new Option('--mechanism <names...>', 'who adds which noise to the histogram').choices(
        histogramMechanisms,
      ),
    )
    .option('--epsilon <epsilon>', 'how much privacy each mechanism has, greater than 0 and at most 100')
    .option('--delta <delta>', 'for shuffled-rr and discrete-gaussian; by default 1e-6')
    .option(
      '--channel <column>',
      'the column of the source log that has the channels of --compare and --histogram; by default campaign',
    )
    .action(async (options: SimulateOptions) => {
      if (options.api === 'w3c') await simulateW3c(options);
      else await simulateCommand(await withPriorOf(options, planOf(options)));
    });
};

async function simulateCommand(plan: Plan): Promise<void> {
  const checkpoints = isContinuable(plan.output) ? new CheckpointFile(plan.output) : null;
  const run = hashOf([plan.setup, plan.mapping, plan.unsorted, plan.shard]);
  const from = plan.resume ? (checkpoints?.read() ?? null) : null;
  if (from === null && plan.resume && existsSync(plan.output) && !existsSync(unfinishedOf(plan.output))) {
    say(`${plan.output}: has no checkpoint, so it is already complete`);
    return;
  }
  if (from !== null && from.run !== run)
    throw new InputError(
      `${checkpoints?.file ?? ''}: must be of the same options and settings; without --resume the output begins anew`,
    );
  const continuable = checkpoints !== null;
  const sources =
    plan.sourcesOutput === null
      ? null
      : openOutput(plan.sourcesOutput, {
          continuable,
          kept: from?.sourcesBytes ?? 0,
          ...convertedBy(plan.sourcesOutput, (row) => row),
        });
  // Opened before the simulation, which can take hours, and before it overwrites earlier output.
  const summary = plan.summary === null ? null : openOutput(plan.summary);
  try {
    const output = openOutput(plan.output, {
      continuable,
      kept: from?.bytes ?? 0,
      ...convertedBy(plan.output, tableRow),
    });
    try {
      const { json, credits } = await simulate(
        plan,
        { output, sources },
        checkpoints,
        from ?? beginning(run),
      );
      await writeByChannel(plan, addCounts(credits));
      await summary?.append(new TextEncoder().encode(`${JSON.stringify(json)}\n`));
      await sources?.prepare();
      await output.prepare();
      // Without a checkpoint an output that has its name is complete, so it gets its name afterwards.
      checkpoints?.remove();
      await summary?.finish();
      await sources?.finish();
      await output.finish();
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

/** Makes a table of lines of JSON, if the name of the output is that of a table. */
const convertedBy = (
  output: string,
  rowOf: (line: JsonObject) => JsonObject,
): Pick<OutputOptions, 'convert'> =>
  tableFormatOf(output) === null
    ? {}
    : { convert: (unfinished, finished) => encodeTable(output, finished, () => rowsOf(unfinished, rowOf)) };

async function* rowsOf(
  file: string,
  rowOf: (line: JsonObject) => JsonObject,
): AsyncGenerator<JsonObject, void, undefined> {
  for await (const rows of readRows(new InputFiles([file])))
    for (const { value } of rows) if (isJsonObject(value)) yield rowOf(value);
}

async function writeByChannel(plan: Plan, counts: CreditCounts): Promise<void> {
  const { compare, histogram, setup } = plan;
  if (setup.channel !== null && [...counts.journeys.keys()].every((channels) => channels === '[""]'))
    say(`simulate: no source has a value in the column ${setup.channel}`);
  if (compare !== null) await writeComparedCredits(plan, compare, counts);
  if (histogram !== null) await writeHistogram(histogram, counts, setup.seed);
}

/** @returns the summary, and what credits are learned from if they are compared. */
async function simulate(
  plan: Plan,
  { output, sources }: { readonly output: Output; readonly sources: Output | null },
  checkpoints: CheckpointFile | null,
  from: Checkpoint,
): Promise<{ readonly json: Json; readonly credits: readonly CreditCounts[] }> {
  const credits: CreditCounts[] = [];
  const progress = new Progress();
  const pool = workerPool(simulateWorker, plan.threads, plan.setup);
  const read = readingProgress([plan.input], plan.unsorted ? progress : null);
  const stopShowing = showProgress(() => `${progress.lines} lines${read()}, ${progress.users} users`);
  const tally = new Tally();
  tally.addAll(from.tally);
  let { batches, bytes, sourcesBytes } = from;
  checkpoints?.write(from);
  try {
    const todo = withoutDone(batchesOf(readUsers(plan, progress), progress), from, plan);
    // Two per thread keep every thread busy; more would only take memory.
    for await (const [{ log }, result] of inOrder(todo, ({ batch }) => pool.run(batch), plan.threads * 2)) {
      if (result.kind === 'bad-line') throw new InputError(result.message);
      await output.append(result.bytes);
      await sources?.append(result.sources);
      tally.addAll(result.tally);
      if (result.credits !== null) credits.push(result.credits);
      if (plan.mapping?.skipInvalid === false) refuseInvalidSources(tally, plan.mapping.file);
      batches += 1;
      bytes += result.bytes.length;
      sourcesBytes += result.sources.length;
      if (checkpoints === null) continue;
      await output.sync();
      await sources?.sync();
      checkpoints.write({ run: from.run, batches, log, bytes, sourcesBytes, tally: tally.entries() });
    }
  } finally {
    stopShowing();
    await pool.destroy();
  }
  const summary = progress.summary(tally);
  tell(summaryLines(summary));
  return { json: summaryJson(summary), credits };
}

/** After so many sources of which none is valid, the mapping is wrong. */
const MOST_INVALID = 1000;

/** @throws InputError */
function refuseInvalidSources(tally: Tally, map: string): void {
  const reasons = tally.of('sources_invalid');
  const invalid = [...reasons.values()].reduce((sum, count) => sum + count, 0);
  if (invalid < MOST_INVALID || tally.of('sources').size > 0) return;
  const [reason = ''] = reasons.keys();
  throw new InputError(
    `${map}: must map rows to valid sources; all of the first ${invalid} are not (--skip-invalid goes on): ${reason}`,
  );
}

/** The batches still to do, each with the hash of the log up to it. */
async function* withoutDone(
  batches: AsyncIterable<Batch>,
  done: Checkpoint,
  { input, output }: Plan,
): AsyncGenerator<{ readonly batch: Batch; readonly log: string }, void, undefined> {
  let log = '';
  let count = 0;
  const changed = new InputError(
    `${input.names.join(', ')}: must begin with the log that ${output} was begun with`,
  );
  for await (const batch of batches) {
    log = hashWith(log, batch);
    count += 1;
    if (count === done.batches && log !== done.log) throw changed;
    if (count > done.batches) yield { batch, log };
  }
  if (count < done.batches) throw changed;
}
