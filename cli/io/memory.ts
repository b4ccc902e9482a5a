import { setFlagsFromString } from 'node:v8';
import type { ResourceLimits } from 'node:worker_threads';

/**
 * How much new objects may take in each thread. Of what Node lets them take, 48 MiB, half is as fast. With several threads it is a quarter, so that two
 * stay within the memory limit (docs/simulate.md); up to a tenth more processor time then goes into garbage.
 */
const newObjects = (threads: number): ResourceLimits => ({
  maxYoungGenerationSizeMb: threads === 1 ? 24 : 12,
});
/**
 * By how many percent the older objects may grow before V8 looks for garbage among them. It would wait for four times as many, which after a user
 * with a long log is most of the memory of the run.
 */
const HEAP_GROWTH = 75;

/** Limits the older objects of this thread, and of those that start from now on. */
export const limitHeap = (): void => setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH}`);

/** Limits the memory of all threads that start from now on. @returns what each of these must be started with */
export function limitMemory(threads: number): ResourceLimits {
  limitHeap();
  return newObjects(threads);
}
