import { parentPort } from 'node:worker_threads';
import { joinPart, type JoinTask } from './join-part';
import { readPart, type ReadTask } from './read-part';

/** A thread that reads lines of a log, or joins one part of it. */

parentPort?.once('message', (task: ReadTask | JoinTask) => {
  if ('logs' in task) parentPort?.postMessage(joinPart(task));
  else void readPart(task).then((log) => parentPort?.postMessage(log));
});
