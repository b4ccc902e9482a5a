import { setTimeout as sleep } from 'node:timers/promises';

export interface WaitOptions {
  /** In milliseconds. Default: 60 000. */
  readonly timeout?: number;
  /** Milliseconds between two tries. Default: 100. */
  readonly interval?: number;
}

/**
 * Calls `probe` until it resolves to something other than null or false, and resolves to that.
 * @param what names the condition in the error, as in "timed out after 60 s waiting for <what>"
 */
export async function waitFor<T>(
  what: string,
  probe: () => Promise<T | null | false> | T | null | false,
  { timeout = 60_000, interval = 100 }: WaitOptions = {},
): Promise<T> {
  const end = performance.now() + timeout;
  for (;;) {
    const value = await probe();
    if (value !== null && value !== false) return value;
    if (performance.now() >= end) throw new Error(`timed out after ${timeout / 1000} s waiting for ${what}`);
    await sleep(interval);
  }
}
