import { getDomain } from 'tldts';
import type { Parser } from '../../formats/codec/codec';
import { parseUrl } from '../../src/model/origin';

/** What separates a host from other parts of a URL. */
const SEPARATORS = /[/\\?#@:]/;

/**
 * W3C Attribution, "parse a site": the registrable domain of a host's name. It stands for the site with https. Null if the text is no name
 * of a host, or the host has no registrable domain or is local.
 */
export function siteNameOf(host: string): string | null {
  const url = SEPARATORS.test(host) ? null : parseUrl(`https://${host}`);
  const name = url === null ? null : getDomain(url.hostname, { allowPrivateDomains: true });
  return name === null || /(^|\.)localhost$/.test(name) ? null : name;
}

export const siteName: Parser<string> = (place) => {
  const name = typeof place.value === 'string' ? siteNameOf(place.value) : null;
  if (name === null) place.expected('site-name');
  return name ?? '';
};
