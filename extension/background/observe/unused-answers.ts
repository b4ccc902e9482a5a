import browser, { type WebRequest } from 'webextension-polyfill';
import { everyPage } from '../../urls';
import { isFetchedAhead, type Details } from '../documents/request-details';
import { documentTypes, isElementType, isFirefox } from './request-types';

/** The most requests of each kind that are remembered. */
const MOST = 1000;

/**
 * Tells the answers that no page uses, and the second report of one that a page uses. So each response counts once, and on the page that got it.
 */
export class UnusedAnswers {
  /** What `<link rel="prefetch">` requests. If a page uses it, the browser reports a separate request. */
  private readonly prefetches = new Set<string>();
  /** Answered with 304. Firefox reports the merged answer after it, under the same id. */
  private readonly notModified = new Set<string>();

  listen(): void {
    browser.webRequest.onSendHeaders.addListener(
      ({ requestId, requestHeaders = [] }) => {
        if (requestHeaders.some(isPurpose)) add(this.prefetches, requestId);
      },
      // No other requests: an event for each would delay them.
      { ...everyPage, types: ['other'] },
      ['requestHeaders'],
    );
  }

  /** Who gets the answer. `merged`: a page, but the browser tells of it again, merged with what it has cached. */
  receiverOf(details: Details<WebRequest.OnHeadersReceivedDetailsType>): 'page' | 'nobody' | 'merged' {
    const { method, requestId } = details;
    if (isMergedLater(details)) return 'merged';
    // The browser keeps the answer to a CORS preflight to itself.
    const isUnused = method === 'OPTIONS' || isFetchedAhead(details) || this.prefetches.has(requestId);
    return isUnused ? 'nobody' : 'page';
  }

  /**
   * @param hasHeaders whether the answer has registration headers
   * @returns whether what the answer registers was seen before
   */
  wasSeen({ requestId, statusCode }: WebRequest.OnHeadersReceivedDetailsType, hasHeaders: boolean): boolean {
    if (statusCode !== 304) return this.notModified.delete(requestId);
    if (hasHeaders) add(this.notModified, requestId);
    return false;
  }
}

/**
 * The 304 need not repeat the policy of the document that Firefox then shows, and a document takes the first policy that it gets. Nor is it the
 * last answer to an element's request, whose beginning is known until then.
 */
const isMergedLater = ({ statusCode, type }: WebRequest.OnHeadersReceivedDetailsType): boolean =>
  statusCode === 304 && (documentTypes.has(type) || isElementType(type)) && isFirefox();

const isPurpose = ({ name, value = '' }: WebRequest.HttpHeadersItemType): boolean =>
  name.toLowerCase() === 'sec-purpose' && value.startsWith('prefetch');

function add(ids: Set<string>, id: string): void {
  ids.add(id);
  const [oldest] = ids;
  if (ids.size > MOST && oldest !== undefined) ids.delete(oldest);
}
