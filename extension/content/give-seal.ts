import { sealFor, sealKeyOf } from '../seal';
import { sealAskedEvent, sealEvent } from './announcement';
import { api } from './extension-api';

/** Gives page.ts the document's seal, before the page's own scripts run. Either of the two scripts may run first. */
export function giveSeal(): void {
  const key = api?.runtime === undefined ? null : sealKeyOf(api.runtime);
  const [nonce = 0n] = crypto.getRandomValues(new BigUint64Array(1));
  const detail = sealFor(key, self.origin, nonce);
  const give = (): void => void document.dispatchEvent(new CustomEvent(sealEvent, { detail }));
  document.addEventListener(sealAskedEvent, give, { once: true });
  give();
}
