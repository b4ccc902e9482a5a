import type { TriggerSpec } from '../../../src/model/registration';
import type { AnalysedEstimate, AnalysedGroup, Analysis } from './analysis';
import type { Quantity } from '../quantities/quantities';
import { scaled } from '../unbiased/response-estimate';
import { rateOf, sumOf } from '../unbiased/summed-estimates';
import type { ConfigurationTally } from '../unbiased/tally';

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

const ofKind = ({ estimates }: AnalysedGroup, kind: Quantity['kind']): AnalysedEstimate | undefined =>
  estimates.find(({ quantity }) => quantity.kind === kind);
