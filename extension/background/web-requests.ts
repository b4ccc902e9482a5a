import browser, { type WebRequest } from 'webextension-polyfill';
import type { Origin } from '../../src/model/units';
import type { Arrival, Asker, Place, RegistrationHeaders, RequestKind } from '../../src/model/requests';
import { originOfUrl } from '../../src/parsing/origin';
import { markIn } from '../eligibility-mark';
import { Beginnings } from './beginnings';
import type { Documents } from './documents';
import type { Navigations } from './navigations';
import type { OwnRequests } from './own-requests';
import { isRedirect, makerOrigin, textOf, type Details } from './request-details';
import { everyPage, withoutFragment } from '../urls';

const HEADER_PREFIX = 'attribution-reporting-';

const documentTypes: ReadonlySet<WebRequest.ResourceType> = new Set(['main_frame', 'sub_frame', 'object']);

type HeadersReceived = Details<WebRequest.OnHeadersReceivedDetailsType>;

interface Parts {
  readonly ownRequests: OwnRequests;
  readonly documents: Documents;
  readonly navigations: Navigations;
}

/** A response as the recorder takes it, without the time. */
export type ObservedResponse = Omit<Arrival, 'time'>;

/**
 * Watches every response, including each redirect hop, for registration headers. Nearly all have none, so the listener does no other work
 * before it finds one, and there is one event only for each response: a page with a thousand images notices more.
 */
export class WebRequests {
  private readonly beginnings = new Beginnings();

  constructor(
    private readonly parts: Parts,
    private readonly onResponse: (response: ObservedResponse, deviceTime: number) => void,
  ) {}

  listen(): void {
    browser.webRequest.onHeadersReceived.addListener((details) => this.headersReceived(details), everyPage, [
      'responseHeaders',
    ]);
    browser.webRequest.onErrorOccurred.addListener(
      ({ requestId }) => this.beginnings.forget(requestId),
      everyPage,
    );
  }

  private headersReceived(details: HeadersReceived): undefined {
    const { requestId, url, statusCode, tabId, responseHeaders = [] } = details;
    const maker = tabId < 0 ? (makerOrigin(details) ?? '') : `tab ${tabId}`;
    const firstUrl = this.beginnings.answered(requestId, url, isRedirect(statusCode), maker);
    if (!isRedirect(statusCode)) this.mayBecomeDocument(details);
    const headers = registrationHeaders(responseHeaders);
    const location = isRedirect(statusCode) ? headerOf(responseHeaders, 'location') : null;
    if (this.parts.ownRequests.responseTo(requestId, url, headers, location) || headers === null) return;
    const reportingOrigin = originOfUrl(url);
    if (reportingOrigin !== null)
      this.onResponse(this.observe(details, firstUrl, reportingOrigin, headers), details.timeStamp);
  }

  private mayBecomeDocument(details: HeadersReceived): void {
    const { type, tabId, frameId, url, responseHeaders = [] } = details;
    const policy = (): string => headerOf(responseHeaders, 'permissions-policy') ?? '';
    if (documentTypes.has(type)) this.parts.documents.answered({ tabId, frameId, url, policy: policy() });
    const origin = makerOrigin(details);
    if (tabId < 0 && type === 'xmlhttprequest' && origin !== null && origin === originOfUrl(url))
      this.parts.documents.workerAnswered(origin, url, policy());
  }

  private observe(
    details: HeadersReceived,
    firstUrl: string,
    reportingOrigin: Origin,
    headers: RegistrationHeaders,
  ): ObservedResponse {
    const { requestId, tabId, frameId, type, documentId = null, documentLifecycle } = details;
    const kind = tabId < 0 ? 'worker' : kindOf(type);
    const marked = type === 'xmlhttprequest' ? markIn(firstUrl) : null;
    const asker = askerOf(details);
    return {
      place: kind === 'navigation' ? placeOfNavigation(details, reportingOrigin) : null,
      asker,
      requestId,
      requestUrl: withoutFragment(firstUrl),
      reportingOrigin,
      kind,
      tabId,
      openerTabId: this.parts.navigations.openerOf(tabId),
      documentId,
      ...(documentLifecycle === 'prerender' ? { prerenderedIn: frameId } : {}),
      documentOrigin: asker.documentOrigin,
      headers,
      // Only a document can tell whether a worker's request is one of its elements'.
      eligibility: marked ?? (kind === 'fetch' ? 'unset' : null),
      decided: null,
    };
  }
}

function askerOf(details: HeadersReceived): Asker {
  const { tabId, frameId, parentFrameId, documentId, parentDocumentId } = details;
  return {
    tabId,
    frameId,
    parentFrameId,
    ...(documentId === undefined ? {} : { documentId }),
    ...(parentDocumentId === undefined ? {} : { parentDocumentId }),
    documentOrigin: makerOrigin(details),
  };
}

/** A document's page is itself. A redirect hop on the way to it is on no page. */
const placeOfNavigation = ({ statusCode }: HeadersReceived, origin: Origin): Place =>
  isRedirect(statusCode) ? { kind: 'redirect' } : { kind: 'known', contextOrigin: origin };

/** The values of a header, as one list; null when there is none. */
function headerOf(headers: WebRequest.HttpHeaders, name: string): string | null {
  const values = headers.filter((header) => header.name.toLowerCase() === name).map(textOf);
  return values.length === 0 ? null : values.join(', ');
}

/** Null when there are none. */
function registrationHeaders(headers: WebRequest.HttpHeaders): RegistrationHeaders | null {
  if (!headers.some(({ name }) => name.toLowerCase().startsWith(HEADER_PREFIX))) return null;
  // RFC 9110, 5.3: several lines of one field form one list. The result is malformed JSON and refused as such.
  const get = (name: string): string | null => headerOf(headers, HEADER_PREFIX + name);
  const found: RegistrationHeaders = {
    source: get('register-source'),
    trigger: get('register-trigger'),
    osSource: get('register-os-source') !== null,
    osTrigger: get('register-os-trigger') !== null,
    info: get('info'),
  };
  return found.source === null && found.trigger === null && !found.osSource && !found.osTrigger
    ? null
    : found;
}

function kindOf(type: WebRequest.ResourceType): RequestKind {
  if (type === 'main_frame') return 'navigation';
  return type === 'xmlhttprequest' ? 'fetch' : 'element';
}
