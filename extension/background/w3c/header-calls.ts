import browser, { type WebRequest } from 'webextension-polyfill';
import type { Requester } from '../../../recording/requests';
import { originOfUrl } from '../../../src/model/origin';
import {
  CLEAR_SITE_DATA,
  clearsImpressions,
  MEASURE_CONVERSION,
  parseMeasureConversion,
  parseSaveImpression,
  reportAddress,
  SAVE_IMPRESSION,
} from '../../../w3c/headers';
import type { SendReport } from '../../content-messages';
import type { Asked } from '../state/asked';
import type { Documents } from '../documents/documents';
import type { W3cApi } from './api';
import type { Caller, PageCalls } from './page-calls';
import type { W3cLimits } from './limits';

/** What a response asks for. */
export interface AttributionHeaders {
  readonly saveImpression: string | null;
  readonly measureConversion: string | null;
  readonly clearSiteData: string | null;
}

const names: ReadonlySet<string> = new Set([SAVE_IMPRESSION, MEASURE_CONVERSION, CLEAR_SITE_DATA]);

/** Null where there are none, as in nearly all responses. @param valueOf the values of a header, as one list */
export function attributionHeaders(
  headers: WebRequest.HttpHeaders,
  valueOf: (name: string) => string | null,
): AttributionHeaders | null {
  if (!headers.some(({ name }) => names.has(name.toLowerCase()))) return null;
  return {
    saveImpression: valueOf(SAVE_IMPRESSION),
    measureConversion: valueOf(MEASURE_CONVERSION),
    clearSiteData: valueOf(CLEAR_SITE_DATA),
  };
}

/** W3C Attribution, "handle Attribution headers": what these types fetch may call. Others are documents, styles, fonts and reports. */
const types: ReadonlySet<string> = new Set([
  'image',
  'imageset',
  'media',
  'script',
  'xmlhttprequest',
  'beacon',
  'ping',
]);

/** A response with such headers. */
export interface AttributionResponse {
  readonly url: string;
  readonly type: string;
  readonly requester: Requester;
  readonly headers: AttributionHeaders;
}

/** Calls the API for responses with headers. */
export class HeaderCalls {
  constructor(
    private readonly api: W3cApi,
    private readonly calls: PageCalls,
    private readonly documents: Pick<Documents, 'placeOf'>,
    private readonly limits: W3cLimits,
  ) {}

  /** @param asked when the response was asked for */
  async response({ url, type, requester, headers }: AttributionResponse, asked: Asked): Promise<void> {
    const origin = originOfUrl(url);
    if (!this.api.isOn || origin === null || !this.isTrusted(url)) return;
    const { saveImpression, measureConversion, clearSiteData } = headers;
    if (clearSiteData !== null && clearsImpressions(clearSiteData))
      await this.api.clearForSite(new URL(url).hostname);
    // Workers have no window.
    if (!types.has(type) || requester.tabId < 0) return;
    const callerOn = async (feature: 'save-impression' | 'measure-conversion'): Promise<Caller> => ({
      tabId: requester.tabId,
      asked,
      place: await this.documents.placeOf(requester, origin, 0, feature),
      origin,
    });
    const impression = saveImpression === null ? null : parseSaveImpression(saveImpression);
    if (impression !== null)
      await this.calls.header('saveImpression', impression, await callerOn('save-impression'));
    if (measureConversion !== null)
      await this.measure(measureConversion, url, await callerOn('measure-conversion'), requester);
  }

  private async measure(header: string, url: string, caller: Caller, requester: Requester): Promise<void> {
    const { reportUrl, ...options } = parseMeasureConversion(header) ?? {};
    const address =
      typeof reportUrl === 'string' ? reportAddress(reportUrl, url, this.limits.current.localhost) : null;
    if (address === null) return;
    const answer = await this.calls.header('measureConversion', options, caller, address);
    if (!('report' in answer) || answer.report === null) return;
    const { tabId, documentId } = requester;
    // The document sends it, so that it reaches what the document itself could reach, and nothing else.
    const message: SendReport = { kind: 'send-report', url: address, report: answer.report };
    const to: object = documentId === undefined ? { frameId: requester.frameId } : { documentId };
    await browser.tabs.sendMessage(tabId, message, to).catch(() => undefined);
  }

  /** Those of this device only in debug mode. */
  private isTrusted(url: string): boolean {
    const { protocol, hostname } = new URL(url);
    return protocol === 'https:' || (this.limits.current.localhost && /(^|\.)localhost$/.test(hostname));
  }
}
