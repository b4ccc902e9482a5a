import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { isMainThread, Worker, workerData } from 'node:worker_threads';
import { ByteSource } from '../cli/io/byte-source';
import { cutLog, filesToCut } from '../cli/io/log-ranges';
import { threadLimits } from '../cli/simulate/run';
import { works } from './simulate-works';

/* A program: `WORK LOG THREADS` does a work of `simulate-worker` in threads, as `simulate` does, each with its own parts of the log. */

type Given = readonly [work: 'parse' | 'decide', log: string, threads: string];

/** The thread ends when the work does. */
function workHere([work, log, threads]: Given, thread: number): void {
  const parts = [...cutLog(filesToCut([new ByteSource(log)]) ?? [])];
  const run: () => unknown = works[work](parts.filter((_, index) => index % Number(threads) === thread));
  run();
}

if (isMainThread) {
  const given = process.argv.slice(2) as unknown as Given;
  const threads = Array.from(
    { length: Number(given[2]) },
    (_, thread) =>
      new Worker(fileURLToPath(import.meta.url), {
        workerData: [given, thread],
        resourceLimits: threadLimits(Number(given[2])),
        execArgv: [],
      }),
  );
  await Promise.all(threads.map((thread) => once(thread, 'exit')));
} else workHere(...(workerData as [Given, number]));
