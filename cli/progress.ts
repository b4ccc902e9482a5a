import { shareRead, type InputFiles } from './input-files';

const ON_TERMINAL_MILLISECONDS = 500;
const IN_FILE_MILLISECONDS = 60_000;

/**
 * Shows how far the work is: on a terminal always, in a file or pipe with a line every minute.
 * @param state one line, without its end.
 * @returns stops the display.
 */
export function showProgress(state: () => string): () => void {
  const { stderr } = process;
  if (!stderr.isTTY) {
    const timer = setInterval(() => stderr.write(`cointoss: ${state()}\n`), IN_FILE_MILLISECONDS);
    return () => clearInterval(timer);
  }
  const timer = setInterval(() => stderr.write(`\r${state()}\u001b[K`), ON_TERMINAL_MILLISECONDS);
  return () => {
    clearInterval(timer);
    stderr.write('\r\u001b[K');
  };
}

/**
 * Says how long the rest of the work will take if it goes on as since this call: `, 12 s left`.
 * @param share of the work that is done, from 0 to 1; null while nobody knows.
 * @param now in milliseconds.
 */
export function timeLeft(share: () => number | null, now = (): number => performance.now()): () => string {
  const start = now();
  const before = share() ?? 0;
  return () => {
    const done = share() ?? 0;
    if (done <= before) return '';
    return `, ${Math.ceil((((now() - start) / 1000) * (1 - done)) / (done - before))} s left`;
  };
}

/** How much of an input has been read, and how long the rest will take. */
export function readingProgress(inputs: readonly InputFiles[]): () => string {
  const share = (): number | null => shareRead(inputs);
  const left = timeLeft(share);
  return () => {
    const read = share();
    return read === null ? '' : ` (${Math.floor(100 * read)} %${left()})`;
  };
}
