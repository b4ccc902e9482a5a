import { workerData } from 'node:worker_threads';
import type { Cell } from '../analysis/learn/cells';
import type { Experiment } from '../analysis/learn/experiment';
import type { Split } from '../analysis/learn/examples';
import { runCell, type CellResult } from '../analysis/learn/run-cell';

/** A thread that does one training after another. */

export interface LearnSetup {
  readonly experiment: Experiment;
  readonly split: Split;
}

const { experiment, split } = workerData as LearnSetup;

export default function run(cell: Cell): CellResult {
  return runCell(cell, split, experiment);
}
