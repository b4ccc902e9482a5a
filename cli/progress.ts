const EVERY_MILLISECONDS = 500;

/**
 * Shows on a terminal how far the work is.
 * @param state one line, computed twice a second.
 * @returns stops the display.
 */
export function showProgress(state: () => string): () => void {
  const { stderr } = process;
  if (!stderr.isTTY) return () => undefined;
  const timer = setInterval(() => stderr.write(`\r${state()}\u001b[K`), EVERY_MILLISECONDS);
  return () => {
    clearInterval(timer);
    stderr.write('\r\u001b[K');
  };
}
