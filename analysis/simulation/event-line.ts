import type { Json } from '../../src/model/json';
import type { Moment } from '../../src/model/units';

/** A request with one answer, as a line of a log says it (docs/simulate.md, "Input"). */
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
