import browser, { type WebRequest } from 'webextension-polyfill';
import type { Origin } from '../../src/model/units';
import type { RegistrationHeaders, RequestKind, UndecidedResponse } from '../../src/model/requests';
import { originOfUrl } from '../../src/parsing/origin';
import type { OwnRequests } from './own-requests';
import { everyPage, withoutFragment } from './urls';

const HEADER_PREFIX = 'attribution-reporting-';

/** Fields that Chrome (`initiator`) and Firefox send and the polyfill's types lack. */
type HeadersReceived = WebRequest.OnHeadersReceivedDetailsType & {
  readonly initiator?: string;
  readonly documentLifecycle?: string;
  readonly frameAncestors?: readonly { readonly url: string }[];
};

/** A response as the recorder takes it, without the time. */
export type ObservedResponse = Omit<UndecidedResponse, 'id' | 'decided' | 'time'>;

/**
 * Watches every response, including each redirect hop, for registration headers. Nearly all have none, so the listener does no other work
 * before it finds one.
 */
export class WebRequests {
  /** The first URL of each redirected request, by the browser's request id. */
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

/** Firefox gives a header's bytes as one character each. Chrome decodes them as UTF-8, and omits headers that are not valid UTF-8. */
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

/** Null when there are none. */
function registrationHeaders(headers: WebRequest.HttpHeaders): RegistrationHeaders | null {
  const values = new Map<string, string>();
  for (const header of headers) {
    const lower = header.name.toLowerCase();
    if (!lower.startsWith(HEADER_PREFIX)) continue;
    const earlier = values.get(lower);
    const value = textOf(header);
    // RFC 9110, 5.3: several lines of one field form one list. The result is malformed JSON and refused as such.
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

/** Null for requests without a page, such as a service worker's. */
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
    // A document's page is itself. A redirect hop on the way to it is on no page.
    const contextOrigin = isRedirect(details.statusCode) ? null : reportingOrigin;
    return { ...common, kind, documentOrigin: documentOrigin ?? reportingOrigin, contextOrigin };
  }
  const contextOrigin = await topLevelOrigin(details, documentOrigin);
  if (contextOrigin === null || documentOrigin === null) return null;
  return { ...common, kind, documentOrigin, contextOrigin };
}

/**
 * Content scripts of the page in a tab have frame id 0. Chrome gives another id to early requests, made before the browser process knows
 * of the page; their frame has no parent. Only a prerendered page keeps such an id.
 */
function frameIdOf({ frameId, parentFrameId, documentLifecycle }: HeadersReceived): number {
  return parentFrameId === -1 && documentLifecycle !== 'prerender' ? 0 : frameId;
}

function kindOf(type: WebRequest.ResourceType): RequestKind {
  if (type === 'main_frame') return 'navigation';
  return type === 'xmlhttprequest' ? 'fetch' : 'element';
}

/** The page according to the browser, never according to a message or a header. */
async function topLevelOrigin(
  details: HeadersReceived,
  documentOrigin: Origin | null,
): Promise<Origin | null> {
  const { frameAncestors, tabId, documentLifecycle } = details;
  // Firefox lists the ancestors, the top one last. Chrome does not, but knows the tab's URL.
  const top = frameAncestors?.at(-1)?.url;
  if (top !== undefined) return originOfUrl(top);
  // A frame's own document has the frame's id, but the page around it made the request.
  // A prerendered page in Chrome has another id, and its tab still shows the previous page.
  if (frameIdOf(details) === 0 || documentLifecycle === 'prerender') return documentOrigin;
  const tab = await browser.tabs.get(tabId).catch(() => null);
  return originOfUrl(tab?.url ?? '');
}
