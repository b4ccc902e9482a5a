import { getDomain } from 'tldts';
import type { Parser } from '../formats/codec/codec';
import { parseUrl } from '../src/model/origin';
import type { ApiLimits } from './limits';

/** What separates a host from other parts of a URL. */
const SEPARATORS = /[/\\?#@:]/;

/**
 * W3C Attribution, "parse a site": the registrable domain of a host's name. It stands for the site with https. Null if the text is no name
 * of a host, or the host has no registrable domain or is local.
 * @param localhost whether names of this device are sites, too
 */
export function siteNameOf(host: string, localhost = false): string | null {
  const url = SEPARATORS.test(host) ? null : parseUrl(`https://${host}`);
  const name = url === null ? null : getDomain(url.hostname, { allowPrivateDomains: true });
  return name === null || (!localhost && /(^|\.)localhost$/.test(name)) ? null : name;
}

/** Reads the name of a site. A host with more labels becomes its site. */
export const siteName =
  ({ localhost }: Pick<ApiLimits, 'localhost'>): Parser<string> =>
  (place) => {
    const name = typeof place.value === 'string' ? siteNameOf(place.value, localhost) : null;
    if (name === null) place.expected('site-name');
    return name ?? '';
  };
