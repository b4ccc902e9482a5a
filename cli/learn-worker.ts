import { workerData } from 'node:worker_threads';
import type { Cell } from '../analysis/learn/cells';
import type { Experiment } from '../analysis/learn/experiment';
import { demoSplit, runCell, type CellResult } from '../analysis/learn/run-cell';

/** A thread that does one training after another on its own copy of the log. */

const experiment = workerData as Experiment;
const split = demoSplit(experiment);

export default function run(cell: Cell): CellResult {
  return runCell(cell, split, experiment);
}
