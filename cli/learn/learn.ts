import { existsSync } from 'node:fs';
import path from 'node:path';
import { Option } from 'commander';
import type { Piscina } from 'piscina';
import { version } from '../../package.json';
import type { Examples } from '../../analysis/learn/examples';
import { cellsOf, type Cell } from '../../analysis/learn/cells';
import { cellResult } from '../../analysis/learn/cell-result';
import { shownColumns } from '../../analysis/learn/columns';
import { demoExperiment } from '../../analysis/learn/demo-experiment';
import { parseExperiment, type Experiment, type Figure } from '../../analysis/learn/experiment';
import { TUNED } from '../../analysis/learn/report-html';
import type { CellResult } from '../../analysis/learn/run-cell';
import { kindOfTraining, passesOf, trainingOf } from '../../analysis/learn/same-training';
import { linesOf, rowsOf, type Row } from '../../analysis/learn/summary';
import { makeFolder } from '../../node/files';
import { workerPool } from '../../node/worker-pool';
import type { DefineCommand } from '../io/define';
import { accept, InputError, readJson, threadsOption } from '../io/input';
import { defineData } from './data';
import { defineLabels } from './labels';
import { Journal } from '../io/journal';
import { REPORT, writeResults } from './results';
import { limitMemory } from '../io/memory';
import { writing } from '../io/output';
import { readData } from './experiment-data';
import { SearchGaps } from '../io/solver-progress';
import { finishTasks } from '../io/unfinished-tasks';
import { torchProblem } from './torch-engine';
import { learnWorker } from './workers';
import { clearState, isSeen, say } from '../io/terminal';

interface LearnOptions {
  readonly demo?: boolean;
  readonly experiment?: string;
  readonly output: string;
  readonly threads?: string;
  readonly engine: 'built-in' | 'torch';
  readonly python: string;
  readonly resume?: boolean;
}

/** `cointoss learn`: what noise costs the model that is trained on it; see docs/lab.md. */
export const define: DefineCommand = (command, { print }) => {
  command
    .option('--demo', 'run the comparisons of the literature on a generated log')
    .option('--experiment <file>', 'the file of another experiment')
    .option(
      '--output <folder>',
      'for results.csv, results.ndjson, results.parquet and report.html',
      'cointoss-learn',
    )
    .option('--threads <count>', 'number of threads; by default one per processor')
    .addOption(
      new Option('--engine <engine>', 'what trains: torch is PyTorch, on a GPU if there is one')
        .choices(['built-in', 'torch'])
        .default('built-in'),
    )
    .option('--python <program>', 'with --engine torch: a Python that has PyTorch', 'python3')
    .option('--resume', 'continue incomplete results')
    .action((options: LearnOptions) => learn(options, print));
  command.enablePositionalOptions();
  defineData(command.command('data'));
  defineLabels(command.command('labels'));
};

async function learn(options: LearnOptions, print: (line: string) => void): Promise<void> {
  const experiment = experimentOf(options);
  const threads = threadsOption('learn', options.threads);
  const { output, engine } = options;
  const python = pythonOf(options, experiment);
  writing(output, () => makeFolder(output, 'umask'));
  const { hash, shares, ...data } = await readData(experiment, options.experiment ?? '');
  const journal = new Journal(
    path.join(output, 'results.unfinished'),
    { experiment, data: hash, version, engine },
    cellResult,
  );
  if (options.resume === true && !journal.exists && existsSync(path.join(output, REPORT))) {
    say(`${output}: has nothing unfinished, so it is already complete`);
    return;
  }
  const finished = options.resume === true ? journal.resume() : new Map<number, CellResult>();
  if (options.resume !== true) writing(journal.file, () => journal.begin());
  const epsilons = new Map([...data.reported].map(([name, { epsilon }]) => [name, epsilon]));
  const cells = cellsOf(experiment, epsilons);
  const pool = workerPool(learnWorker, threads, { experiment, ...data, python }, limitMemory(threads));
  const results = await resultsOf(
    pool,
    data.split.training,
    cells,
    finished,
    journal,
    figurePrinter(experiment, cells, print),
  );
  // Trainings are done in another order than that of the figures.
  const rows = [...rowsOf(cells, results)].sort((a, b) => a.cell.figure - b.cell.figure);
  await writeResults(output, experiment, rows, shares);
  journal.remove();
  say(TUNED);
  say(`the report is ${path.join(output, REPORT)}`);
}

async function resultsOf(
  pool: Piscina<Cell, CellResult>,
  examples: Pick<Examples, 'count' | 'fields'>,
  tasks: readonly Cell[],
  finished: Map<number, CellResult>,
  journal: Journal<CellResult>,
  onFinished: (finished: ReadonlyMap<number, CellResult>) => void,
): Promise<readonly CellResult[]> {
  const searches = new SearchGaps();
  const first = tasks.find(({ figure }) => figure >= 0)?.figure;
  pool.on('message', searches.add);
  try {
    return await finishTasks({
      ...{ pool, tasks, name: 'trainings', finished, journal, failure, onFinished },
      sameAs: trainingOf,
      costOf: (cell) => passesOf(cell, examples),
      kindOf: kindOfTraining,
      isFirst: ({ figure }) => figure < 0 || figure === first,
    });
  } finally {
    // The last messages arrive before their threads end.
    await pool.destroy();
    searches.say('learn');
  }
}

/** Null for the built-in engine. @throws InputError */
function pythonOf({ engine, python }: LearnOptions, { privateTraining }: Experiment): string | null {
  if (engine === 'built-in') return null;
  if (privateTraining.thresholds.some((threshold) => threshold > 0))
    throw new InputError('learn: --engine torch: has no threshold in private_training');
  const problem = torchProblem(python);
  if (problem !== null) throw new InputError(`learn: --engine torch: "${python}" has no PyTorch: ${problem}`);
  return python;
}

function experimentOf({ demo = false, experiment }: LearnOptions): Experiment {
  if (demo === (experiment !== undefined)) throw new InputError('learn: needs either --demo or --experiment');
  return experiment === undefined
    ? accept('learn --demo', parseExperiment(demoExperiment))
    : accept(experiment, parseExperiment(readJson(experiment)));
}

const failure = (cell: Cell, error: unknown): unknown =>
  error instanceof RangeError ? new InputError(`learn: ${placeOf(cell)}${error.message}`) : error;

const placeOf = ({ figure, recipe: { method, epsilon } }: Cell): string =>
  figure < 0 ? '' : `figures[${figure}]: ${method} at ε = ${epsilon}: `;

const isShort = (heading: string): boolean => heading === 'ε' || heading === 'cap';

/** Prints the figures in the order of their trainings, each as soon as these are done. */
function figurePrinter(
  { figures }: Experiment,
  cells: readonly Cell[],
  print: (line: string) => void,
): (finished: ReadonlyMap<number, CellResult>) => void {
  const left = [...new Set(cells.map(({ figure }) => figure))].filter((index) => index >= 0);
  return (finished) => {
    for (let [index] = left; index !== undefined; [index] = left) {
      const figure = figures[index];
      const last = cells.findLastIndex((cell) => cell.figure === index);
      if (figure === undefined || !cells.every((_, cell) => cell > last || finished.has(cell))) return;
      const results = cells.map((_, cell) => finished.get(cell));
      // At a terminal, the progress stands in this line.
      if (isSeen()) clearState();
      for (const line of textOf(rowsOf(cells, results), figure, index)) print(line);
      left.shift();
    }
  };
}

/** The table of a figure. */
function* textOf(rows: readonly Row[], figure: Figure, index: number): Generator<string> {
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
