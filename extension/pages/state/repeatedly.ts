/**
 * Runs work again and again, each time so long after it ended. A background that is slow to answer is not asked again meanwhile, so that the
 * browser can find it idle. A page that nobody sees does not work either, and does so at once when it is shown again.
 * @param work must not reject
 * @param pause in milliseconds; also before the first time
 * @returns how to stop
 */
export function repeatedly(work: () => Promise<void>, pause: number): () => void {
  let isStopped = false;
  let isBusy = false;
  let timer: ReturnType<typeof setTimeout>;
  const run = async (): Promise<void> => {
    isBusy = true;
    await work();
    isBusy = false;
    wait();
  };
  const wait = (): void => {
    if (!isStopped && !document.hidden) timer = setTimeout(() => void run(), pause);
  };
  const onVisibility = (): void => {
    clearTimeout(timer);
    if (!isBusy && !document.hidden) void run();
  };
  document.addEventListener('visibilitychange', onVisibility);
  wait();
  return () => {
    isStopped = true;
    clearTimeout(timer);
    document.removeEventListener('visibilitychange', onVisibility);
  };
}
