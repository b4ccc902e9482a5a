import { existsSync } from 'node:fs';
import { isJsonObject, type Json, type JsonObject } from '../../src/model/json';
import type { CreditCounts } from '../../analysis/credits/credit-counts';
import { tableRow } from '../../analysis/estimate/join/collected-line';
import { OutcomeCounter } from '../../analysis/simulation/outcome-counter';
import { InputError } from '../io/input';
import { InputFiles } from '../io/input-files';
import { jsonBytes } from '../io/json-bytes';
import { isOnePart } from '../io/log-ranges';
import { isContinuable, openOutput, unfinishedOf, type Output, type OutputOptions } from '../io/output';
import { readingProgress, showProgress } from '../io/progress';
import { readRows } from '../io/rows';
import { hashOf } from '../io/hash';
import { CheckpointFile, CheckpointPace, type Checkpoint } from './checkpoint';
import { Progress } from './lines';
import { limitMemory } from '../io/memory';
import type { Plan } from './options';
import { answersOf } from './part';
import type { SimulatedPart } from './parts';
import { atOnceIn, resultsOf, type Simulator } from './results';
import { summaryJson, summaryLines, unmatchedIn, unmatchedText, withoutEffect } from './summary';
import { encodeTable } from '../io/table-file';
import { tableFormatOf } from '../io/table-name';
import { simulateWorker } from './workers';
import { say, tell } from '../io/terminal';

/**
 * Simulates the log of a plan, and writes its reports and the source log.
 * @returns what is counted by channel in each part, if the plan asks for it.
 * @throws InputError
 */
export async function simulateLog(plan: Plan): Promise<readonly CreditCounts[]> {
  const { reports } = plan;
  const checkpoints = reports !== null && isContinuable(reports) ? new CheckpointFile(reports) : null;
  const run = hashOf([plan.setup, plan.mapping, plan.unsorted, plan.shard]);
  const from = plan.resume ? (checkpoints?.read() ?? null) : null;
  if (from === null && plan.resume && existsSync(plan.output) && !existsSync(unfinishedOf(plan.output))) {
    say(`${plan.output}: has no checkpoint, so it is already complete`);
    return [];
  }
  if (from !== null && from.run !== run)
    throw new InputError(
      `${checkpoints?.file ?? ''}: must be of the same options and settings; without --resume the output begins anew`,
    );
  // A run that is refused before its first part leaves no checkpoint, because there is nothing to continue.
  if (from === null) checkpoints?.remove();
  const continuable = (): boolean => checkpoints?.exists() === true;
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
    const output =
      reports === null
        ? null
        : openOutput(reports, {
            continuable,
            kept: from?.bytes ?? 0,
            ...convertedBy(reports, tableRow),
          });
    try {
      // Without a checkpoint, an older output would seem to be that of this run.
      if (from === null && existsSync(plan.output)) checkpoints?.write(beginning(run));
      const { json, credits, ineffective, unmade, unmatched } = await simulate(
        plan,
        { output, sources },
        checkpoints,
        from ?? beginning(run),
      );
      await summary?.append(jsonBytes(`${JSON.stringify(json)}\n`));
      await sources?.prepare();
      await output?.prepare();
      // Without a checkpoint an output that has its name is complete, so it gets its name afterwards.
      checkpoints?.remove();
      await summary?.finish();
      await sources?.finish();
      await output?.finish();
      refuseWithoutEffect(plan, ineffective);
      refuseUnmade(plan, unmade);
      refuseUnmatched(plan, unmatched);
      return credits;
    } finally {
      await output?.close();
    }
  } finally {
    await sources?.close();
    await summary?.close();
  }
}

const beginning = (run: string): Checkpoint => ({
  run,
  parts: 0,
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

interface StoppedSimulator extends Simulator<SimulatedPart> {
  readonly stop: () => Promise<void>;
}

/**
 * To start a thread takes longer than most logs of a single part, so this one simulates them. With a map, a short log can have many events.
 */
async function simulatorOf({ input, mapping, setup, threads }: Plan): Promise<StoppedSimulator> {
  if (mapping === null && isOnePart(input.files))
    return { run: answersOf(setup), atOnce: 1, stop: () => Promise.resolve() };
  const { workerPool } = await import('../../node/worker-pool');
  const pool = workerPool(simulateWorker, threads, setup, limitMemory(threads));
  return { run: (task) => pool.run(task), atOnce: atOnceIn(threads), stop: () => pool.destroy() };
}

/** @returns the summary, and what is counted by channel. */
async function simulate(
  plan: Plan,
  { output, sources }: { readonly output: Output | null; readonly sources: Output | null },
  checkpoints: CheckpointFile | null,
  from: Checkpoint,
): Promise<{
  readonly json: Json;
  readonly credits: readonly CreditCounts[];
  readonly ineffective: readonly string[];
  readonly unmade: number;
  readonly unmatched: number;
}> {
  const credits: CreditCounts[] = [];
  const progress = new Progress();
  const { stop, ...simulator } = await simulatorOf(plan);
  const read = readingProgress([plan.input], plan.unsorted ? progress : null);
  const stopShowing = showProgress(() => `${progress.lines} lines${read()}, ${progress.users} users`);
  const tally = new OutcomeCounter();
  tally.addAll(from.tally);
  let { bytes, sourcesBytes } = from;
  const pace = new CheckpointPace(performance.now());
  try {
    for await (const { result, parts, log } of resultsOf(plan, progress, simulator, from)) {
      await output?.append(result.bytes);
      await sources?.append(result.sources);
      tally.addAll(result.tally);
      if (result.credits !== null) credits.push(result.credits);
      if (plan.mapping?.skipInvalid === false) refuseInvalidSources(tally, plan.mapping.file);
      bytes += result.bytes.length;
      sourcesBytes += result.sources.length;
      const start = performance.now();
      if (checkpoints === null || !pace.isDue(start)) continue;
      await output?.sync();
      await sources?.sync();
      checkpoints.write({ run: from.run, parts, log, bytes, sourcesBytes, tally: tally.entries() });
      pace.took(start, performance.now());
    }
  } finally {
    stopShowing();
    await stop();
  }
  const summary = progress.summary(tally);
  tell(summaryLines(summary));
  progress.saySpan(plan.input);
  if (plan.mapping?.skipInvalid === false && plan.shard.count === 1)
    refuseInvalidSources(tally, plan.mapping.file, 1);
  return {
    json: summaryJson(summary),
    credits,
    ineffective: withoutEffect(summary),
    unmade: progress.unmade,
    unmatched: unmatchedIn(summary),
  };
}

/**
 * Results that a setting did not change say nothing about it. In a part of a log, no source may qualify by chance.
 * @throws InputError
 */
function refuseWithoutEffect({ allowNoEffect, shard }: Plan, ineffective: readonly string[]): void {
  if (allowNoEffect || shard.count > 1 || ineffective.length === 0) return;
  throw new InputError(
    `simulate: ${ineffective.join('; ')}; the results are as without it (--allow-no-effect accepts that)`,
  );
}

/**
 * Without ads or without conversions, results are zeros that nobody measured.
 * @throws InputError
 */
function refuseUnmade({ allowNoEffect, shard, mapping }: Plan, unmade: number): void {
  if (allowNoEffect || shard.count > 1 || mapping === null || unmade === 0) return;
  throw new InputError(
    `${mapping.file}: ${unmade} of its ${mapping.mapping.events.length} events ${unmade === 1 ? 'was' : 'were'} never made, as above (--allow-no-effect accepts that)`,
  );
}

/**
 * Sources and conversions of which no two belong together mostly have times in different units, or sites that are written differently.
 * @throws InputError
 */
function refuseUnmatched({ allowNoEffect, shard, mapping }: Plan, unmatched: number): void {
  if (allowNoEffect || shard.count > 1 || mapping === null || unmatched === 0) return;
  throw new InputError(`${mapping.file}: ${unmatchedText(unmatched)} (--allow-no-effect accepts that)`);
}

/** After so many sources of which none is valid, the mapping is wrong. */
const MOST_INVALID = 1000;

/** @throws InputError */
function refuseInvalidSources(tally: OutcomeCounter, map: string, least = MOST_INVALID): void {
  const reasons = tally.of('sources_invalid');
  const invalid = [...reasons.values()].reduce((sum, count) => sum + count, 0);
  if (invalid < least || tally.of('sources').size > 0) return;
  const [reason = ''] = reasons.keys();
  const which = invalid === 1 ? 'the only one is not valid' : `none of the first ${invalid} is valid`;
  throw new InputError(
    `${map}: must map rows to valid sources; ${which} (--skip-invalid goes on): ${reason}`,
  );
}
