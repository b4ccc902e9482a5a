import type { Json } from '../../src/model/json';
import { Batches } from '../../analysis/w3c/aggregate';
import { parseProfile, type Profile } from '../../analysis/w3c/profile';
import { OutcomeCounter } from '../../analysis/simulation/outcome-counter';
import { workerPool } from '../../node/worker-pool';
import type { DefineCommand } from '../io/define';
import { accept, readJson } from '../io/input';
import { jsonBytes } from '../io/json-bytes';
import { isContinuable, openOutput } from '../io/output';
import { readingProgress, showProgress } from '../io/progress';
import { randomFor } from '../io/random';
import { Progress } from './lines';
import { addLogOptions, logPlanOf, type LogOptions, type LogPlan } from './log-options';
import type { PartTask } from './parts';
import { atOnceIn, resultsOf } from './results';
import { summaryJson, summaryLines } from './summary';
import { simulateW3cWorker, type W3cSetup } from './workers';
import { encodeTable } from '../io/table-file';
import { tell } from '../io/terminal';

interface W3cOptions extends LogOptions {
  readonly settings: string;
}

/** `cointoss simulate w3c`: writes the noisy histograms of a log; see docs/w3c.md. */
export const define: DefineCommand = (command) => {
  addLogOptions(command, 'the histograms, or - for standard output; .csv, .tsv and .parquet as named')
    .requiredOption('--settings <file>', 'the histogram and its limits; see docs/w3c.md')
    .action(simulateW3c);
};

/** @throws InputError */
async function simulateW3c(options: W3cOptions): Promise<void> {
  const plan = logPlanOf(options, { 'the settings': options.settings });
  const json = readJson(options.settings);
  const profile = accept(options.settings, parseProfile(json));
  const setup: W3cSetup = { settings: json, seed: options.seed ?? null, shard: plan.shard };
  let rows: readonly { readonly [column: string]: Json }[] = [];
  const isFile = isContinuable(plan.output);
  // Opened before the simulation, which can take hours.
  const output = openOutput(
    plan.output,
    isFile ? { convert: (_, finished) => encodeTable(plan.output, finished, () => rows) } : {},
  );
  const summary = plan.summary === null ? null : openOutput(plan.summary);
  try {
    const { batches, summary: said } = await simulate(plan, profile, setup);
    // A list without a name: no user has this randomness.
    const noise = options.noise
      ? randomFor(setup.seed === null ? undefined : JSON.stringify([setup.seed]))
      : null;
    rows = batches.rows(noise?.(0) ?? null).map((row) => ({ ...row }));
    const lines = (values: readonly Json[]): Uint8Array =>
      jsonBytes(values.map((value) => `${JSON.stringify(value)}\n`).join(''));
    if (!isFile) await output.append(lines(rows));
    await summary?.append(lines([said]));
    await output.prepare();
    await summary?.finish();
    await output.finish();
  } finally {
    await output.close();
    await summary?.close();
  }
}

async function simulate(
  plan: LogPlan,
  profile: Profile,
  setup: W3cSetup,
): Promise<{ readonly batches: Batches; readonly summary: Json }> {
  const progress = new Progress();
  const pool = workerPool(simulateW3cWorker, plan.threads, setup);
  const simulator = { run: (task: PartTask) => pool.run(task), atOnce: atOnceIn(plan.threads) };
  const read = readingProgress([plan.input], plan.unsorted ? progress : null);
  const stopShowing = showProgress(() => `${progress.lines} lines${read()}, ${progress.users} users`);
  const batches = new Batches(profile);
  const tally = new OutcomeCounter();
  try {
    for await (const { result } of resultsOf(plan, progress, simulator)) {
      for (const batch of result.batches) batches.add(batch);
      tally.addAll(result.tally);
    }
  } finally {
    stopShowing();
    await pool.destroy();
  }
  const summary = progress.summary(tally);
  tell(summaryLines(summary));
  progress.saySpan(plan.input);
  return { batches, summary: summaryJson(summary) };
}
