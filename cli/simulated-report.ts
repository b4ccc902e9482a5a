import { isJsonObject, type Json } from '../src/model/json';
import { originOfUrl } from '../src/parsing/origin';
import { reportKinds, reportPaths } from '../src/wire/report-kind';

/** A line of `simulate` or `replay` as the collector's /reports would have it; any other line as it is. */
export function collectedLine(line: Json): Json {
  if (!isJsonObject(line) || typeof line['report_url'] !== 'string' || line['payload'] === undefined)
    return line;
  const { report_url: url, payload } = line;
  const kind = reportKinds.find((known) => url.endsWith(reportPaths[known])) ?? 'event-level';
  const arrived = { kind, reporting_origin: originOfUrl(url), report_url: null };
  return isJsonObject(payload) ? { ...payload, ...arrived } : { data: payload, ...arrived };
}
