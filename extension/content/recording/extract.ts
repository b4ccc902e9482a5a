import type { ContentRule } from '../../../src/messages';

type Extractor = ContentRule['extractors'][number];

/** No value that a rule looks for is longer, in UTF-16 code units; a page could hold anything. */
const longestValue = 2000;

/** Attributes that hold a URL, which means nothing without the document it is relative to. */
const urlAttributes: readonly string[] = ['action', 'href', 'src'];

/** The raw strings that the extractors find at `element`, in their order; null where there is none. */
export function extract(element: Element, extractors: readonly Extractor[]): (string | null)[] {
  return extractors.map((extractor) => extractOne(element, extractor)?.slice(0, longestValue) ?? null);
}

function extractOne(element: Element, { selector, attribute }: Extractor): string | null {
  const holder = selector === null ? element : element.querySelector(selector);
  if (attribute === null) return holder?.textContent.trim() ?? null;
  const value = holder?.getAttribute(attribute) ?? null;
  const isUrl = urlAttributes.includes(attribute.toLowerCase());
  return value !== null && isUrl && URL.canParse(value, document.baseURI)
    ? new URL(value, document.baseURI).href
    : value;
}
