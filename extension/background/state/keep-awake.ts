import browser from 'webextension-polyfill';

/** In ms: far less than it takes a browser to find the background idle. */
const BEAT = 200;

let inFlight = 0;
let beating: ReturnType<typeof setInterval> | undefined;

/**
 * Keeps the browser from stopping the background as idle before the work has ended. Browsers count calls of their API, and nothing that a
 * response has led to: on a loaded machine it could be lost before it is written.
 */
export function keepAwake(work: Promise<unknown>): void {
  inFlight += 1;
  beating ??= setInterval(() => void browser.runtime.getPlatformInfo(), BEAT);
  const end = (): void => {
    inFlight -= 1;
    if (inFlight > 0) return;
    clearInterval(beating);
    beating = undefined;
  };
  work.then(end, end);
}
