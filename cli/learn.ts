import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { cellsOf, type Cell } from '../analysis/learn/cells';
import { shownColumns } from '../analysis/learn/columns';
import { demoExperiment } from '../analysis/learn/demo-experiment';
import { parseExperiment, type Experiment } from '../analysis/learn/experiment';
import type { CellResult, LearnSetup } from '../analysis/learn/run-cell';
import { linesOf, rowsOf, type Row } from '../analysis/learn/summary';
import { workerPool } from '../node/worker';
import type { DefineCommand } from './define';
import { accept, InputError, readJson, threadsOption } from './input';
import { defineData } from './learn-data';
import { defineLabels } from './learn-labels';
import { Journal } from './learn-journal';
import { REPORT, writeResults, writing } from './learn-results';
import { readData } from './learn-experiment-data';
import { showProgress } from './progress';

interface LearnOptions {
  readonly demo?: boolean;
  readonly experiment?: string;
  readonly output: string;
  readonly threads?: string;
  readonly resume?: boolean;
}

/** `cointoss learn`: what noise costs the model that is trained on it; see docs/lab.md. */
export const define: DefineCommand = (command, { print }) => {
  command
    .option('--demo', 'the comparisons of the literature on a made-up log')
    .option('--experiment <file>', 'what to compare instead')
    .option(
      '--output <folder>',
      'for results.csv, results.ndjson, results.parquet and report.html',
      'cointoss-learn',
    )
    .option('--threads <count>', 'how many threads; by default as many as the machine has')
    .option('--resume', 'continue results that are not complete')
    .action((options: LearnOptions) => learn(options, print));
  command.enablePositionalOptions();
  defineData(command.command('data'));
  defineLabels(command.command('labels'));
};

async function learn(options: LearnOptions, print: (line: string) => void): Promise<void> {
  const experiment = experimentOf(options);
  const threads = threadsOption('learn', options.threads);
  const { output } = options;
  writing(output, () => mkdirSync(output, { recursive: true }));
  const { hash, ...data } = await readData(experiment, options.experiment ?? '');
  const journal = new Journal(path.join(output, 'results.unfinished'), [experiment, hash]);
  if (options.resume === true && !journal.exists && existsSync(path.join(output, REPORT))) {
    process.stderr.write(`cointoss: ${output}: has nothing unfinished, so it is already complete\n`);
    return;
  }
  const finished = options.resume === true ? journal.resume() : new Map<number, CellResult>();
  if (options.resume !== true) writing(journal.file, () => journal.begin());
  const epsilons = new Map([...data.reported].map(([name, { epsilon }]) => [name, epsilon]));
  const cells = cellsOf(experiment, epsilons);
  await runAll({ experiment, ...data }, cells, threads, finished, journal);
  const rows = rowsOf(
    cells,
    // All are finished.
    cells.flatMap((_, index) => finished.get(index) ?? []),
  );
  await writeResults(output, experiment, rows);
  journal.remove();
  for (const line of textOf(experiment, rows)) print(line);
  process.stderr.write(`cointoss: the report is ${path.join(output, REPORT)}\n`);
}

function experimentOf({ demo = false, experiment }: LearnOptions): Experiment {
  if (demo === (experiment !== undefined)) throw new InputError('learn: needs either --demo or --experiment');
  return experiment === undefined
    ? accept('learn --demo', parseExperiment(demoExperiment))
    : accept(experiment, parseExperiment(readJson(experiment)));
}

/** Runs what is not finished, and adds it to `finished` and the journal. */
async function runAll(
  setup: LearnSetup,
  cells: readonly Cell[],
  threads: number,
  finished: Map<number, CellResult>,
  journal: Journal,
): Promise<void> {
  const pool = workerPool<Cell, CellResult>('learn-worker', threads, setup);
  const stopShowing = showProgress(progressOf(cells.length, finished));
  try {
    await Promise.all(
      cells.map(async (cell, index) => {
        if (finished.has(index)) return;
        const result = await pool.run(cell);
        finished.set(index, result);
        journal.add(index, result);
      }),
    );
  } catch (error) {
    if (error instanceof RangeError) throw new InputError(`learn: ${error.message}`);
    throw error;
  } finally {
    stopShowing();
    await pool.destroy();
  }
}

/** How many trainings are done, and how long the rest will take. */
function progressOf(total: number, finished: ReadonlyMap<number, CellResult>): () => string {
  const start = performance.now();
  const before = finished.size;
  return () => {
    const done = finished.size;
    const seconds = (performance.now() - start) / 1000;
    const left = done === before ? '' : `, ${Math.ceil((seconds * (total - done)) / (done - before))} s left`;
    return `${done} of ${total} trainings${left}`;
  };
}

const isShort = (heading: string): boolean => heading === 'ε' || heading === 'cap';

/** The table that the command prints. */
function* textOf(experiment: Experiment, rows: readonly Row[]): Generator<string> {
  for (const [index, figure] of experiment.figures.entries()) {
    yield figure.title;
    const columns = shownColumns(figure);
    const widths = columns.map(({ heading }) => Math.max(heading.length, isShort(heading) ? 4 : 15));
    const row = (name: string, cells: readonly string[]): string =>
      `  ${[name.padEnd(16), ...cells.map((cell, column) => cell.padStart(widths[column] ?? 0))].join(' ')}`;
    yield row(
      figure.line,
      columns.map(({ heading }) => heading),
    );
    for (const { name, points } of linesOf(rows, figure, index))
      for (const point of points)
        yield row(
          name,
          columns.map(({ text }) => text(point)),
        );
    yield '';
  }
}
