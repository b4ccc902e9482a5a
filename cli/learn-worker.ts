import { workerData } from 'node:worker_threads';
import type { Cell } from '../analysis/learn/cells';
import { runCell, type CellResult, type LearnSetup } from '../analysis/learn/run-cell';

/** A thread that does one training after another. */

const { experiment, split, reported } = workerData as LearnSetup;

export default function run(cell: Cell): CellResult {
  return runCell(cell, split, experiment, reported);
}
