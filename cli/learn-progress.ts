const EVERY_MILLISECONDS = 500;

/** Shows on a terminal how many trainings are done, and how long the rest will take. */
export function showTrainings(total: number, finished: () => number): () => void {
  const { stderr } = process;
  if (!stderr.isTTY) return () => undefined;
  const start = performance.now();
  const before = finished();
  const show = (): void => {
    const done = finished();
    const seconds = (performance.now() - start) / 1000;
    const left = done === before ? '' : `, ${Math.ceil((seconds * (total - done)) / (done - before))} s left`;
    stderr.write(`\r${done} of ${total} trainings${left}\u001b[K`);
  };
  const timer = setInterval(show, EVERY_MILLISECONDS);
  return () => {
    clearInterval(timer);
    stderr.write('\r\u001b[K');
  };
}
