import { existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Command } from 'commander';
import { version } from '../../package.json';
import { exampleExperiment } from '../../analysis/experiment/example';
import { parseExperiment } from '../../analysis/experiment/experiment';
import { runResult, type RunResult } from '../../analysis/experiment/result';
import type { Run } from '../../analysis/experiment/runs';
import { makeFolder } from '../../node/files';
import { root } from '../../node/root';
import { workerPool } from '../../node/worker-pool';
import type { Json, JsonObject } from '../../src/model/json';
import type { DefineCommand } from '../io/define';
import { prepareLog } from './log';
import { planOf } from './plan';
import { MANIFEST, RESULTS, writeResults } from './results';
import { expectedTime } from './time';
import { accept, InputError, readJson, threadsOption } from '../io/input';
import { Journal } from '../io/journal';
import { writing } from '../io/output';
import { finishTasks } from '../io/unfinished-tasks';
import { shardOption, wholeLog } from '../simulate/sharding';
import { experimentWorker } from './workers';
import { say } from '../io/terminal';

export interface ExperimentOptions {
  readonly example?: boolean;
  readonly output: string;
  readonly threads?: string;
  readonly resume?: boolean;
  readonly shard?: string;
  readonly join?: readonly string[];
  readonly allowNoEffect?: boolean;
}

/** A journal of the finished runs. */
const UNFINISHED = 'results.unfinished';

/** The options of all commands that run an experiment. @param output the folder unless another is given */
export const withExperimentOptions = (command: Command, output: string): Command =>
  command
    .option('--example', 'print an experiment to start from')
    .option('--output <folder>', `for ${RESULTS.join(', ')} and ${MANIFEST}`, output)
    .option('--threads <count>', 'number of threads; by default one per processor')
    .option('--resume', 'continue incomplete results')
    .option('--shard <i/n>', `only the cells in shard i of n, from 0/n; leaves ${UNFINISHED} for --join`)
    .option('--join <files...>', `take finished runs from the ${UNFINISHED} of shards`)
    .option('--allow-no-effect', 'accept cells in which a setting had no effect');

/** `cointoss experiment`: a grid of simulations, and what each costs; see docs/experiments.md. */
export const define: DefineCommand = (command, { print }) => {
  withExperimentOptions(command, 'cointoss-experiment')
    .argument('[file]', 'the experiment, as JSON')
    .action(async (file: string | undefined, options: ExperimentOptions) => {
      if (options.example === true) for (const line of exampleLines(exampleExperiment)) print(line);
      else if (file !== undefined) await runExperiment(file, readJson(file), options);
      else throw new InputError('experiment: must have a file; --example prints one to start from');
    });
};

/** With the schema that lets editors complete it. */
export function exampleLines(example: JsonObject): readonly string[] {
  const $schema = pathToFileURL(path.join(root, 'dist/node/experiment.schema.json')).href;
  return JSON.stringify({ $schema, ...example }, null, 2).split('\n');
}

/** @param file the name of the experiment, from whose folder its data come */
export async function runExperiment(file: string, json: Json, options: ExperimentOptions): Promise<void> {
  const { output, resume = false } = options;
  const plan = planOf(accept(file, parseExperiment(json)), file);
  const threads = threadsOption('experiment', options.threads);
  const shard = options.shard === undefined ? wholeLog : shardOption('experiment', options.shard);
  writing(output, () => makeFolder(output, 'umask'));
  const unfinished = path.join(output, UNFINISHED);
  if (resume && !existsSync(unfinished) && existsSync(path.join(output, MANIFEST))) {
    say(`${output}: has nothing unfinished, so it is already complete`);
    return;
  }
  const { data, seed } = plan.experiment;
  const log = await prepareLog(data, seed, path.dirname(file), path.join(output, 'log.ndjson'));
  const journalIn = (name: string): Journal<RunResult> =>
    new Journal(name, { experiment: json, data: log.hash, version }, runResult);
  const journal = journalIn(unfinished);
  const joined = (options.join ?? []).map((name) => journalIn(name).read());
  const finished = new Map([...(resume ? journal.resume() : []), ...joined.flatMap((runs) => [...runs])]);
  writing(unfinished, () => {
    if (!resume) journal.begin();
    for (const runs of joined) for (const [task, result] of runs) journal.add(task, result);
  });
  const isOwn = ({ cell }: Run): boolean => cell % shard.count === shard.index;
  const left = plan.runs.filter((run, index) => !finished.has(index) && isOwn(run));
  const setup = plan.setupFor(log.file);
  const pool = workerPool(experimentWorker, threads, setup);
  let results: readonly RunResult[];
  try {
    if (left.length > 0) say(await expectedTime(plan, pool, log, threads, left));
    const tasks = plan.runs.map((one, run) => ({ ...one, users: null, run }));
    const { failure } = plan;
    results = await finishTasks({
      ...{ pool, tasks, name: 'runs', finished, journal, failure, isOwn },
      shareOf: ({ run }) => (run === null ? 0 : Atomics.load(setup.usersDone, run) / Math.max(1, log.users)),
      // In turn, so that those done so far are like the others.
      roundOf: ({ repetition }) => repetition,
    });
  } finally {
    await pool.destroy();
  }
  // Whoever divides an experiment joins the parts, even if one part has all.
  if (options.shard !== undefined || results.length < plan.runs.length) {
    rmSync(log.file);
    say(`${results.length} of ${plan.runs.length} runs are finished; join them from ${unfinished}`);
    return;
  }
  const withoutEffect = await writeResults(output, plan, json, log, results);
  journal.remove();
  rmSync(log.file);
  say(`the report is ${path.join(output, 'report.html')}`);
  for (const sentence of withoutEffect) say(sentence);
  if (withoutEffect.length > 0 && options.allowNoEffect !== true)
    throw new InputError(
      `${file}: ${withoutEffect.length} of ${plan.cells.length} cells show no difference because nothing differed (--allow-no-effect accepts that)`,
    );
}
