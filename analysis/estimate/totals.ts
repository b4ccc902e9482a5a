import { within } from '../../numeric/extremes';
import type { TriggerSpec } from '../../src/model/registration';
import type { AnalysedEstimate, AnalysedGroup, Analysis } from './analysis';
import type { Interval } from './interval';
import { normalQuantile } from './normal';
import type { Quantity } from './quantities';
import { scaled, type Estimate } from './response-estimate';
import type { ConfigurationTally } from './tally';

/** What was counted of a configuration, and what follows from it. */
export interface Analysed {
  readonly tally: ConfigurationTally;
  readonly analysis: Analysis;
}

/** Why reports of a source do not say how many conversions it had. */
export const unsaid = ['values', 'buckets', 'hidden'] as const;
export type Unsaid = (typeof unsaid)[number];

/** What the reports of all configurations say of a group's conversions. */
export interface GroupTotal extends AnalysedGroup {
  /** The sources that `estimates` are of: those whose reports count conversions. */
  readonly covered: number;
  readonly uncovered: Readonly<Record<Unsaid, number>>;
  /** Until how many seconds after a source its conversions count: one number for each kind of source. */
  readonly windows: readonly number[];
  /**
   * The sum of the values of sources that report values or the summary buckets of sums, and the average for each of them, where their noise has
   * an unbiased estimate of it; null: there are none. A value counts as the start of the bucket that it reached.
   */
  readonly values: {
    readonly sources: number;
    readonly sum: AnalysedEstimate;
    readonly average: AnalysedEstimate;
  } | null;
}

/** The quantities that sources of all configurations have, however they report them. */
const kinds = ['conversion-rate', 'conversions'] as const;

/**
 * The conversions of each group over all configurations that count them: of the clicks and the impressions of a campaign, say. Sources are noised
 * one by one, so estimates and variances add up.
 * @param level of the intervals
 */
export const totalsOf = (configurations: readonly Analysed[], level: number): readonly GroupTotal[] =>
  [...partsOf(configurations).values()].map((parts) => total(parts, level));

/** A group's sources of one configuration. */
interface Part {
  readonly found: AnalysedGroup;
  readonly of: Analysed;
}

function partsOf(configurations: readonly Analysed[]): ReadonlyMap<string, readonly Part[]> {
  const parts = new Map<string, Part[]>();
  for (const of of configurations)
    for (const found of of.analysis.groups) {
      const key = keyOf(found);
      parts.set(key, [...(parts.get(key) ?? []), { found, of }]);
    }
  return parts;
}

export const keyOf = ({ group }: Pick<AnalysedGroup, 'group'>): string => JSON.stringify(group);

/** Null: the reports count conversions. */
export function unsaidBy({ tally: { configuration }, analysis: { estimator } }: Analysed): Unsaid | null {
  if (estimator.valued) return 'values';
  if (kinds.some((kind) => !estimator.quantities.some((quantity) => quantity.kind === kind))) return 'hidden';
  return countsConversions(configuration.shape.triggerSpecs) ? null : 'buckets';
}

/** Whether reports of these specs say how many conversions there were: each one more is a bucket of its own. */
export const countsConversions = (specs: readonly TriggerSpec[]): boolean =>
  specs.every(
    ({ summaryOperator, summaryBuckets }) =>
      summaryOperator === 'count' && summaryBuckets.every((start, bucket) => start === bucket + 1),
  );

function total(parts: readonly Part[], level: number): GroupTotal {
  const uncovered = { values: 0, buckets: 0, hidden: 0 };
  const covering: Part[] = [];
  for (const part of parts) {
    const reason = unsaidBy(part.of);
    if (reason === null) covering.push(part);
    else uncovered[reason] += part.found.sources;
  }
  const covered = sourcesIn(covering);
  return {
    group: parts[0]?.found.group ?? [],
    sources: sourcesIn(parts),
    covered,
    uncovered,
    windows: windowsOf(covering),
    values: valuesOf(parts, level),
    estimates: covered === 0 ? [] : kinds.map((kind) => together(covering, kind, level)),
  };
}

/** A mechanism on values knows them; otherwise the states say which buckets were reached. */
const valued = ({ found, of: { tally } }: Part): AnalysedEstimate | undefined =>
  ofKind(found, 'label-sum') ??
  (sumsValues(tally.configuration.shape.triggerSpecs) ? ofKind(found, 'value') : undefined);

/** Whether reports of these specs say which sums of values were reached. */
const sumsValues = (specs: readonly TriggerSpec[]): boolean =>
  specs.every(({ summaryOperator }) => summaryOperator === 'value_sum');

function valuesOf(all: readonly Part[], level: number): GroupTotal['values'] {
  // Values cannot be corrected for lost reports: those of such a configuration are left out, with its sources.
  const parts = all.filter((part) => Number.isFinite(valued(part)?.estimate.estimate));
  if (parts.length === 0) return null;
  const sources = sourcesIn(parts);
  const estimate = sumOf(
    parts.flatMap((part) => valued(part)?.estimate ?? []),
    level,
  );
  const sum = { quantity: { kind: 'label-sum' }, estimate, likelihood: null } as const;
  const average = {
    quantity: { kind: 'average-value' },
    estimate: scaled(estimate, 1 / sources),
    likelihood: null,
  } as const;
  return { sources, sum, average };
}

const sourcesIn = (parts: readonly Part[]): number =>
  parts.reduce((sum, { found }) => sum + found.sources, 0);

const windowsOf = (parts: readonly Part[]): readonly number[] =>
  [...new Set(parts.flatMap(({ of }) => of.tally.configuration.shape.triggerSpecs.map(lastEndOf)))].sort(
    (a, b) => a - b,
  );

const lastEndOf = ({ windows }: TriggerSpec): number => (windows.ends.at(-1) ?? 0) / 1000;

function together(parts: readonly Part[], kind: (typeof kinds)[number], level: number): AnalysedEstimate {
  const estimates = parts.flatMap(({ found }) => {
    const estimate = ofKind(found, kind)?.estimate;
    return estimate === undefined ? [] : [{ sources: found.sources, estimate }];
  });
  const sum =
    kind === 'conversion-rate'
      ? rateOf(estimates, level)
      : sumOf(
          estimates.map(({ estimate }) => estimate),
          level,
        );
  return { quantity: { kind }, estimate: sum, likelihood: null };
}

export interface PartialRate {
  readonly sources: number;
  readonly estimate: Estimate;
}

/** The rate over these sources together. What is possible is set, because weights need not add up to exactly 1. */
export function rateOf(parts: readonly PartialRate[], level: number): Estimate {
  const all = parts.reduce((sum, { sources }) => sum + sources, 0);
  const weighted = parts.map(({ sources, estimate }) => scaled(estimate, sources / all));
  return sumOf(weighted, level, [0, 1]);
}

const ofKind = ({ estimates }: AnalysedGroup, kind: Quantity['kind']): AnalysedEstimate | undefined =>
  estimates.find(({ quantity }) => quantity.kind === kind);

/**
 * Estimates of separate sources together.
 * @param bounds what sums are possible; by default the sums of what is possible for the parts.
 */
export function sumOf(parts: readonly Estimate[], level: number, bounds?: Interval): Estimate {
  const [only] = parts;
  if (only !== undefined && parts.length === 1) return only;
  const sum = (of: (part: Estimate) => number): number => parts.reduce((all, part) => all + of(part), 0);
  const estimate = sum((part) => part.estimate);
  const possible = bounds ?? [sum((part) => part.possible[0]), sum((part) => part.possible[1])];
  return {
    observed: sum(({ observed }) => observed),
    noise: sum(({ noise }) => noise),
    estimate,
    variance: sum(({ variance }) => variance),
    noiseVariance: sum(({ noiseVariance }) => noiseVariance),
    possible,
    interval: jointInterval(parts, within(possible, estimate), possible, level),
  };
}

/**
 * How far the parts' intervals reach to either side adds up as standard errors do (MOVER: Zou & Donner 2008), so that it may be lopsided. An
 * interval that ends where nothing is possible any more says too little about its reach, so none counts as less than that of a normal number. If the
 * parts share the share of lost reports, its error moves all of them to the same side, so this part of their reach adds up as it is.
 */
function jointInterval(
  parts: readonly Estimate[],
  estimate: number,
  possible: Interval,
  level: number,
): Interval {
  const z = normalQuantile((1 + level) / 2);
  // The parts' intervals are about what is possible for them: an estimate beyond that moves no end inwards.
  const moved = parts.reduce((sum, part) => sum + within(part.possible, part.estimate), 0);
  const reach = (side: 0 | 1, of: (part: Estimate, estimate: number) => number): number => {
    const shared = parts.map((part) => part.shared?.[side] ?? 0);
    const own = parts.map((part, index) => {
      const whole = of(part, within(part.possible, part.estimate));
      const rest = Math.sqrt(Math.max(whole ** 2 - (shared[index] ?? 0) ** 2, 0));
      return Math.max(z * Math.sqrt(greatestVariance(part)), rest);
    });
    return Math.hypot(
      ...own,
      shared.reduce((sum, part) => sum + part, 0),
    );
  };
  return [
    within(possible, Math.min(estimate, moved) - reach(0, ({ interval }, own) => own - interval[0])),
    within(possible, Math.max(estimate, moved) + reach(1, ({ interval }, own) => interval[1] - own)),
  ];
}

/** A single source does not show how sources differ, but they differ by no more than is possible. */
function greatestVariance({ variance, noiseVariance, possible: [least, most] }: Estimate): number {
  return variance === Infinity ? noiseVariance + (most - least) ** 2 : variance;
}
