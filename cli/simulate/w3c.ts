import type { Json } from '../../src/model/json';
import { Batches } from '../../analysis/w3c/aggregate';
import { parseProfile, type Profile } from '../../analysis/w3c/profile';
import { Tally } from '../../analysis/simulation/tally';
import { workerPool } from '../../node/worker';
import { accept, InputError, readJson } from '../io/input';
import { jsonBytes } from '../io/json-bytes';
import { isContinuable, openOutput } from '../io/output';
import { readingProgress, showProgress } from '../io/progress';
import { randomFor } from '../io/random';
import { wholeLog } from './sharding';
import { Progress } from './lines';
import { logPlanOf, type LogPlan, type SimulateOptions } from './options';
import { resultsOf } from './results';
import { summaryJson, summaryLines } from './summary';
import { simulateW3cWorker, type W3cSetup } from './workers';
import { encodeTable } from '../io/table-file';
import { tell } from '../io/terminal';

/** `cointoss simulate --api w3c`: writes the noisy histograms of a log; see docs/w3c.md. */
export async function simulateW3c(options: SimulateOptions): Promise<void> {
  refuseOthersOptions(options);
  const plan = logPlanOf(options, wholeLog);
  const settings = settingsOf(options);
  const profile = accept(settings.file, parseProfile(settings.json));
  const setup: W3cSetup = { settings: settings.json, seed: options.seed ?? null, shard: plan.shard };
  let rows: readonly { readonly [column: string]: Json }[] = [];
  const isFile = isContinuable(plan.output);
  // Opened before the simulation, which can take hours.
  const output = openOutput(
    plan.output,
    isFile ? { convert: (_, finished) => encodeTable(plan.output, finished, () => rows) } : {},
  );
  const summary = plan.summary === null ? null : openOutput(plan.summary);
  try {
    const { batches, json } = await simulate(plan, profile, setup);
    // An empty list: no user has this randomness.
    const noise = options.noise
      ? randomFor(setup.seed === null ? undefined : JSON.stringify([setup.seed]))
      : null;
    rows = batches.rows(noise?.(0) ?? null).map((row) => ({ ...row }));
    const lines = (values: readonly Json[]): Uint8Array =>
      jsonBytes(values.map((value) => `${JSON.stringify(value)}\n`).join(''));
    if (!isFile) await output.append(lines(rows));
    await summary?.append(lines([json]));
    await output.prepare();
    await summary?.finish();
    await output.finish();
  } finally {
    await output.close();
    await summary?.close();
  }
}

/** @throws InputError */
function refuseOthersOptions(options: SimulateOptions): void {
  const given = {
    'sources-output': options.sourcesOutput,
    allocation: options.allocation === 'per-cap' ? undefined : options.allocation,
    matching: options.matching,
    'prior-file': options.priorFile,
    compare: options.compare,
    histogram: options.histogram,
    'prior-column': options.priorColumn,
    'prior-epsilon': options.priorEpsilon,
    shard: options.shard,
    resume: options.resume,
    'with-users': options.withUsers,
    'source-epsilon': options.sourceEpsilon,
    'aggregation-key': options.aggregationKey,
  };
  for (const [name, value] of Object.entries(given))
    if (value !== undefined)
      throw new InputError(`simulate: --${name}: must not come with --api w3c, which has no use for it`);
}

/** @throws InputError */
function settingsOf({ settings }: SimulateOptions): { readonly file: string; readonly json: Json } {
  if (settings !== undefined) return { file: settings, json: readJson(settings) };
  throw new InputError(
    'simulate: --settings: must be a file with a histogram if --api is w3c; see docs/w3c.md',
  );
}

async function simulate(
  plan: LogPlan,
  profile: Profile,
  setup: W3cSetup,
): Promise<{ readonly batches: Batches; readonly json: Json }> {
  const progress = new Progress();
  const pool = workerPool(simulateW3cWorker, plan.threads, setup);
  const read = readingProgress([plan.input], plan.unsorted ? progress : null);
  const stopShowing = showProgress(() => `${progress.lines} lines${read()}, ${progress.users} users`);
  const batches = new Batches(profile);
  const tally = new Tally();
  try {
    for await (const { result } of resultsOf(plan, progress, (task) => pool.run(task))) {
      for (const batch of result.batches) batches.add(batch);
      tally.addAll(result.tally);
    }
  } finally {
    stopShowing();
    await pool.destroy();
  }
  const summary = progress.summary(tally);
  tell(summaryLines(summary));
  return { batches, json: summaryJson(summary) };
}
