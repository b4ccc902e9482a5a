import { joinPart } from './join-part';
import { joinWorker } from './join-workers';

/** A thread that joins one part of a log after another. */

const setup = joinWorker.setup();

export default joinWorker.answer((part) => joinPart(setup, part));
