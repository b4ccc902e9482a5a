import type { Progress } from './simulate-lines';
import type { ByteSource } from './simulate-source';

const EVERY_MILLISECONDS = 500;

/**
 * Shows on a terminal how far the log has been read.
 * @returns stops the display.
 */
export function showProgress(source: ByteSource, progress: Progress): () => void {
  const { stderr } = process;
  if (!stderr.isTTY) return () => undefined;
  const show = (): void => {
    const part =
      source.size === null ? '' : ` (${Math.floor((100 * source.read) / Math.max(source.size, 1))} %)`;
    stderr.write(`\r${progress.lines} lines${part}, ${progress.users} users\u001b[K`);
  };
  const timer = setInterval(show, EVERY_MILLISECONDS);
  return () => {
    clearInterval(timer);
    stderr.write('\r\u001b[K');
  };
}
