/** The eligibilities that `AttributionReportingRequestOptions` can express (ARA, "Network monkeypatches"). */
export const requestEligibilities = ['empty', 'event-source', 'trigger', 'event-source-or-trigger'] as const;

export type RequestEligibility = (typeof requestEligibilities)[number];

/** What a page's own script says of its request, and the seal of its document (seal.ts). */
export interface Mark {
  readonly seal: string;
  readonly eligibility: RequestEligibility;
}

const NAME = '.attribution-reporting=';
/** In characters. */
const SEAL_LENGTH = 32;

/** Stands in a mark whose document has no seal. No seal is valid that looks like this. */
export const NO_SEAL = '0'.repeat(SEAL_LENGTH);

/**
 * How a page's own script says that its request is eligible: at the end of the URL's fragment. No server gets a fragment, and both browsers
 * show it to extensions, from the first request to the last redirect and through a page's service worker. So nothing has to wait.
 */
export const withMark = (url: string, mark: Mark): string => url + textOf(mark);

/** As the page wrote the URL. */
export function withoutMark(url: string): string {
  const mark = markIn(url);
  return mark === null ? url : url.slice(0, url.length - textOf(mark).length);
}

/** The mark at the end of a URL, whoever wrote it; null: there is none. It reads nothing but the end: a URL may have millions of characters. */
export function markIn(url: string): Mark | null {
  const eligibility = requestEligibilities.find((known) => url.endsWith(markOf(known)));
  if (eligibility === undefined) return null;
  const end = url.length - markOf(eligibility).length;
  const seal = url.slice(Math.max(end - SEAL_LENGTH, 0), end);
  // A fragment may have a number sign in it. With its own, a mark cannot be part of anything else.
  return url[end - SEAL_LENGTH - 1] === '#' && /^[\da-f]{32}$/.test(seal) ? { seal, eligibility } : null;
}

/** What a URL with the mark ends with. */
export const markOf = (eligibility: RequestEligibility): string => NAME + eligibility;

const textOf = ({ seal, eligibility }: Mark): string => `#${seal}${markOf(eligibility)}`;
