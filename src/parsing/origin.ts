import { getDomain } from 'tldts';
import type { Origin, Site } from '../model/units';

/** ARA, "parse an attribution destination" and "obtain a site": null unless `url` has a suitable origin. */
export function siteOfUrl(url: string): Site | null {
  const origin = originOfUrl(url);
  return origin === null ? null : siteOf(origin);
}

/** The origin of a URL if it is suitable (ARA, "check if an origin is suitable"), else null. */
export function originOfUrl(url: string): Origin | null {
  const parsed = parseUrl(url);
  return parsed !== null && isSuitable(parsed) ? (parsed.origin as Origin) : null;
}

/** Null if the text is no URL. Not `URL.canParse`: in Node 20, once optimized, it refuses names with a "ü". */
export function parseUrl(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}

/** HTML, "obtain a site": scheme and registrable domain, or the host if there is none. */
export function siteOf(origin: Origin): Site {
  const { protocol, hostname } = new URL(origin);
  // URL parsing has checked the name. Names with "-." or "!" belong to their domain, too.
  const domain = getDomain(hostname, { allowPrivateDomains: true, validateHostname: false });
  // A dot at the end makes another name, and so another site.
  const end = hostname.endsWith('.') ? '.' : '';
  return `${protocol}//${domain === null ? hostname : domain + end}` as Site;
}

// Secure Contexts, "potentially trustworthy origin", for the two schemes that attribution allows.
function isSuitable({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
}

/** Whether an origin is on this device. */
export const isLocal = (origin: Origin): boolean => isLoopback(new URL(origin).hostname);

function isLoopback(hostname: string): boolean {
  return /(^|\.)localhost\.?$/.test(hostname) || /^127(\.\d+){3}$/.test(hostname) || hostname === '[::1]';
}
