import { isJsonObject, type Json } from '../../src/model/json';
import type { ScenarioHistogram, StatedHistogram } from './calls/scenario-calls';
import type { ScenarioReport } from './scenario';
import { canonical } from '../../formats/codec/plain-json';

/** An expected report and the one sent instead, each as canonical JSON; null: no report. */
export interface Difference {
  readonly expected: string | null;
  readonly sent: string | null;
}

/** The first difference between expected and sent reports; null: none. */
export function firstDifference(
  stated: readonly ScenarioReport[],
  sent: readonly ScenarioReport[],
): Difference | null {
  const texts = (reports: readonly ScenarioReport[]): readonly string[] =>
    comparable(reports).map((report) => canonical({ ...report }));
  return firstUnequal(texts(stated), texts(sent));
}

/** As `firstDifference`, for reports of W3C Attribution, in the order of the conversions. */
export const firstOtherHistogram = (
  stated: readonly StatedHistogram[],
  made: readonly ScenarioHistogram[],
): Difference | null =>
  firstUnequal(
    stated.map((one) => canonical({ ...one })),
    made.map((one, index) =>
      canonical({ ...one, histogram: stated[index]?.histogram === null ? null : one.histogram }),
    ),
  );

function firstUnequal(expected: readonly string[], actual: readonly string[]): Difference | null {
  const length = Math.max(expected.length, actual.length);
  for (let index = 0; index < length; index++) {
    const [one, other] = [expected[index] ?? null, actual[index] ?? null];
    if (one !== other) return { expected: one, sent: other };
  }
  return null;
}

/** The reports as a multiset: sorted by time, then by everything else. */
export function comparable(reports: readonly ScenarioReport[]): readonly ScenarioReport[] {
  return reports
    .map(withoutRandom)
    .map((report) => ({ report, key: canonical({ ...report }) }))
    .sort(
      (a, b) =>
        Number(a.report.report_time) - Number(b.report.report_time) ||
        (a.key < b.key ? -1 : a.key > b.key ? 1 : 0),
    )
    .map(({ report }) => report);
}

/** The report without random fields. */
function withoutRandom(report: ScenarioReport): ScenarioReport {
  const { payload } = report;
  if (Array.isArray(payload)) return { ...report, payload: (payload as readonly Json[]).map(verboseItem) };
  if (!isJsonObject(payload) || payload['shared_info'] === undefined)
    return { ...report, payload: withoutId(payload) };
  return { ...report, payload: { ...payload, shared_info: withoutId(payload['shared_info']) } };
}

function verboseItem(item: Json): Json {
  if (!isJsonObject(item) || typeof item['type'] !== 'string' || item['body'] === undefined) {
    throw new Error(`not an item of a verbose debug report: ${JSON.stringify(item)}`);
  }
  const { type, body } = item;
  return { type, body: type === 'header-parsing-error' ? withParsedValue(body) : withoutId(body) };
}

/** Compares a refused header by its content, ignoring JSON spacing. */
function withParsedValue(body: Json): Json {
  if (!isJsonObject(body) || typeof body['value'] !== 'string') return body;
  try {
    return { ...body, value: canonical(JSON.parse(body['value']) as Json) };
  } catch {
    return body;
  }
}

/** `report_id` is random. */
function withoutId(body: Json): Json {
  if (!isJsonObject(body)) return body;
  return Object.fromEntries(Object.entries(body).filter(([name]) => name !== 'report_id'));
}
