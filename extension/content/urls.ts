import { LONGEST_URL } from '../content-messages';

/** The most URLs in one `attributionsrc`; the rest are ignored. ARA lets the user agent set a limit. */
const maxUrls = 20;

/** `url` resolved against the document; null if it is empty, invalid, too long or neither http nor https. */
export function resolveHttpUrl(url: string): string | null {
  if (url === '' || !URL.canParse(url, document.baseURI)) return null;
  const { href, protocol } = new URL(url, document.baseURI);
  return /^https?:$/.test(protocol) && href.length <= LONGEST_URL ? href : null;
}

/** The first HTTP URLs among `urls`, resolved (ARA, "make background attributionsrc requests"). */
export function resolveHttpUrls(urls: readonly string[]): string[] {
  const resolved = urls.map(resolveHttpUrl).filter((url) => url !== null);
  return resolved.slice(0, maxUrls);
}

export const attributionSrcUrls = (attributionSrc: string): string[] =>
  resolveHttpUrls(attributionSrc.split(/[\t\n\f\r ]+/));
