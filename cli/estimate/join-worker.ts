import { parentPort } from 'node:worker_threads';
import { joinPart, type JoinTask } from './join-part';

/** A thread that joins one part of a log. */

parentPort?.once('message', (task: JoinTask) => {
  void joinPart(task).then((part) => parentPort?.postMessage(part));
});
