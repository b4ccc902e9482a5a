import { parseEventLevelReport } from '../collector/intake/report-body';
import type { ReceivedReport } from '../collector/store/reports';

export const PATH = '/.well-known/attribution-reporting/report-event-attribution';

/** A valid event-level report that has just come in, with all that the collector stores of it. @throws Error if the body is not valid */
export function receivedReport(body: string): ReceivedReport {
  const receivedTime = new Date();
  const { value: eventLevel } = parseEventLevelReport(JSON.parse(body) as object as never, receivedTime);
  if (eventLevel === null) throw new Error('the report must be valid');
  const { reportId } = eventLevel;
  const reportingOrigin = 'https://ads.example';
  return {
    kind: 'event-level',
    reportId,
    reportingOrigin,
    reportUrl: null,
    receivedTime,
    body,
    eventLevel,
  };
}
