import type { Runtime } from 'webextension-polyfill';
import type { PagePlace } from '../../../recording/places';
import { originOfUrl } from '../../../src/model/origin';
import type { Origin } from '../../../src/model/units';
import type { Asked } from '../state/asked';
import type { Documents } from '../documents/documents';
import type { Feature } from '../documents/permissions-policy';

/** A field that the browsers send and the polyfill's types lack. */
export type MessageSender = Runtime.MessageSender & { readonly origin?: string };

/** Where a content script runs, according to the browser. */
export interface Sender {
  readonly url: string;
  readonly place: PagePlace;
  readonly tabId: number;
  readonly frameId: number;
  readonly documentId: string;
  /** Null if it is opaque. */
  readonly documentOrigin: Origin | null;
  /** The document, and those around it out to the page: their URLs or origins. */
  readonly makers: readonly string[];
  /** The document around one at `about:blank`. */
  readonly around: string | null;
  /** When the script sent the message. */
  readonly asked: Asked;
}

/** Null unless a document sent the message whose origin, or that of its page, may register. */
export async function senderOf(
  documents: Documents,
  { tab, url = '', origin, frameId, documentId }: MessageSender,
  asked: Asked,
  feature: Feature = 'attribution-reporting',
): Promise<Sender | null> {
  if (documentId === undefined) return null;
  // A frame without a URL of its own (`srcdoc`) has the origin of the document that created it.
  const documentOrigin = originOfUrl(origin ?? url);
  // Firefox names no tab for a document that is being closed.
  const known = await documents.find(tab?.id ?? -1, documentId);
  const maker = {
    documentId,
    documentOrigin,
    tabId: tab?.id ?? known?.tabId ?? 0,
    frameId: frameId ?? 0,
  };
  const urls = documents.urlsAround(documentId);
  // One in a sandbox that has no URL of its own has neither.
  const otherwise = documentOrigin ?? originOfUrl(url) ?? originOfUrl(urls[0] ?? '');
  if (otherwise === null) return null;
  const place = await documents.placeOf(maker, otherwise, 0, feature);
  const around = known?.url === 'about:blank' ? known.parentId : null;
  const makers = [otherwise, ...urls];
  return { ...maker, url, place, makers, around, asked };
}
