import { memberOf } from './sharding';
import { PartSimulator } from './part';
import { answerFor } from './read';
import { simulateWorker } from './workers';

/** A thread that simulates one part of a log after another. */

const setup = simulateWorker.setup();
const isInShard = memberOf(setup.shard);
const simulator = PartSimulator.with(setup);

export default simulateWorker.answer((task) =>
  answerFor(task, isInShard, async (content) => (await simulator).simulate(content)),
);
