import browser, { type WebRequest } from 'webextension-polyfill';
import type { Origin } from '../../src/model/units';
import type { RegistrationHeaders, RequestKind, UndecidedResponse } from '../../src/model/requests';
import { originOfUrl } from '../../src/parsing/origin';
import type { OwnRequests } from './own-requests';
import { everyPage, withoutFragment } from './urls';

const HEADER_PREFIX = 'attribution-reporting-';

/** What Chrome (`initiator`) and Firefox tell beside what the types of the polyfill know. */
type HeadersReceived = WebRequest.OnHeadersReceivedDetailsType & {
  readonly initiator?: string;
  readonly documentLifecycle?: string;
  readonly frameAncestors?: readonly { readonly url: string }[];
};

/** What the recorder needs of a response, but for its time. */
export type ObservedResponse = Omit<UndecidedResponse, 'id' | 'decided' | 'time'>;

/**
 * Watches every response of the browser for registration headers, on each redirect hop. Nearly all responses have none,
 * so the listener does nothing before it has seen one.
 */
export class WebRequests {
  /** Where each redirected request began, by the browser's id of it. */
  private readonly beginnings = new Map<string, string>();

  constructor(
    private readonly ownRequests: OwnRequests,
    private readonly onResponse: (response: Promise<ObservedResponse | null>, deviceTime: number) => void,
  ) {}

  listen(): void {
    browser.webRequest.onHeadersReceived.addListener((details) => this.headersReceived(details), everyPage, [
      'responseHeaders',
    ]);
    for (const event of [browser.webRequest.onCompleted, browser.webRequest.onErrorOccurred]) {
      event.addListener(({ requestId }) => void this.beginnings.delete(requestId), everyPage);
    }
  }

  private headersReceived(details: HeadersReceived): undefined {
    const requestUrl = this.beginnings.get(details.requestId) ?? withoutFragment(details.url);
    if (isRedirect(details.statusCode)) this.beginnings.set(details.requestId, requestUrl);
    const headers = registrationHeaders(details.responseHeaders ?? []);
    const reportingOrigin = originOfUrl(details.url);
    if (headers === null || reportingOrigin === null) return;
    const own = this.ownRequests.responseTo(details.requestId, reportingOrigin, headers);
    if (own === 'not-ours') {
      this.onResponse(observe(details, requestUrl, reportingOrigin, headers), details.timeStamp);
    }
  }
}

const isRedirect = (status: number): boolean => status >= 300 && status < 400;

/** Firefox gives each byte of a header as one character; Chrome gives the text that they are in UTF-8, and none where they are not. */
const givesBytes = browser.runtime.getURL('').startsWith('moz-extension:');
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function textOf({ value = '' }: WebRequest.HttpHeadersItemType): string {
  if (!givesBytes) return value;
  try {
    return utf8.decode(Uint8Array.from(value, (byte) => byte.charCodeAt(0)));
  } catch {
    return '';
  }
}

/** Null when there is none of them. */
function registrationHeaders(headers: WebRequest.HttpHeaders): RegistrationHeaders | null {
  const values = new Map<string, string>();
  for (const header of headers) {
    const lower = header.name.toLowerCase();
    if (!lower.startsWith(HEADER_PREFIX)) continue;
    const earlier = values.get(lower);
    const value = textOf(header);
    // RFC 9110, 5.3: several lines of one field are one list. (As JSON that is malformed, and refused as such.)
    values.set(lower, earlier === undefined ? value : `${earlier}, ${value}`);
  }
  const get = (name: string): string | null => values.get(HEADER_PREFIX + name) ?? null;
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

/** Null for requests on no page, such as a service worker's. */
async function observe(
  details: HeadersReceived,
  requestUrl: string,
  reportingOrigin: Origin,
  headers: RegistrationHeaders,
): Promise<ObservedResponse | null> {
  const kind = kindOf(details.type);
  const documentOrigin = originOfUrl(details.initiator ?? details.originUrl ?? '');
  const common = {
    requestId: details.requestId,
    requestUrl,
    reportingOrigin,
    tabId: details.tabId,
    frameId: frameIdOf(details),
    headers,
  };
  if (details.tabId < 0) return null;
  if (kind === 'navigation') {
    // A document is on itself; a hop on the way to it is on no page.
    const contextOrigin = isRedirect(details.statusCode) ? null : reportingOrigin;
    return { ...common, kind, documentOrigin: documentOrigin ?? reportingOrigin, contextOrigin };
  }
  const contextOrigin = await topLevelOrigin(details, documentOrigin);
  if (contextOrigin === null || documentOrigin === null) return null;
  return { ...common, kind, documentOrigin, contextOrigin };
}

/**
 * Content scripts of a page in a tab are in frame 0. Chrome gives a request another number that is made before the browser process has
 * heard that the page is there; that the frame has no parent it knows. Only a page that is prepared ahead keeps such a number.
 */
function frameIdOf({ frameId, parentFrameId, documentLifecycle }: HeadersReceived): number {
  return parentFrameId === -1 && documentLifecycle !== 'prerender' ? 0 : frameId;
}

function kindOf(type: WebRequest.ResourceType): RequestKind {
  if (type === 'main_frame') return 'navigation';
  return type === 'xmlhttprequest' ? 'fetch' : 'element';
}

/** The page as the browser knows it: never what a message or a header says. */
async function topLevelOrigin(
  details: HeadersReceived,
  documentOrigin: Origin | null,
): Promise<Origin | null> {
  const { frameAncestors, tabId, documentLifecycle } = details;
  // Firefox names the ancestors, the top one last. Chrome does not, but knows the tab's URL.
  const top = frameAncestors?.at(-1)?.url;
  if (top !== undefined) return originOfUrl(top);
  // A frame's own document has the frame's id, but is requested by, and on, what is around it.
  // A page that Chrome prepares ahead has another number, in a tab that still shows the page before it.
  if (frameIdOf(details) === 0 || documentLifecycle === 'prerender') return documentOrigin;
  const tab = await browser.tabs.get(tabId).catch(() => null);
  return originOfUrl(tab?.url ?? '');
}
