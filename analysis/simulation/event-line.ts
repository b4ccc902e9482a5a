import type { Json } from '../../src/model/json';
import type { Moment } from '../../src/model/units';

/** A line of a log: a request with one answer (docs/simulate.md, "Input"). */
export const eventLine = (
  user: string,
  time: Moment,
  request: {
    readonly context: string;
    readonly eligible: 'navigation-source' | 'event-source' | 'trigger';
    readonly url: string;
    readonly header: Json;
  },
): Json => ({
  user,
  timestamp: String(time),
  registration_request: {
    context_origin: request.context,
    'Attribution-Reporting-Eligible': request.eligible,
  },
  responses: [{ url: request.url, response: request.header }],
});
