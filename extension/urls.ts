import type { Origin } from '../src/model/units';
import { originOfUrl, parseUrl } from '../src/model/origin';

export const everyPage = { urls: ['http://*/*', 'https://*/*'] };

/** The origin under which the log names a page or a server, even if it is on http, where nothing registers. */
export function webOriginOfUrl(url: string): Origin | null {
  const parsed = parseUrl(url);
  return parsed !== null && /^https?:$/.test(parsed.protocol) ? (parsed.origin as Origin) : null;
}

/** Requests carry no fragment, and some browser events omit it. */
export const withoutFragment = (url: string): string => url.split('#', 1)[0] ?? url;

/** In characters: what is kept of a document's URL, which may be millions long. */
const LONGEST = 1000;

/** A URL to know a document by, without its fragment. A long one keeps its origin and its end. */
export function shortened(whole: string): string {
  const url = withoutFragment(whole);
  if (url.length <= LONGEST) return url;
  const origin = originOfUrl(url);
  return origin === null ? url.slice(0, LONGEST) : `${origin}/…${url.slice(-LONGEST)}`;
}
