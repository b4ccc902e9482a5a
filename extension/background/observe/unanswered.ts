import type { IgnoredReason } from '../../../formats/codec/mistakes';
import type { AddressSpace } from '../state/address-space';
import { sleep } from '../state/sleep';

/** In ms after `fetch` failed: how long the browser may take to report why. */
const ERROR_TIME = 500;
/** Chrome's error for an address that is not public, or that a proxy hides. Other failures have names of their own. */
const NOT_PUBLIC_ERROR = 'net::ERR_FAILED';

export const PRIVATE_NETWORK: IgnoredReason = { code: 'private-network', values: {} };
export const INSECURE_SERVER: IgnoredReason = { code: 'no-reporting-origin', values: {} };
const NOT_PUBLIC: IgnoredReason = { code: 'not-public', values: {} };

/** Asks by name, because the browser copies all headers to list them. */
export const hasRegistration = (headers: Headers): boolean =>
  ['source', 'trigger', 'os-source', 'os-trigger'].some((kind) =>
    headers.has(`Attribution-Reporting-Register-${kind}`),
  );

export const noRegistration = (status: number, redirects: number): IgnoredReason => ({
  code: 'no-registration',
  values: { status, redirects },
});

/**
 * `fetch` does not say why it failed, so the browser's report must.
 * @param answer the error that the browser reports
 */
export async function whyUnanswered(
  answer: Promise<string | undefined>,
  space: AddressSpace,
  redirects: number,
): Promise<IgnoredReason> {
  const error = await Promise.race([answer, sleep(ERROR_TIME)]);
  return space === 2 && error === NOT_PUBLIC_ERROR ? NOT_PUBLIC : noRegistration(0, redirects);
}
