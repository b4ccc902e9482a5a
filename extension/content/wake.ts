import { send } from './send';

/** In ms: the background sleeps only after half a minute without events. */
const PAUSE = 10_000;

let last = -Infinity;

/**
 * Starts the background if it sleeps, because a click may follow. Chrome drops a message if its document is gone before the background has
 * started, and a short press leaves less time than a start takes.
 */
export function wake(): void {
  last = performance.now();
  void send({ kind: 'wake' });
}

/** As `wake`, once in ten seconds at most, because a pointer moves often. */
export function wakeAtTimes(): void {
  if (performance.now() - last >= PAUSE) wake();
}
