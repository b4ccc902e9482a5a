import type { JsonObject } from '../../src/model/json';

/** A line of `cointoss generate`. */
export interface LogLine {
  readonly user: string;
  readonly timestamp: string;
  readonly registration_request: {
    readonly context_origin: string;
    readonly 'Attribution-Reporting-Eligible': 'event-source' | 'navigation-source' | 'trigger';
  };
  readonly responses: readonly [{ readonly url: string; readonly response: JsonObject }];
}

const HEADER = 'Attribution-Reporting-Register-Source';
const SITE = 'https://';
const APP = 'android-app://';
/** It takes no reporting origin under `example`, which is no public suffix. */
const DOMAIN = { ours: '.example', theirs: '.com' };

/**
 * The text of a file for MockRunner: one user's events, with apps in place of sites. As sites, all impressions of a file would have the type
 * of its last: WebSourceRegistrationRequest.mInputEvent is static.
 */
export function androidInput(lines: readonly LogLine[]): string {
  const isTrigger = (line: LogLine): boolean =>
    line.registration_request['Attribution-Reporting-Eligible'] === 'trigger';
  const input = {
    sources: lines.filter((line) => !isTrigger(line)).map(source),
    triggers: lines.filter(isTrigger).map(trigger),
  };
  return JSON.stringify({ input }).replaceAll(DOMAIN.ours, DOMAIN.theirs);
}

function source({ timestamp, registration_request: request, responses }: LogLine): JsonObject {
  const [{ url, response }] = responses;
  const header = response[HEADER] as JsonObject & { readonly destination: string };
  return {
    timestamp,
    registration_request: {
      registrant: appOf(request.context_origin),
      source_type: request['Attribution-Reporting-Eligible'] === 'event-source' ? 'event' : 'navigation',
    },
    responses: [
      { url, response: { [HEADER]: { ...header, destination: `${APP}${appOf(header.destination)}` } } },
    ],
  };
}

function trigger({ timestamp, registration_request: request, responses }: LogLine): JsonObject {
  const [{ url, response }] = responses;
  return {
    timestamp,
    registration_request: { registrant: appOf(request.context_origin) },
    responses: [{ url, response }],
  };
}

const appOf = (site: string): string => site.replace(SITE, '');

/** The site that became this destination. */
export const siteOf = (destination: string): string =>
  destination.replace(APP, SITE).replace(DOMAIN.theirs, DOMAIN.ours);
