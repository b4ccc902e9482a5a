import { codec, list, plain, type Codec } from '../codec/codec';
import { originOfUrl, parseUrl } from '../../src/model/origin';

/** With https, or with http on this device. */
const SUITABLE =
  /^(?!https:.*:443$|http:.*:80$)(https:\/\/[a-z0-9._:[\]-]+|http:\/\/(([a-z0-9_-]+\.)*localhost\.?|127(\.\d+){3}|\[::1\])(:\d+)?)$/;

/** Exactly as in reports. A site is not normalised with `siteOfUrl`, because the browser may have another list of public suffixes. */
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

const several = list(site, { min: 2, max: 3 });

/** ARA, "serialize attribution destinations": one as a string, several as a list. */
export const sites: Codec<readonly string[]> = codec(
  (place) => {
    if (typeof place.value === 'string') return [site(place)];
    if (Array.isArray(place.value)) return several(place);
    place.expected('sites-of-report');
    return [];
  },
  (destinations) => (destinations.length === 1 ? (destinations[0] ?? null) : destinations),
  { anyOf: [site.schema, several.schema] },
);

/** Accepts any URL: anybody can send a report, and one of an impossible source counts as one of an unknown source. */
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
const severalUrls = list(siteUrl, { min: 1 });

export const siteUrls: Codec<readonly string[]> = codec(
  (place) => (Array.isArray(place.value) ? severalUrls(place) : [siteUrl(place)]),
  sites.write,
  { anyOf: [siteUrl.schema, severalUrls.schema] },
);
