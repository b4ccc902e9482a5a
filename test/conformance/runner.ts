import { canonical } from './canonical';
import { accept, readJson } from '../../cli/input';
import type { Limits } from '../../src/model/limits';
import type { Json } from '../../src/model/recording-rule';
import { seededRandomSource } from '../../src/privacy/random-source';
import { parse } from '../../src/registration/issues';
import { apiConfig } from '../../src/scenario/api-config';
import { replay } from '../../src/scenario/replay';
import { parseScenario, type ScenarioReport } from '../../src/scenario/scenario';

/** What a case file says should be sent, and what replay sends: comparable, in one order. */
export interface Outcome {
  readonly expected: readonly ScenarioReport[];
  readonly actual: readonly ScenarioReport[];
}

/** Runs a case file through replay, without noise beyond what the file forces. */
export async function runCase(file: string, limits: Limits): Promise<Outcome> {
  const parsed = parseScenario(readJson(file), limits);
  const scenario = accept(file, parsed);
  if (parsed.warnings.length > 0) {
    throw new Error(
      `${file}: ${parsed.warnings.map(({ path, message }) => `${path} ${message}`).join('; ')}`,
    );
  }
  const sent = await replay(scenario, {
    noise: false,
    random: (stream) => seededRandomSource('conformance', stream),
  });
  return { expected: comparable(scenario.reports), actual: comparable(sent) };
}

/** The limits that a file with nothing but `api_config` fields sets. */
export const limitsOf = (file: string, defaults: Limits): Limits =>
  accept(file, parse(readJson(file), apiConfig(defaults))).limits;

/** The reports of the event-level half as a multiset: sorted by time, then by everything else. */
function comparable(reports: readonly ScenarioReport[]): readonly ScenarioReport[] {
  return reports
    .flatMap(eventLevelHalf)
    .map((report) => ({ report, key: canonical({ ...report }) }))
    .sort(
      (a, b) =>
        Number(a.report.report_time) - Number(b.report.report_time) ||
        (a.key < b.key ? -1 : a.key > b.key ? 1 : 0),
    )
    .map(({ report }) => report);
}

/** The report without what is random or of the aggregatable half; nothing when that leaves nothing. */
function eventLevelHalf(report: ScenarioReport): ScenarioReport[] {
  if (report.report_url.includes('aggregate')) return [];
  if (!Array.isArray(report.payload)) return [{ ...report, payload: withoutId(report.payload) }];
  const items = (report.payload as readonly Json[]).flatMap(eventLevelItem);
  return items.length === 0 ? [] : [{ ...report, payload: items }];
}

function eventLevelItem(item: Json): Json[] {
  if (!isObject(item) || typeof item['type'] !== 'string' || item['body'] === undefined) {
    throw new Error(`not an item of a verbose debug report: ${JSON.stringify(item)}`);
  }
  const { type, body } = item;
  if (type.startsWith('trigger-aggregate')) return [];
  return [{ type, body: type === 'header-parsing-error' ? withParsedValue(body) : withoutId(body) }];
}

/** A refused header counts as what it says, not as how its JSON is spaced. */
function withParsedValue(body: Json): Json {
  if (!isObject(body) || typeof body['value'] !== 'string') return body;
  try {
    return { ...body, value: canonical(JSON.parse(body['value']) as Json) };
  } catch {
    return body;
  }
}

/** `report_id` is random. */
function withoutId(body: Json): Json {
  if (!isObject(body)) return body;
  return Object.fromEntries(Object.entries(body).filter(([name]) => name !== 'report_id'));
}

const isObject = (value: Json): value is { readonly [key: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
