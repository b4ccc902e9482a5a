import { NO_SEAL, withMark, type RequestEligibility } from '../../eligibility-mark';
import { sealAskedEvent, sealEvent } from '../announcement';
import { announce } from './announce';

/** Until the isolated world has given the seal, a mark has none, and what it marks registers nothing. */
let seal = NO_SEAL;

/** Takes the document's seal from the isolated world. Call it before the page's own scripts run. */
export function receiveSeal(): void {
  const take = (event: Event): void => {
    seal = String((event as CustomEvent).detail);
  };
  document.addEventListener(sealEvent, take, { once: true });
  document.dispatchEvent(new Event(sealAskedEvent));
}

const isOpaque = self.origin === 'null';

/** The absolute URL of a request with this document's mark. Without an origin, no seal is its own, so it also declares the request. */
export function marked(url: string, eligibility: RequestEligibility): string {
  if (isOpaque) announce({ kind: 'fetch', url, eligibility });
  return withMark(url, { seal, eligibility });
}
