import type { Eligibility } from '../src/model/requests';

/** The eligibilities that `AttributionReportingRequestOptions` can express (ARA, "Network monkeypatches"). */
const requestEligibilities = ['empty', 'event-source', 'trigger', 'event-source-or-trigger'] as const;

export type RequestEligibility = (typeof requestEligibilities)[number];

const NAME = 'attribution-reporting=';

/**
 * How a page's own script says that its request is eligible: at the end of the URL's fragment. No server gets a fragment, and both browsers
 * show it to extensions, from the first request to the last redirect and through a page's service worker. So nothing has to wait.
 */
export const withMark = (url: string, eligibility: RequestEligibility): string =>
  `${url}${url.includes('#') ? '&' : '#'}${NAME}${eligibility}`;

/** As the page wrote the URL. */
export const withoutMark = (url: string): string =>
  markIn(url) === null ? url : url.replace(/[#&]attribution-reporting=[a-z-]+$/, '');

/** What the mark at the end of a URL says; null: there is none. */
export function markIn(url: string): RequestEligibility | null {
  const [, value] = /#(?:.*&)?attribution-reporting=([a-z-]+)$/.exec(url) ?? [];
  return requestEligibilities.find((known) => known === value) ?? null;
}

/** What a URL with the mark ends with. */
export const markOf = (eligibility: Eligibility): string => NAME + eligibility;
