import { answersOf } from './part';
import { simulateWorker } from './workers';

/** A thread that simulates one part of a log after another. */
export default simulateWorker.answer(answersOf(simulateWorker.setup()));
