import { originOfUrl } from '../src/model/origin';

export const everyPage = { urls: ['http://*/*', 'https://*/*'] };

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
