import { NO_SEAL } from '../../eligibility-mark';
import { sealAskedEvent, sealEvent } from '../announcement';

/** Until the isolated world has given the seal, a mark has none, and what it marks registers nothing. */
let seal = NO_SEAL;

/** Takes the document's seal from the isolated world. Call it before the page's own scripts run. */
export function takeSeal(): void {
  const take = (event: Event): void => {
    seal = String((event as CustomEvent).detail);
  };
  document.addEventListener(sealEvent, take, { once: true });
  document.dispatchEvent(new Event(sealAskedEvent));
}

/** What goes into the marks of this document. */
export const ownSeal = (): string => seal;
