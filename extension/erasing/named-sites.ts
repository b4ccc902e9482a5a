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
