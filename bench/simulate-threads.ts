import { once } from 'node:events';
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { limitMemory } from '../cli/io/memory';
import { parsePart, partsOf, type Parts } from './parsed-log';

/* A program: `WORK LOG THREADS OUTPUT BYTES` does a work in threads, as `simulate` does, each with its own parts of the log. */

/** `write` makes an output of so many bytes, which does not stay. */
type Given = readonly [work: 'write' | 'decide', log: string, threads: string, output: string, bytes: string];

/** The thread ends when the work does. */
async function workHere([work, log, threads, , bytes]: Given, thread: number): Promise<void> {
  const all = partsOf(log);
  const own = all.filter((_, index) => index % Number(threads) === thread);
  if (work === 'write') {
    write(own, Math.ceil(Number(bytes) / all.length));
    return;
  }
  // Loaded only here, because the memory of the other work is compared with that of `simulate`.
  const { works } = await import('./simulate-works');
  await works.decide(own)();
}

/** Reads and parses each part, and gives the first thread so many bytes for it. */
function write(parts: Parts, bytes: number): void {
  for (const part of parts) {
    parsePart(part);
    parentPort?.postMessage(new Uint8Array(bytes));
  }
}

if (isMainThread) {
  const given = process.argv.slice(2) as unknown as Given;
  const count = Number(given[2]);
  const resourceLimits = limitMemory(count);
  const output = openSync(given[3], 'wx');
  const threads = Array.from({ length: count }, (_, thread) => {
    const worker = new Worker(fileURLToPath(import.meta.url), {
      workerData: [given, thread],
      resourceLimits,
      execArgv: [],
    });
    worker.on('message', (bytes: Uint8Array) => writeSync(output, bytes));
    return worker;
  });
  await Promise.all(threads.map((thread) => once(thread, 'exit')));
  closeSync(output);
  rmSync(given[3]);
} else await workHere(...(workerData as [Given, number]));
