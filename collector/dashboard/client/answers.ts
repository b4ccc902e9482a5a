import type { OutputShape } from '../../../analysis/estimate/quantities';
import type { EstimateResultJson } from '../../estimates/result';
import type { Definition } from '../../sources/configuration';
import type { Dimension } from '../../store/dimensions';
import type { Statistics, TimeCount } from '../../store/statistics';
import type { Counts } from '../../store/tallies';
import { MOST_GROUPS } from '../../estimates/limits';
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

export interface ReportLine {
  readonly cursor: number;
  readonly kind: 'event-level' | 'event-level-debug' | 'verbose-debug';
  readonly received_time: string;
  readonly reporting_origin: string;
  readonly report_id?: string;
  readonly attribution_destination?: string | readonly string[];
  readonly source_type?: string;
  readonly source_event_id?: string;
  readonly trigger_data?: string;
  readonly randomized_trigger_rate?: number;
  readonly scheduled_report_time?: string;
  readonly trigger_summary_bucket?: readonly [number, number];
  readonly noisy_value?: number;
  readonly data?: readonly { readonly type: string; readonly body: unknown }[];
}

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
    askJson<EstimateResultJson>(
      '/estimates',
      withMore(estimatesQueryOf(view, group), { top_states: String(DRAWN_STATES) }),
      signal,
    ),
    askLatest(view, signal),
  ]);
  return { dimensions, group, statistics, estimates, latest };
}

/** Most people look at campaigns first. */
const usualGroup = ({ dimensions }: Dimensions): string =>
  ['campaign', 'destination'].find((wanted) =>
    dimensions.some(({ name, distinct }) => name === wanted && distinct <= MOST_GROUPS),
  ) ?? 'source_type';

async function askLatest(view: View, signal: AbortSignal): Promise<readonly ReportLine[]> {
  const query = withMore(queryOf(view), { latest: String(LATEST) });
  const text = await (await ask('/reports', query, signal)).text();
  return (
    text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as ReportLine)
      // Reports of one batch are in no particular order.
      .sort((a, b) => (a.received_time < b.received_time ? 1 : -1))
  );
}

export function withMore(query: URLSearchParams, more: Readonly<Record<string, string>>): URLSearchParams {
  for (const [name, value] of Object.entries(more)) query.set(name, value);
  return query;
}
