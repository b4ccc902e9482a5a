import { CONTRIBUTION_BUDGET } from '../../src/model/aggregatable';
import { chromiumLimits } from '../../src/model/limits';
import type { PastQuery, PastValue } from './past-queries';
import { leastCost, type Choice } from './split-cost';

/**
 * What is minimised. `mse`: the weighted sum of the queries' mean squared errors over their slices. `rmsre`: the same of errors relative to
 * the truth, or to τ where the truth is less (RMSRE_τ).
 */
export type SummaryError = 'mse' | 'rmsre';

export interface WeighedQuery extends PastQuery {
  /** What its error counts. */
  readonly weight: number;
  /** Only for `rmsre`. */
  readonly tau: number;
}

export interface SummaryRequest {
  readonly queries: readonly WeighedQuery[];
  readonly epsilon: number;
  readonly error: SummaryError;
}

/** How a query uses its part of the contribution budget. */
interface QuerySplit {
  /** Greater values count as this. */
  readonly clip: number;
  /** What a conversion of value `clip` contributes; less is in proportion. */
  readonly contribution: number;
  /** The query's part of ε. */
  readonly epsilon: number;
  /** The standard deviation of a slice's noise, in units of the value. */
  readonly noise: number;
  /** The root mean square over slices of what is left out by clipping and by further conversions. */
  readonly leftOut: number;
  /** The root mean square error of a slice, absolute or relative as asked for. */
  readonly error: number;
}

export interface SummarySplit {
  /** For how many conversions of a source there is room. */
  readonly conversions: number;
  readonly queries: readonly QuerySplit[];
  /** The root of the weighted mean of the queries' squared errors. */
  readonly error: number;
}

/** A value, with how many conversions of a source count. */
interface Options {
  readonly clip: number;
  /** The weighted mean squared error of what is left out. */
  readonly bias: number;
  readonly leftOut: number;
}

/** Clips that are tried for each query: with more different values, some of them. */
const MOST_CLIPS = 64;

/**
 * The best split of the contribution budget over queries that contribute to the same summary report (Aksu et al. 2024, "Summary Reports
 * Optimization in the Privacy Sandbox Attribution Reporting API"): how many conversions of a source count, at which value each query clips,
 * and its share α of the budget. If n conversions count, a slice of a query with the clip C has the squared error b² + 2(nC/αε)², where b is
 * what clipping and further conversions leave out. For fixed n and clips, the shares are best in proportion to the cube roots of what the noise
 * costs.
 */
export function bestSplit(request: SummaryRequest): SummarySplit {
  const clips = request.queries.map(clipsOf);
  const tried = roomsOf(request.queries).map((conversions) => splitFor(request, clips, conversions));
  return tried.reduce((best, split) => (split.error < best.error ? split : best));
}

/** Every query gets the same share, nothing is clipped, and there is room for all conversions of a source: what others are compared with. */
export function equalSplit(request: SummaryRequest): SummarySplit {
  const conversions = Math.max(...roomsOf(request.queries));
  const options = request.queries.map((query) =>
    optionsFor(request.error, query, clipsOf(query).slice(-1), conversions),
  );
  const shares = request.queries.map(() => 1 / request.queries.length);
  return described(request, conversions, options.flat(), shares);
}

function splitFor(
  request: SummaryRequest,
  clips: readonly (readonly number[])[],
  conversions: number,
): SummarySplit {
  const options = request.queries.map((query, index) =>
    optionsFor(request.error, query, clips[index] ?? [], conversions),
  );
  const choices = request.queries.map((query, index) =>
    (options[index] ?? []).map(({ clip, bias }): Choice => {
      const noise = noiseVariance(conversions, clip, request.epsilon);
      return { fixed: bias, root: Math.cbrt(query.weight * meanWeight(request.error, query) * noise) };
    }),
  );
  const places = leastCost(choices);
  const roots = places.map((place, index) => choices[index]?.[place]?.root ?? 0);
  const sum = roots.reduce((a, b) => a + b, 0);
  return described(
    request,
    conversions,
    places.flatMap((place, index) => options[index]?.[place] ?? []),
    roots.map((root) => root / sum),
  );
}

/** The variance of continuous Laplace noise if the query had the whole budget, in squared units of the value. */
const noiseVariance = (conversions: number, clip: number, epsilon: number): number =>
  2 * ((conversions * clip) / epsilon) ** 2;

/** From 1 to the most conversions that a source had, and can report. */
function roomsOf(queries: readonly WeighedQuery[]): readonly number[] {
  const ranks = queries.flatMap(({ slices }) => slices.flat().map(({ rank }) => rank));
  const most = Math.min(
    ranks.reduce((a, b) => Math.max(a, b), 1),
    chromiumLimits.maxAggregatableReportsPerSource,
  );
  return Array.from({ length: most }, (_, index) => index + 1);
}

/** @param clips ascending */
function optionsFor(
  error: SummaryError,
  { slices, weight, tau }: WeighedQuery,
  clips: readonly number[],
  conversions: number,
): readonly Options[] {
  const weights = slices.map((slice) => sliceWeight(error, slice, tau));
  const truths = slices.map(total);
  const counted = slices.map((slice) => clippedTotals(slice, conversions, clips));
  return clips.map((clip, place) => {
    const left = truths.map((truth, index) => truth - (counted[index]?.[place] ?? 0));
    return {
      clip,
      bias: weight * mean(left.map((missing, index) => missing ** 2 * (weights[index] ?? 0))),
      leftOut: Math.sqrt(mean(left.map((missing) => missing ** 2))),
    };
  });
}

/** The clips to try, ascending. */
function clipsOf({ slices }: WeighedQuery): readonly number[] {
  const different = [...new Set(slices.flatMap((slice) => slice.map(({ value }) => value)))]
    .filter((value) => value > 0)
    .sort((a, b) => a - b);
  const step = Math.max(1, (different.length - 1) / (MOST_CLIPS - 1));
  const count = Math.min(different.length, MOST_CLIPS);
  return Array.from({ length: count }, (_, index) => different[Math.round(index * step)] ?? 1);
}

const total = (slice: readonly PastValue[]): number =>
  slice.reduce((sum, { value, count }) => sum + value * count, 0);

/** What counts of a slice with each clip. */
function clippedTotals(
  slice: readonly PastValue[],
  conversions: number,
  clips: readonly number[],
): readonly number[] {
  const counted = slice.filter(({ rank }) => rank <= conversions);
  let [below, above, place] = [0, counted.reduce((sum, { count }) => sum + count, 0), 0];
  return clips.map((clip) => {
    for (let next = counted[place]; next !== undefined && next.value <= clip; next = counted[place]) {
      below += next.value * next.count;
      above -= next.count;
      place += 1;
    }
    return below + above * clip;
  });
}

/** What a squared error in a slice counts. */
const sliceWeight = (error: SummaryError, slice: readonly PastValue[], tau: number): number =>
  error === 'mse' ? 1 : 1 / Math.max(tau, total(slice)) ** 2;

const meanWeight = (error: SummaryError, { slices, tau }: WeighedQuery): number =>
  mean(slices.map((slice) => sliceWeight(error, slice, tau)));

const mean = (numbers: readonly number[]): number =>
  numbers.reduce((sum, number) => sum + number, 0) / numbers.length;

/** With whole contributions, whose errors it states. */
function described(
  { queries, epsilon, error }: SummaryRequest,
  conversions: number,
  options: readonly Options[],
  shares: readonly number[],
): SummarySplit {
  const contributions = wholeParts(Math.floor(CONTRIBUTION_BUDGET / conversions), shares);
  const described = queries.map((query, index): QuerySplit => {
    const { clip = 0, bias = 0, leftOut = 0 } = options[index] ?? {};
    const contribution = contributions[index] ?? 1;
    const part = (contribution * conversions) / CONTRIBUTION_BUDGET;
    const variance = noiseVariance(conversions, clip, epsilon * part);
    const squared = bias / query.weight + meanWeight(error, query) * variance;
    const numbers = { clip, contribution, epsilon: epsilon * part, noise: Math.sqrt(variance), leftOut };
    return { ...numbers, error: Math.sqrt(squared) };
  });
  const weights = queries.reduce((sum, { weight }) => sum + weight, 0);
  const cost = described.reduce(
    (sum, { error: own }, index) => sum + (queries[index]?.weight ?? 0) * own ** 2,
    0,
  );
  return { conversions, queries: described, error: Math.sqrt(cost / weights) };
}

/** Whole numbers from 1 on, that sum to at most `budget`. */
function wholeParts(budget: number, shares: readonly number[]): readonly number[] {
  const parts = shares.map((share) => Math.max(1, Math.floor(share * budget)));
  const over = parts.reduce((a, b) => a + b, 0) - budget;
  const largest = parts.indexOf(Math.max(...parts));
  return parts.map((part, index) => (index === largest && over > 0 ? part - over : part));
}
