import type { ContentRule } from '../../content-messages';

type Extractor = ContentRule['extractors'][number];

/** In UTF-16 code units. Pages may hold values of any length, but no rule needs longer ones. */
const longestValue = 2000;

/**
 * How far the text of an element is read: elements and texts, and UTF-16 code units. Elements can be in each other, and then all of them have
 * the text of the innermost.
 */
const mostNodes = 1000;
const mostRead = 20_000;

/** These attributes hold URLs, which are resolved against the document. */
const urlAttributes: readonly string[] = ['action', 'href', 'src'];

/** The strings that the extractors find at `element`, in order; null where there is none. */
export function extract(element: Element, extractors: readonly Extractor[]): (string | null)[] {
  return extractors.map((extractor) => extractOne(element, extractor)?.slice(0, longestValue) ?? null);
}

function extractOne(element: Element, { selector, attribute }: Extractor): string | null {
  const holder = selector === null ? element : element.querySelector(selector);
  if (attribute === null) return holder === null ? null : textIn(holder);
  const value = holder?.getAttribute(attribute) ?? null;
  const isUrl = urlAttributes.includes(attribute.toLowerCase());
  return value !== null && isUrl && URL.canParse(value, document.baseURI)
    ? new URL(value, document.baseURI).href
    : value;
}

/** The text of an element without white space at both ends, as far as it is read. */
function textIn(element: Element): string {
  const walker = document.createTreeWalker(element);
  let text = '';
  let left = mostRead;
  for (let nodes = 0; nodes < mostNodes && left > 0 && text.length <= longestValue; nodes++) {
    const node = walker.nextNode();
    if (node === null) break;
    if (node.nodeType !== Node.TEXT_NODE && node.nodeType !== Node.CDATA_SECTION_NODE) continue;
    const part = (node as Text).substringData(0, left);
    left -= part.length;
    text += text === '' ? part.trimStart() : part;
  }
  return text.trimEnd();
}
