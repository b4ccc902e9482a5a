import { greatest, least } from '../../../numeric/extremes';
import { FEW_GROUPS } from './group-spread';
import type { Interval, Randomness } from '../intervals/interval';
import type { Measure } from '../quantities/measure';
import { sum, type Margins, type Support } from './output-model';
import { Chain, Coefficients } from './posterior-chain';
import type { GroupTruth } from './raking';
import type { ResponseModel } from '../quantities/response-model';
import { isIn, type Slice } from './slice';

/**
 * The share of the excluded probability that lies beyond each end of an interval. It would be half if 1000 draws determined quantiles
 * exactly, and if whole numbers had no gaps.
 */
const TAIL = 0.4;

/**
 * Intervals of each group's measures, from draws from the posterior distributions of the truths under two priors (docs/estimate-methods.md, "Maximum
 * likelihood"). Draws in turn which sources kept their truth, and the model that these come from (Gibbs sampling: Tanner & Wong 1987).
 * @param groups with their larger groups, which come first.
 * @param estimates the likeliest sums, by group and by measure.
 * @returns by group, and by measure; not numbers for groups that are not in the slice.
 */
export function credibleIntervals(
  support: Support,
  response: ResponseModel,
  groups: readonly GroupTruth[],
  measures: readonly Measure[],
  estimates: readonly (readonly number[])[],
  {
    level,
    randomness,
    slice,
  }: { readonly level: number; readonly randomness: Randomness; readonly slice?: Slice },
): readonly (readonly Interval[])[] {
  const coefficients = new Coefficients(support, measures);
  const priors = [flatPrior(support), sparsePrior(support)];
  const chain = new Chain(support, response, coefficients, randomness, priors, groups.length);
  const found = quantilesOf(chain, coefficients.most, groups, tailsOf(groups, response, level), slice);
  return groups.map(({ sources }, group) =>
    measures.map((_, measure): Interval => {
      const estimate = estimates[group]?.[measure] ?? NaN;
      const intervals = (found[group] ?? [[]]).map((under) => around(estimate, under[measure]));
      const low = least(intervals.map(([low]) => low));
      const high = greatest(intervals.map(([, high]) => high));
      // Rounding may move the estimate beyond what is possible.
      return [
        Math.max(low, 0),
        Math.max(estimate, Math.min(high, sources * (coefficients.most[measure] ?? NaN))),
      ];
    }),
  );
}

interface Quantiles {
  readonly low: number;
  readonly middle: number;
  readonly high: number;
}

/**
 * From the draws' one end to the other, and as far from the estimate as the ends are from the median. With many cells, more models with few
 * true reports explain the noise than models with many, so the draws are too low. The estimate does not have this bias.
 */
function around(
  estimate: number,
  { low, middle, high }: Quantiles = { low: NaN, middle: NaN, high: NaN },
): Interval {
  return [Math.min(low, estimate - (middle - low)), Math.max(high, estimate + (high - middle))];
}

/**
 * The share of a group's draws beyond each end: half as many if few groups show how alike they are. The likeness of a level's groups is shown by those that
 * are shrunk towards each other, and of which not all outputs may be noise.
 */
export function tailsOf(
  groups: readonly Pick<GroupTruth, 'group' | 'sources' | 'isAlone'>[],
  { keep }: Pick<ResponseModel, 'keep'>,
  level: number,
): (group: Pick<GroupTruth, 'group' | 'isAlone'>) => number {
  const tail = TAIL * (1 - level);
  const ofLevel = new Map<number, number>();
  for (const { group, sources, isAlone } of groups)
    if (!isAlone && (1 - keep) ** sources <= 1 - level)
      ofLevel.set(group.length, (ofLevel.get(group.length) ?? 0) + 1);
  return ({ group, isAlone }) =>
    isAlone || (ofLevel.get(group.length) ?? 0) >= FEW_GROUPS ? tail : tail / 2;
}

/** What a larger group is to its parts. */
interface Larger {
  /** Its models under each prior; only under the first if the second hardly changes this group. */
  readonly models: readonly (readonly Margins[])[];
  /** By measure: by how much the second prior moves each quantile, for each source. */
  readonly moved: readonly Quantiles[];
}

/** The second prior needs no draws if it moves no quantile by more than this part of the interval, or of what one source can add. */
const HARDLY = 0.005;

/**
 * By group, by prior, and by measure.
 * @param tailOf the share of draws beyond each end.
 */
function quantilesOf(
  chain: Chain,
  most: readonly number[],
  groups: readonly GroupTruth[],
  tailOf: (group: GroupTruth) => number,
  slice: Slice | undefined,
): readonly (readonly (readonly Quantiles[])[])[] {
  const found: (readonly (readonly Quantiles[])[])[] = [];
  // Depth first, so that few groups' models are in memory at a time.
  const parts = partsOf(groups);
  const visit = (group: GroupTruth, index: number, larger: Larger | null): void => {
    const own = parts.get(keyOf(group.group)) ?? [];
    if (own.length === 0 && !isIn(slice, index)) return;
    const tail = tailOf(group);
    const above = group.isAlone ? null : larger;
    const run = chain.of(group, above?.models ?? null, own.length > 0, index);
    const under = (prior: number): { models: readonly Margins[]; ends: readonly Quantiles[] } => {
      const { models, sums, ofPeople } = run(prior);
      const ends = sums.map((drawn, measure) => reaching(quantiles(drawn, tail), ofPeople[measure], tail));
      return { models, ends };
    };
    const first = under(0);
    const moved = above === null ? null : movedBy(first.ends, above.moved, group.sources);
    const isEnough = moved !== null && (above?.models.length === 1 || areNear(first.ends, moved, most));
    const second = isEnough ? null : under(1);
    const ends = second?.ends ?? moved ?? [];
    found[index] = [first.ends, ends];
    const models = second === null ? [first.models] : [first.models, second.models];
    for (const { part, place } of own)
      visit(part, place, { models, moved: differences(first.ends, ends, group.sources) });
  };
  groups.slice(0, 1).forEach((all) => visit(all, 0, null));
  return found;
}

const PLACES = ['low', 'middle', 'high'] as const;

const overPlaces = (of: (place: keyof Quantiles) => number): Quantiles => ({
  low: of('low'),
  middle: of('middle'),
  high: of('high'),
});

/** For each of so many sources. */
const differences = (
  from: readonly Quantiles[],
  to: readonly Quantiles[],
  sources: number,
): readonly Quantiles[] =>
  from.map((own, measure) => overPlaces((place) => ((to[measure]?.[place] ?? NaN) - own[place]) / sources));

const movedBy = (
  from: readonly Quantiles[],
  by: readonly Quantiles[],
  sources: number,
): readonly Quantiles[] =>
  from.map((own, measure) => overPlaces((place) => own[place] + sources * (by[measure]?.[place] ?? NaN)));

const areNear = (from: readonly Quantiles[], to: readonly Quantiles[], most: readonly number[]): boolean =>
  from.every((own, measure) => {
    const tolerated = HARDLY * Math.max(own.high - own.low, most[measure] ?? NaN);
    return PLACES.every((place) => Math.abs((to[measure]?.[place] ?? NaN) - own[place]) <= tolerated);
  });

/**
 * If all of these people may be alike, all people like them may be, too. No model that is drawn says so, so an interval reaches what is likely of these
 * people themselves.
 */
function reaching(drawn: Quantiles, ofPeople: Float64Array | undefined, tail: number): Quantiles {
  if (ofPeople === undefined) return drawn;
  const { low, high } = quantiles(ofPeople, tail);
  return { ...drawn, low: Math.min(drawn.low, low), high: Math.max(drawn.high, high) };
}

const keyOf = (group: readonly string[]): string => JSON.stringify(group);

/** The parts of each larger group, with their places. */
function partsOf(
  groups: readonly GroupTruth[],
): ReadonlyMap<string, readonly { readonly part: GroupTruth; readonly place: number }[]> {
  const parts = new Map<string, { part: GroupTruth; place: number }[]>();
  groups.forEach((part, place) => {
    if (part.group.length === 0) return;
    const key = keyOf(part.group.slice(0, -1));
    const known = parts.get(key) ?? [];
    parts.set(key, known);
    known.push({ part, place });
  });
  return parts;
}

/** Each further report makes a class less likely by this factor. Most noise has many reports, and few sources do. */
const FEWER = 4;

/**
 * What is assumed before any report, as numbers of sources and of reports: half for the sources without a report, half for the others, and one
 * report over all cells. Most of its models have nearly all reports in few cells, and it leaves room for none at all.
 */
function sparsePrior(support: Support): Margins {
  const { reportCounts } = support;
  const weights = reportCounts.map((reports) => FEWER ** -reports);
  const isEmpty = reportCounts.map((reports) => reports === 0);
  const weightOf = (empty: boolean): number => sum(weights.filter((_, own) => isEmpty[own] === empty));
  const half = isEmpty.includes(true) && isEmpty.includes(false) ? 0.5 : 1;
  const { cells } = support.even();
  return {
    classes: weights.map((weight, own) => (half * weight) / weightOf(isEmpty[own] === true)),
    cells: cells.map(() => 1 / cells.length),
  };
}

/**
 * Half a source for each number of reports, as in Jeffreys' prior, and one report for each cell, so that all shares of cells are equally likely.
 * Classes with the same number of reports get the geometric mean of their even part of the half and of all of it.
 */
function flatPrior(support: Support): Margins {
  const { reportCounts } = support;
  const alike = new Map<number, number>();
  for (const reports of reportCounts) alike.set(reports, (alike.get(reports) ?? 0) + 1);
  return {
    classes: reportCounts.map((reports) => 0.5 / Math.sqrt(alike.get(reports) ?? 1)),
    cells: support.even().cells,
  };
}

function quantiles(drawn: Float64Array, tail: number): Quantiles {
  const beyond = Math.floor(tail * drawn.length);
  const half = drawn.length >> 1;
  return {
    middle: selected(drawn, half, 0, drawn.length - 1),
    low: selected(drawn, beyond, 0, half),
    high: selected(drawn, drawn.length - 1 - beyond, half, drawn.length - 1),
  };
}

/**
 * The number at a place as if the list were sorted, without sorting it (Hoare 1961). Moves the smaller numbers before it, and the greater ones after it.
 * @param from the first place that may have it, and `to` the last one.
 */
function selected(numbers: Float64Array, place: number, from: number, to: number): number {
  let [first, last] = [from, to];
  while (first < last) {
    const pivot = numbers[(first + last) >> 1] ?? NaN;
    let [low, high] = [first, last];
    while (low <= high) {
      while ((numbers[low] ?? NaN) < pivot) low++;
      while ((numbers[high] ?? NaN) > pivot) high--;
      if (low > high) break;
      const one = numbers[low] ?? NaN;
      numbers[low++] = numbers[high] ?? NaN;
      numbers[high--] = one;
    }
    if (place <= high) last = high;
    else if (place >= low) first = low;
    else break;
  }
  return numbers[place] ?? NaN;
}
