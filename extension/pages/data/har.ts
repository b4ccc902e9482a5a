import type { Json, JsonObject } from '../../../src/model/json';
import { carriesRegistration, eligibilityOfHop, headerOf, type Hop } from './request-tree';

/**
 * The hops as an HTTP Archive (HAR 1.2). Only the headers that the browser shows to Cointoss are in it: no cookies, and no bodies.
 * @param outcomeOf what became of the registration, where there was one
 */
export const toHar = (
  hops: readonly Hop[],
  version: string,
  outcomeOf: (hop: Hop) => string | null,
): JsonObject => ({
  log: {
    version: '1.2',
    creator: { name: 'Cointoss', version },
    entries: hops.map((hop) => entryOf(hop, outcomeOf(hop))),
  },
});

function entryOf(hop: Hop, outcome: string | null): Json {
  const { url, method, status, requestHeaders, responseHeaders, time, answeredAt } = hop;
  const took = Math.max(0, (answeredAt ?? time) - time);
  const unknown = { httpVersion: '', cookies: [], headersSize: -1, bodySize: -1 };
  return {
    startedDateTime: new Date(time).toISOString(),
    time: took,
    request: {
      ...{ method, url, ...unknown, headers: requestHeaders.map(({ name, value }) => ({ name, value })) },
      queryString: [...new URL(url).searchParams].map(([name, value]) => ({ name, value })),
    },
    response: {
      ...{ status: status ?? 0, statusText: '', ...unknown },
      headers: responseHeaders.map(({ name, value }) => ({ name, value })),
      content: { size: 0, mimeType: headerOf(responseHeaders, 'content-type') ?? '' },
      redirectURL: headerOf(responseHeaders, 'location') ?? '',
    },
    cache: {},
    timings: { send: 0, wait: took, receive: 0 },
    _tab: hop.tabId,
    _frame: hop.frameId,
    _initiator: hop.initiator,
    _page: hop.page,
    _error: hop.error,
    _eligibility: eligibilityOfHop(hop),
    _registration: carriesRegistration(hop),
    _logEntry: hop.decision?.entry ?? null,
    _outcome: outcome,
  };
}
