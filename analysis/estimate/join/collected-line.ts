import { isJsonObject, type Json, type JsonObject } from '../../../src/model/json';
import { originOfUrl } from '../../../src/model/origin';
import { eventLevelFields } from '../../../formats/reports/event-level-report';
import { reportKinds, reportPaths } from '../../../formats/reports/report-kind';

/** A line of `simulate` or `replay` in the form of the collector's /reports; any other line unchanged. */
export function collectedLine(line: Json): Json {
  if (!isJsonObject(line)) return line;
  if (typeof line['report_url'] !== 'string' || line['payload'] === undefined) return fromTable(line);
  const { report_url: url, payload } = line;
  const kind = reportKinds.find((known) => url.endsWith(reportPaths[known])) ?? 'event-level';
  const arrived = { kind, reporting_origin: originOfUrl(url), report_url: null };
  return isJsonObject(payload) ? { ...payload, ...arrived } : { data: payload, ...arrived };
}

/** A line of `simulate` as a row of a table, from which `collectedLine` makes the same. */
export function tableRow(line: JsonObject): JsonObject {
  const { user, report_time: time } = line;
  const collected = collectedLine(line);
  return {
    ...(user === undefined ? {} : { user }),
    ...(time === undefined ? {} : { report_time: time }),
    ...(isJsonObject(collected) ? collected : {}),
  };
}

/** Values that tables hold as text: lists, and numbers that CSV cannot distinguish from lists. */
const NO_TEXT: readonly string[] = [
  'aggregation_service_payloads',
  'cursor',
  'data',
  ...Object.values(eventLevelFields)
    .filter(({ schema }) => schema['type'] !== 'string' && schema['enum'] === undefined)
    .map(({ name }) => name),
];

const fromTable = (line: JsonObject): JsonObject => ({
  ...line,
  ...Object.fromEntries(
    NO_TEXT.flatMap((name) => {
      const value = Object.hasOwn(line, name) ? line[name] : undefined;
      return typeof value === 'string' && /^[[\d.-]/.test(value) ? [[name, parsed(value)]] : [];
    }),
  ),
});

function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}
