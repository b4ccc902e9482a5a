import { getDomain } from 'tldts';
import { remembered } from '../model/remembered';
import type { Origin, Site } from '../model/units';
import { originOfUrl } from './origin';

/** ARA, "parse an attribution destination" and "obtain a site": null unless `url` has a suitable origin. */
export function siteOfUrl(url: string): Site | null {
  const origin = originOfUrl(url);
  return origin === null ? null : siteOf(origin);
}

/** HTML, "obtain a site": scheme and registrable domain, or the host if there is none. */
export const siteOf = remembered((origin: Origin): Site => {
  const { protocol, hostname } = new URL(origin);
  // URL parsing has checked the name. Names with "-." or "!" belong to their domain, too.
  const domain = getDomain(hostname, { allowPrivateDomains: true, validateHostname: false });
  // A dot at the end makes another name, and so another site.
  const end = hostname.endsWith('.') ? '.' : '';
  return `${protocol}//${domain === null ? hostname : domain + end}` as Site;
});
