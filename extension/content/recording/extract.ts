import type { ContentRule } from '../../content-messages';

type Extractor = ContentRule['extractors'][number];

/** In UTF-16 code units. Pages may hold values of any length, but no rule needs longer ones. */
const longestValue = 2000;

/** These attributes hold URLs, which are resolved against the document. */
const urlAttributes: readonly string[] = ['action', 'href', 'src'];

/** The strings that the extractors find at `element`, in order; null where there is none. */
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
