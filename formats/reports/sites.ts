import { list as listParser } from '../codec/fields';
import { originOfUrl, parseUrl } from '../../src/model/origin';
import { plain, type Codec } from '../codec/codec';

/** With https, or with http on this device. */
const SUITABLE =
  /^(?!https:.*:443$|http:.*:80$)(https:\/\/[a-z0-9._:[\]-]+|http:\/\/(([a-z0-9_-]+\.)*localhost\.?|127(\.\d+){3}|\[::1\])(:\d+)?)$/;

/** Exactly as reports have it. Not `siteOfUrl` for a site: the browser may have another list of public suffixes. */
const exact = (what: 'site-of-report' | 'origin'): Codec<string> =>
  plain(
    (place) => {
      const { value } = place;
      if (typeof value === 'string' && originOfUrl(value) === value) return value;
      place.expected(what);
      return '';
    },
    { type: 'string', format: 'uri', pattern: SUITABLE.source },
  );

export const site = exact('site-of-report');
export const exactOrigin = exact('origin');

const several = { min: 2, max: 3 };

/** ARA, "serialize attribution destinations": one as a string, several as a list. */
export const sites: Codec<readonly string[]> = {
  parse: (place) => {
    if (typeof place.value === 'string') return [site.parse(place)];
    if (Array.isArray(place.value)) return listParser(site.parse, several)(place);
    place.expected('sites-of-report');
    return [];
  },
  write: (destinations) => (destinations.length === 1 ? (destinations[0] ?? null) : destinations),
  schema: {
    anyOf: [site.schema, { type: 'array', items: site.schema, minItems: several.min, maxItems: several.max }],
  },
};

/** Any URL: anybody can send a report, and one of an impossible source counts as one of an unknown source. */
const urlOf = (what: 'origin' | 'secure-site'): Codec<string> =>
  plain(
    (place) => {
      const { value } = place;
      if (typeof value === 'string' && parseUrl(value) !== null) return originOfUrl(value) ?? value;
      place.expected(what);
      return '';
    },
    { type: 'string', format: 'uri' },
  );

export const originUrl = urlOf('origin');
const siteUrl = urlOf('secure-site');

export const siteUrls: Codec<readonly string[]> = {
  parse: (place) =>
    Array.isArray(place.value) ? listParser(siteUrl.parse, { min: 1 })(place) : [siteUrl.parse(place)],
  write: sites.write,
  schema: { anyOf: [siteUrl.schema, { type: 'array', items: siteUrl.schema, minItems: 1 }] },
};
