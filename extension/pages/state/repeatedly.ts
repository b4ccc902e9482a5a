/**
 * Runs work again and again, each time so long after it ended. A background that is slow to answer is not asked again meanwhile, so that the
 * browser can find it idle.
 * @param work must not reject
 * @param pause in milliseconds; also before the first time
 * @returns how to stop
 */
export function repeatedly(work: () => Promise<void>, pause: number): () => void {
  let isStopped = false;
  let timer: ReturnType<typeof setTimeout>;
  const wait = (): void => {
    if (!isStopped) timer = setTimeout(() => void work().then(wait), pause);
  };
  wait();
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
}
