import { parentPort } from 'node:worker_threads';
import { runCell } from '../../analysis/learn/run-cell';
import { SearchFollower } from '../io/solver-progress';
import { learnWorker } from './workers';

/** A thread that does one training after another. */

const { experiment, split, reported } = learnWorker.setup();
const searches = new SearchFollower('learn', (message) => parentPort?.postMessage(message));

export default learnWorker.answer((cell) => {
  const result = runCell(cell, split, experiment, reported, searches.add);
  searches.end();
  return result;
});
