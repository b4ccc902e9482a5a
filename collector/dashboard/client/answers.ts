import { estimateResult, type EstimateResultJson } from '../../../analysis/estimate/result/estimate-result';
import {
  counts,
  dimensions,
  reach,
  statistics,
  summary,
  truth,
  type CountsAnswer,
  type DimensionsAnswer,
  type PostedAnswer,
  type TruthAnswer,
} from '../../http/answers';
import type { ReachNumber } from '../../http/posted-reach';
import { columnsOf, type SummarySlice } from '../../../analysis/estimate/result/campaigns';
import type { Statistics } from '../../store/statistics';
import { MOST_GROUPS } from '../../questions/limits';
import { linesOf } from '../../../node/lines';
import type { Json } from '../../../src/model/json';
import { parse, type Parsed } from '../../../formats/codec/issues';
import type { Parser } from '../../../formats/codec/codec';
import { reportLine, type ReportLine } from '../../../formats/reports/report-line';
import { estimatesQueryOf, queryOf, truthQueryOf, type View } from './address';

/** The data for one view. */
export interface Answers {
  readonly dimensions: DimensionsAnswer;
  readonly group: string;
  readonly statistics: Statistics;
  readonly estimates: EstimateResultJson;
  readonly latest: readonly ReportLine[];
  /** What happened; null if nobody knows, or nobody asked. */
  readonly truth: TruthAnswer | null;
  readonly summary: PostedAnswer<SummarySlice>;
  readonly histogram: PostedAnswer<SummarySlice>;
  readonly reach: PostedAnswer<ReachNumber>;
}

export class NotLoggedIn extends Error {}

/** The collector answered with an error; the message has its reason. */
export class Failed extends Error {}

const LATEST = 50;
/** How many output states a configuration's chart shows: the most frequent, not counting the state without reports. */
const DRAWN_STATES = 12;

async function ask(path: string, query: URLSearchParams, signal: AbortSignal): Promise<Response> {
  const response = await fetch(query.size === 0 ? path : `${path}?${query.toString()}`, { signal });
  if (response.status === 401) throw new NotLoggedIn();
  if (!response.ok) throw new Failed(`${path}: ${await problemOf(response)}`);
  return response;
}

/** The collector's reason for refusing a request. */
async function problemOf(response: Response): Promise<string> {
  const body = (await response.json().catch(() => null)) as { readonly error?: unknown } | null;
  return typeof body?.error === 'string' ? body.error : `HTTP status ${response.status}`;
}

const askFor = async <T>(
  path: string,
  parser: Parser<T>,
  query: URLSearchParams,
  signal: AbortSignal,
): Promise<T> => valid(parse((await (await ask(path, query, signal)).json()) as Json, parser));

/** @param signal cancels the request. */
export const askCounts = (signal: AbortSignal): Promise<CountsAnswer> =>
  askFor('/counts', counts, new URLSearchParams(), signal);

/** Asks for all else after the counts, so that nothing is older. @param knowsTruth whether the collector knows what happened. */
export async function askAll(view: View, knowsTruth: boolean, signal: AbortSignal): Promise<Answers> {
  const all = new URLSearchParams();
  const found = await askFor('/dimensions', dimensions, all, signal);
  const slices = Promise.all([
    askFor('/summaries', summary, all, signal),
    askFor('/histograms', summary, all, signal),
  ]);
  const askChosen = async (): ReturnType<typeof askGrouped> =>
    askGrouped(view, view.group ?? usualGroup(found) ?? columnOf(await slices), knowsTruth, signal);
  const [grouped, latest, [summed, attributed], people] = await Promise.all([
    askChosen(),
    askLatest(view, signal),
    slices,
    askFor('/reach', reach, all, signal),
  ]);
  return {
    dimensions: found,
    ...grouped,
    latest,
    summary: summed,
    histogram: attributed,
    reach: people,
  };
}

async function askGrouped(
  view: View,
  group: string,
  knowsTruth: boolean,
  signal: AbortSignal,
): Promise<Pick<Answers, 'group' | 'statistics' | 'estimates' | 'truth'>> {
  const [counted, estimates, happened] = await Promise.all([
    askFor('/statistics', statistics, withMore(queryOf(view), { group }), signal),
    askEstimates(view, group, signal),
    knowsTruth && view.truth ? askFor('/truth', truth, truthQueryOf(view, group), signal) : null,
  ]);
  return { group, statistics: counted, estimates, truth: happened };
}

/** Most people look at campaigns first. Null: no sources are in the log. */
const usualGroup = ({ dimensions: offered }: DimensionsAnswer): string | null =>
  offered.length === 0
    ? null
    : (['campaign', 'destination'].find((wanted) =>
        offered.some(({ name, distinct }) => name === wanted && distinct <= MOST_GROUPS),
      ) ?? 'source_type');

/** What the posted results are of, where no sources say what to group by. */
const columnOf = (posted: readonly PostedAnswer<SummarySlice>[]): string =>
  posted.flatMap(({ rows }) => columnsOf(rows))[0] ?? 'source_type';

function askEstimates(view: View, group: string, signal: AbortSignal): Promise<EstimateResultJson> {
  const query = withMore(estimatesQueryOf(view, group), { top_states: String(DRAWN_STATES) });
  return askFor('/estimates', estimateResult, query, signal);
}

async function askLatest(view: View, signal: AbortSignal): Promise<readonly ReportLine[]> {
  const query = withMore(queryOf(view), { latest: String(LATEST) });
  const bytes = new Uint8Array(await (await ask('/reports', query, signal)).arrayBuffer());
  const reports: ReportLine[] = [];
  for await (const lines of linesOf([bytes]))
    for (const { value } of lines) reports.push(valid(parse(JSON.parse(value) as Json, reportLine)));
  // Reports that were stored together have no order among them.
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
