import type { OutputShape } from '../../../analysis/estimate/quantities';
import { estimateResult, type EstimateResultJson } from '../../../analysis/estimate/estimate-result';
import type { Definition } from '../../sources/configuration';
import type { Dimension } from '../../store/dimensions';
import type { Statistics, TimeCount } from '../../store/statistics';
import type { Counts } from '../../store/tallies';
import { MOST_GROUPS } from '../../estimates/limits';
import type { Json } from '../../../src/model/json';
import { parse, type Parsed } from '../../../src/parsing/issues';
import { reportLine, type CollectedDebugReport, type CollectedReport } from '../../../src/wire/report-line';
import { estimatesQueryOf, queryOf, type View } from './address';

/** The collector's answers in JSON form. */
export type StatisticsJson = Omit<Statistics, 'overTime'> & {
  readonly overTime: readonly (Omit<TimeCount, 'start'> & { readonly start: string })[];
};

export interface ConfigurationEntry {
  readonly id: string;
  readonly definition: Definition;
  readonly shape: OutputShape | null;
}

export interface Dimensions {
  readonly dimensions: readonly Dimension[];
  readonly configurations: readonly ConfigurationEntry[];
}

export type CountsJson = Counts & { readonly newest_source: number };

export type ReportLine = CollectedReport | CollectedDebugReport;

/** The data for one view. */
export interface Answers {
  readonly dimensions: Dimensions;
  readonly group: string;
  readonly statistics: StatisticsJson;
  readonly estimates: EstimateResultJson;
  readonly latest: readonly ReportLine[];
}

export class NotLoggedIn extends Error {}

const LATEST = 50;
/** How many output states a configuration's chart shows: the most frequent, not counting the state without reports. */
const DRAWN_STATES = 12;

async function ask(path: string, query: URLSearchParams, signal: AbortSignal): Promise<Response> {
  const response = await fetch(query.size === 0 ? path : `${path}?${query.toString()}`, { signal });
  if (response.status === 401) throw new NotLoggedIn();
  if (!response.ok) throw new Error(`${path}: ${await problemOf(response)}`);
  return response;
}

/** The collector's reason for refusing a request. */
async function problemOf(response: Response): Promise<string> {
  const body = (await response.json().catch(() => null)) as { readonly error?: unknown } | null;
  return typeof body?.error === 'string' ? body.error : `HTTP status ${response.status}`;
}

const askJson = async <T>(path: string, query: URLSearchParams, signal: AbortSignal): Promise<T> =>
  (await ask(path, query, signal)).json() as Promise<T>;

/** @param signal cancels the request. */
export const askCounts = (signal: AbortSignal): Promise<CountsJson> =>
  askJson('/counts', new URLSearchParams(), signal);

export async function askAll(view: View, signal: AbortSignal): Promise<Answers> {
  const dimensions = await askJson<Dimensions>('/dimensions', new URLSearchParams(), signal);
  const group = view.group ?? usualGroup(dimensions);
  const [statistics, estimates, latest] = await Promise.all([
    askJson<StatisticsJson>('/statistics', withMore(queryOf(view), { group }), signal),
    askEstimates(view, group, signal),
    askLatest(view, signal),
  ]);
  return { dimensions, group, statistics, estimates, latest };
}

/** Most people look at campaigns first. */
const usualGroup = ({ dimensions }: Dimensions): string =>
  ['campaign', 'destination'].find((wanted) =>
    dimensions.some(({ name, distinct }) => name === wanted && distinct <= MOST_GROUPS),
  ) ?? 'source_type';

async function askEstimates(view: View, group: string, signal: AbortSignal): Promise<EstimateResultJson> {
  const query = withMore(estimatesQueryOf(view, group), { top_states: String(DRAWN_STATES) });
  return valid(parse(await askJson<Json>('/estimates', query, signal), estimateResult.parse));
}

async function askLatest(view: View, signal: AbortSignal): Promise<readonly ReportLine[]> {
  const query = withMore(queryOf(view), { latest: String(LATEST) });
  const text = await (await ask('/reports', query, signal)).text();
  const reports = text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => valid(parse(JSON.parse(line) as Json, reportLine)));
  // Those that were stored together have no order among them.
  return reports.sort((x, y) => (y.receivedTime ?? 0) - (x.receivedTime ?? 0));
}

export function withMore(query: URLSearchParams, more: Readonly<Record<string, string>>): URLSearchParams {
  for (const [name, value] of Object.entries(more)) query.set(name, value);
  return query;
}

function valid<T>({ value, errors }: Parsed<T>): T {
  if (value === null)
    throw new Error(`the collector answers otherwise than it should: ${JSON.stringify(errors[0])}`);
  return value;
}
