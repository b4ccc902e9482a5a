import { within } from '../../../numeric/extremes';
import { byRank, notesOf, type UnrankedNote } from './comparison';
import type { EstimateResultJson } from './estimate-result';
import type { EstimateJson, TotalJson } from './group-result';
import { countedRate, pairLevel, ranksOf, tiedNames } from '../intervals/ranks';
import { groupBy } from '../unbiased/tally';

/** The result of a summary report for the buckets with one value of a column, in conversions; or that of a histogram of W3C Attribution. */
export interface SummarySlice {
  /** `COLUMN=VALUE`. */
  readonly slice: string;
  readonly estimate: number;
  readonly error: number;
  readonly low: number;
  readonly high: number;
}

/** A number with its interval, which contains it: at the level of the estimates, or as it was posted. */
export interface Estimated {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/** What all kinds of reports say of the sources of one group. */
export interface Campaign {
  readonly group: string;
  /** The sources of the group, and those that the event-level numbers are of. */
  readonly sources: number;
  readonly covered: number;
  /** Until how many seconds after a source event-level reports count conversions. */
  readonly windows: readonly number[];
  /** Conversions for each source, or the share of sources with one: see `CampaignView`. Null: not known of all sources. */
  readonly rate: (Estimated & { readonly noiseShare: number | null }) | null;
  /** By event-level reports of the covered sources. Null: they count none. */
  readonly conversions: Estimated | null;
  /** By the sources that report values or the buckets of sums: their sum and average, and how many they are. Null: there are none. */
  readonly values: { readonly sum: Estimated; readonly average: Estimated; readonly sources: number } | null;
  /** By the summary report. */
  readonly summary: Estimated | null;
  /** By the histogram of W3C Attribution, which knows other impressions and gives credit by its own rules. */
  readonly histogram: Estimated | null;
  /** What happened to the covered sources within their windows; null if nobody knows. */
  readonly truth: { readonly rate: number; readonly conversions: number } | null;
  readonly rank: TotalJson['rank'];
  /** The first groups that cannot be told apart from this one; `rank` has their number. */
  readonly tied: readonly string[];
  /** Why event-level reports give it no rank. */
  readonly notes: readonly UnrankedNote[];
}

/** What happened, if somebody knows. */
export interface Truth {
  readonly groups: readonly {
    readonly configuration: string;
    readonly group: string;
    readonly conversions: number;
    /** How many sources have one. */
    readonly converted: number;
  }[];
}

export interface CampaignView {
  /** Whether rates and ranks are of all conversions in the summary report, or of sources with an event-level report. */
  readonly basis: 'summary' | 'event-level';
  readonly rows: readonly Campaign[];
}

export interface Evidence {
  readonly estimates: EstimateResultJson;
  readonly truth: Truth | null;
  /** The slices of the groups; empty if a filter excludes the summary report or it has other columns. */
  readonly slices: ReadonlyMap<string, SummarySlice>;
  /** The same of the histogram of W3C Attribution. It decides no rank. */
  readonly histogram: ReadonlyMap<string, SummarySlice>;
  /** How many sources of each group are in the log, whether their windows are open or not. Null: unknown, so no summary decides ranks. */
  readonly logged: ReadonlyMap<string, number> | null;
}

/** The groups with the numbers of all kinds of reports, those known to be best first. A summary report that has all groups decides. */
export function campaignsOf({ estimates, truth, slices, histogram, logged }: Evidence): CampaignView {
  const totals = estimates.totals.filter((total) => Object.keys(total.group).length === 1);
  const names = totals.map(nameOf);
  const sourcesOf = (name: string, known: number): number => Math.max(known, logged?.get(name) ?? 0);
  const isSummed = logged !== null && totals.length > 1 && names.every((name) => slices.has(name));
  const level = isSummed ? pairLevel(estimates.level, totals.length) : estimates.level;
  const compared = totals.map((total) => {
    const slice = isSummed ? slices.get(nameOf(total)) : undefined;
    return slice === undefined
      ? total.compared
      : countedRate(slice.estimate, slice.error, sourcesOf(nameOf(total), total.sources), level);
  });
  const ranks = isSummed ? ranksOf(compared.filter((one) => one !== null)) : totals.map(({ rank }) => rank);
  const ties = tiedNames(names.map((name, index) => ({ name, compared: compared[index] ?? null })));
  const truths = truth === null ? null : truthsByGroup(truth, estimates);
  const rows = totals.map((total, index) => {
    const name = nameOf(total);
    const slice = slices.get(name);
    const sources = sourcesOf(name, total.sources);
    const rate =
      slice !== undefined && isSummed ? summaryRate(slice, sources, estimates.level) : eventRate(total);
    const conversions = estimateOf(total, 'conversions');
    return {
      group: name,
      sources: total.sources,
      covered: total.covered,
      windows: total.windows,
      rate,
      conversions: conversions === null ? null : estimated(conversions),
      values:
        total.values === null
          ? null
          : {
              sum: estimated(total.values.sum),
              average: estimated(total.values.average),
              sources: total.values.sources,
            },
      summary: summed(slice),
      histogram: summed(histogram.get(name)),
      truth: truths === null ? null : truthOf(truths.get(name) ?? [], total),
      compared: compared[index] ?? null,
      rank: ranks[index] ?? null,
      tied: ties[index] ?? [],
      notes: notesOf(total, totals),
    };
  });
  const known = new Set(names);
  const onlySummed = [...new Set([...slices.keys(), ...histogram.keys()])]
    .filter((group) => !known.has(group))
    .map((group) => ({
      ...{ ...nothing, group },
      ...{ summary: summed(slices.get(group)), histogram: summed(histogram.get(group)) },
    }));
  return {
    basis: isSummed ? 'summary' : 'event-level',
    rows: [...rows.sort(byRank), ...onlySummed],
  };
}

/** The numbers of a group that only a summary report or a histogram has. */
const nothing: Omit<Campaign, 'group'> = {
  ...{
    sources: 0,
    covered: 0,
    windows: [],
    rate: null,
    conversions: null,
    values: null,
    summary: null,
    histogram: null,
    truth: null,
  },
  ...{ rank: null, tied: [], notes: [] },
};

/**
 * As it was posted, without what is impossible. A sum below 0 is noise, and counts as 0 (Mandelkern & Schultz 2000): otherwise its interval would be
 * the shorter the less likely it is.
 */
function summed(slice: SummarySlice | undefined): Estimated | null {
  if (slice === undefined) return null;
  const raised = Math.max(0, -slice.estimate);
  return clipped(slice.estimate + raised, Math.max(0, slice.low), slice.high + raised);
}

const estimateOf = ({ estimates }: TotalJson, kind: 'conversions' | 'conversion-rate'): EstimateJson | null =>
  estimates.find(({ quantity }) => quantity === kind) ?? null;

const nameOf = ({ group }: Pick<TotalJson, 'group'>): string => Object.values(group)[0] ?? '';

const clipped = (value: number, low: number, high: number): Estimated => ({
  value: within([low, high], value),
  low,
  high,
});

/** The uncertainty of a rate. Null: unknown. */
interface Uncertainty {
  readonly observed: number | null;
  readonly variance: number | null;
  readonly noiseVariance: number | null;
}

/**
 * How much of the uncertainty is noise. Null: unknown, because sources that all reported alike, such as a single one, do not show how sources
 * differ, or because nothing is known.
 */
export const partOfNoise = ({ observed, variance, noiseVariance }: Uncertainty): number | null => {
  if (variance === null || noiseVariance === null || !Number.isFinite(variance)) return null;
  if (noiseVariance === 0) return 0;
  const areAlike = observed !== null && Math.min(observed, 1 - observed) < ROUNDING;
  return areAlike ? null : Math.min(1, noiseVariance / variance);
};

/** Rates over several configurations are sums of floating-point numbers. */
const ROUNDING = 1e-12;

/** Whether the rate is known, but not how much of its uncertainty is noise. */
export const isOfAlikeSources = ({ rate }: Campaign): boolean =>
  rate !== null && !Number.isNaN(rate.value) && rate.noiseShare === null;

const estimated = ({ estimate, interval: [low, high] }: EstimateJson): Estimated => ({
  value: estimate ?? NaN,
  low: low ?? -Infinity,
  high: high ?? Infinity,
});

function summaryRate({ estimate, error }: SummarySlice, sources: number, level: number): Campaign['rate'] {
  const { estimate: value, interval, noiseShare } = countedRate(estimate, error, sources, level);
  return { value, low: interval[0], high: interval[1], noiseShare };
}

function eventRate(total: TotalJson): Campaign['rate'] {
  const found = total.covered < total.sources ? null : estimateOf(total, 'conversion-rate');
  if (found === null) return null;
  return {
    ...estimated(found),
    noiseShare:
      found.estimate === null ? null : partOfNoise({ ...found, noiseVariance: found.noise_variance }),
  };
}

type GroupTruth = Truth['groups'][number];

/** Of the configurations that count conversions, as the totals do. */
function truthsByGroup(
  { groups }: Truth,
  { configurations }: EstimateResultJson,
): ReadonlyMap<string, readonly GroupTruth[]> {
  const counting = new Set(configurations.map(({ configuration }) => configuration));
  return groupBy(
    groups.filter(({ configuration }) => counting.has(configuration)),
    ({ group }) => group,
  );
}

function truthOf(found: readonly GroupTruth[], { covered, sources }: TotalJson): Campaign['truth'] {
  if (covered < sources) return null;
  const sum = (of: (one: GroupTruth) => number): number => found.reduce((all, one) => all + of(one), 0);
  return {
    rate: sum(({ converted }) => converted) / sources,
    conversions: sum((one) => one.conversions),
  };
}

/** The slices by a property or feature. */
export const slicesBy = (
  slices: readonly SummarySlice[],
  property: string,
): ReadonlyMap<string, SummarySlice> =>
  new Map(
    slices
      .filter(({ slice }) => columnOf(slice) === property)
      .map((one) => [one.slice.slice(property.length + 1), one]),
  );

/** The columns by which a summary has slices. */
export const columnsOf = (slices: readonly SummarySlice[]): readonly string[] => [
  ...new Set(slices.map(({ slice }) => columnOf(slice))),
];

const columnOf = (slice: string): string => slice.split('=', 1)[0] ?? '';
