import { runCell } from '../../analysis/learn/run-cell';
import { learnWorker } from './workers';

/** A thread that does one training after another. */

const { experiment, split, reported } = learnWorker.setup();

export default learnWorker.answer((cell) => runCell(cell, split, experiment, reported));
