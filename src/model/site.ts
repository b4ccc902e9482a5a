import { getDomain } from 'tldts';
import type { Origin, Site } from './units';
import { originOfUrl } from './origin';

/** ARA, "parse an attribution destination" and "obtain a site": null unless `url` has a suitable origin. */
export function siteOfUrl(url: string): Site | null {
  const origin = originOfUrl(url);
  return origin === null ? null : siteOf(origin);
}

/** HTML, "obtain a site": scheme and registrable domain, or the host if there is none. */
export function siteOf(origin: Origin): Site {
  const start = origin.indexOf('//') + 2;
  const hostname = origin.slice(start).replace(/:\d+$/, '');
  const domain = getDomain(hostname, AS_WRITTEN);
  // A dot at the end makes another name, and so another site.
  const end = hostname.endsWith('.') ? '.' : '';
  return `${origin.slice(0, start)}${domain === null ? hostname : domain + end}` as Site;
}

/** URL parsing has checked the name. Names with "-." or "!" belong to their domain, too. */
const AS_WRITTEN = { allowPrivateDomains: true, validateHostname: false, extractHostname: false };
