import browser, { type WebRequest } from 'webextension-polyfill';
import type { Origin } from '../../../src/model/units';
import { originOfUrl } from '../../../src/model/origin';
import type { DocumentIds } from './remembered-documents';

/** Fields that the browsers send and the polyfill's types lack: Chrome `initiator`, both the documents. */
export type Details<Browser> = Browser & DocumentIds & { readonly initiator?: string };

/** Of the statuses from 300 on, those that browsers follow (Fetch, "redirect status"). */
export const isRedirect = (status: number): boolean => [301, 302, 303, 307, 308].includes(status);

interface Ahead extends DocumentIds {
  readonly type: WebRequest.ResourceType;
}

/**
 * Whether the browser only gets a page ahead. Chrome then names the document that suggests it, as for no navigation. If a person goes there, it
 * reports the navigation's own request, wherever the answer comes from.
 */
export const isFetchedAhead = ({ type, documentId, documentLifecycle }: Ahead): boolean =>
  type === 'main_frame' && documentId !== undefined && documentLifecycle !== undefined;

const givesBytes = browser.runtime.getURL('').startsWith('moz-extension:');
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const lenient = new TextDecoder('utf-8', { ignoreBOM: true });
const encoder = new TextEncoder();
/** U+FFFD in UTF-8. */
const replacement = [0xef, 0xbf, 0xbd];

/**
 * The text of a header. Firefox gives its bytes as one character each. Chrome decodes them as UTF-8, and gives numbers if they are none. Then the
 * text has a lone surrogate, which no UTF-8 has, for the first mistake: the parser refuses it and names the place.
 */
export function textOf({ value, binaryValue }: WebRequest.HttpHeadersItemType): string {
  if (binaryValue !== undefined) return decoded(Uint8Array.from(binaryValue));
  // Firefox's decoder makes a copy with two bytes for each character. Nearly all headers need none, and hostile ones are long and many.
  if (!givesBytes || value === undefined || /^[\0-\x7f]*$/.test(value)) return value ?? '';
  const bytes = new Uint8Array(value.length);
  for (let index = 0; index < bytes.length; index++) bytes[index] = value.charCodeAt(index);
  return decoded(bytes);
}

function decoded(bytes: Uint8Array<ArrayBuffer>): string {
  try {
    return utf8.decode(bytes);
  } catch {
    return withMistake(bytes);
  }
}

/** With a lone surrogate for the first mistake. There is one, and the decoder replaces it by U+FFFD, which the text may have of its own. */
function withMistake(bytes: Uint8Array<ArrayBuffer>): string {
  const text = lenient.decode(bytes);
  let [from, offset] = [0, 0];
  for (;;) {
    const at = text.indexOf('\ufffd', from);
    offset += encoder.encode(text.slice(from, at)).length;
    if (replacement.some((byte, index) => bytes[offset + index] !== byte))
      return `${text.slice(0, at)}\ud800${text.slice(at + 1)}`;
    from = at + 1;
    offset += replacement.length;
  }
}

interface Initiators {
  readonly initiator?: string;
  readonly documentUrl?: string | undefined;
  readonly originUrl?: string | undefined;
}

/** The URL or origin of what makes a request; undefined if there is none. */
export const initiatorOf = ({ initiator, documentUrl, originUrl }: Initiators): string | undefined =>
  initiator ?? documentUrl ?? originUrl;

/** The origin of the document or worker that makes the request; null if it is opaque or there is none. */
export const initiatorOrigin = (details: Initiators): Origin | null =>
  originOfUrl((initiatorOf(details) ?? '').replace(/^blob:/, ''));
