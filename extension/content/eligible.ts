import type { ContentMessage } from '../messages';
import type { Eligibility } from '../../src/model/requests';
import { send } from './send';
import { resolveHttpUrl } from './urls';

/**
 * Tells the background that this document's request for `url` may register. Resolves once the background is ready for the request, or at
 * once if the URL is not HTTP.
 */
export async function sendEligibleRequest(
  via: Extract<ContentMessage, { kind: 'eligible-request' }>['via'],
  url: string,
  eligibility: Eligibility,
): Promise<void> {
  const resolved = resolveHttpUrl(url);
  if (resolved !== null) await send({ kind: 'eligible-request', via, url: resolved, eligibility });
}

/** Makes the background add the header to a navigation that a pressed link may start. */
export function sendLinkPressed(url: string): void {
  const resolved = resolveHttpUrl(url);
  if (resolved !== null) void send({ kind: 'link-pressed', url: resolved });
}

/** Makes the background request the URLs of an `attributionsrc`, if there are any. */
export function sendAttributionSrc(
  urls: readonly string[],
  eligibility: 'event-source-or-trigger' | 'navigation-source',
): void {
  if (urls.length > 0) void send({ kind: 'attributionsrc', urls, eligibility });
}
