import { isJsonObject, type Json, type JsonObject } from '../../src/model/json';
import type { Report } from '../../src/model/records';
import type { Site } from '../../src/model/units';
import { parseJsonHeader } from '../../formats/registration/header';
import { siteOf, siteOfUrl } from '../../src/model/site';

/** The sites that a report comes from, goes to, or names. */
export function sitesOfReport({
  reportingOrigin,
  sourceSite,
  event,
  aggregatable,
  body,
}: Report): readonly string[] {
  return [
    siteOf(reportingOrigin),
    ...(sourceSite === undefined ? [] : [sourceSite]),
    ...(event?.destinations ?? []),
    ...(aggregatable === undefined ? [] : [aggregatable.destination]),
    ...sitesInBody(body),
  ];
}

export function sitesInBody(body: Json): readonly string[] {
  if (Array.isArray(body)) return (body as readonly Json[]).flatMap(sitesInBody);
  const fields = fieldsOf(body);
  return [
    ...strings(fields['attribution_destination']),
    ...strings(fields['source_site']),
    ...strings(fields['context_site']),
    // The body quotes a refused header in full.
    ...strings(fields['value']).flatMap(destinationsInHeader),
    ...('body' in fields ? sitesInBody(fields['body'] ?? null) : []),
  ];
}

/** The destinations in a registration header, whether or not it is otherwise valid. */
export const destinationsInHeader = (header: string): readonly Site[] =>
  strings(fieldsOf(parseJsonHeader(header).value)['destination']).flatMap((url) => siteOfUrl(url) ?? []);

const fieldsOf = (value: Json): JsonObject => (isJsonObject(value) ? value : {});

const strings = (value: Json | undefined): readonly string[] =>
  [value].flat().filter((item): item is string => typeof item === 'string');

/**
 * A value of a log entry in which some sites are not named. Checks name sites of privacy units that other entries are about.
 * @returns the same value if it names none
 */
export function withoutSites(value: unknown, sites: readonly string[]): unknown {
  if (typeof value === 'string') return sites.includes(value) ? '' : value;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value;
    const left = items.map((item) => withoutSites(item, sites));
    return left.some((item, index) => item !== items[index]) ? left : value;
  }
  const fields = Object.entries(value);
  const left = fields.map(([name, field]) => [name, withoutSites(field, sites)] as const);
  return left.some(([, field], index) => field !== fields[index]?.[1]) ? Object.fromEntries(left) : value;
}

/** Whether a record has the host of one of the sites, or of a subdomain, anywhere in its texts. */
export function mentions(record: unknown, sites: readonly string[]): boolean {
  const hosts = sites.map(hostPattern);
  const isIn = (value: unknown): boolean =>
    typeof value === 'string'
      ? hosts.some((host) => host.test(value))
      : typeof value === 'object' && value !== null && Object.values(value).some(isIn);
  return isIn(record);
}

/** The host as a whole. Before it there may be a character in percent-encoding, whose digits are not of the host. */
function hostPattern(site: string): RegExp {
  const host = new URL(site).host.replace(/[.[\]]/g, String.raw`\$&`);
  return new RegExp(`(?:(?<![a-z0-9-])|(?<=%[0-9a-f]{2}))${host}(?![a-z0-9.-])`, 'i');
}
