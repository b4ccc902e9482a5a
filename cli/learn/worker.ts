import { parentPort } from 'node:worker_threads';
import { builtIn } from '../../analysis/learn/engine';
import { runCell } from '../../analysis/learn/run-cell';
import { SearchFollower } from '../io/solver-progress';
import { torchEngine } from './torch-engine';
import { learnWorker } from './workers';

/** A thread that does one training after another. */

const { experiment, split, reported, python } = learnWorker.setup();
const engine = python === null ? builtIn : torchEngine(python);
const searches = new SearchFollower('learn', (message) => parentPort?.postMessage(message));

export default learnWorker.answer((cell) => {
  const result = runCell(cell, split, experiment, reported, engine, searches.add);
  searches.end();
  return result;
});
