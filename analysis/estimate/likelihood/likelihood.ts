import {
  leastRisk,
  leastRiskGivenTotals,
  mixedInterval,
  nearestPossible,
  overTotals,
  possibleWorth,
  totalOf,
  totalsAmong,
  truthsOf,
  withTotals,
  type Mixed,
} from './estimated-risk';
import type { ResponseLikelihood } from '../unbiased/estimator';
import { familiesOf, type Family } from './families';
import { fitsModel } from './fit-test';
import type { Interval } from '../intervals/interval';
import { greatest, least, within } from '../../../numeric/extremes';
import { sum, type Support } from './output-model';
import { partsOfGroups, poolGroups } from './partial-pooling';
import type { GroupTruth } from './raking';
import { credibleIntervals } from './posterior';
import { valuesOf } from './values-of-groups';
import type { Measure } from '../quantities/measure';
import type { Slice } from './slice';
import { possibleSums, type Estimate, type EstimateOptions } from '../unbiased/response-estimate';
import type { Quantity } from '../quantities/quantities';
import type { ResponseModel } from '../quantities/response-model';
import type { GroupTally } from '../unbiased/tally';

/** An estimate by maximum likelihood: possible, biased, and with a smaller error than the unbiased one if the model fits. */
export interface LikelyEstimate {
  readonly estimate: number;
  readonly interval: Interval;
}

interface LikelihoodOptions extends EstimateOptions {
  /** The groups that get intervals; without, all do. */
  readonly slice?: Slice;
}

export interface Likelihood {
  /** For each measure, the mean of the likeliest numbers of all sources over the families of the estimates, before the unbiased total changed it. */
  likeliest(): readonly number[];
  /**
   * Whether the observed outputs are as near to the most probable family as outputs drawn from it. If not, use the unbiased estimates. Estimates are of
   * the families that fit.
   */
  fits(): boolean;
  /** By group, and by measure; null if the model has no number for a group. Takes most of the time, so ask for it last. */
  estimates(): readonly (readonly LikelyEstimate[])[] | null;
}

/**
 * Estimates by maximum likelihood (docs/estimate-methods.md, "Maximum likelihood").
 * @param groups with their larger groups, which come first, as `withParents` gives them.
 * @param measures what to estimate of each group.
 * @param unbiased numbers of all sources without a model
 */
export function likelihoodOf(
  { response, measures }: ResponseLikelihood,
  groups: readonly GroupTally[],
  options: LikelihoodOptions,
  unbiased: (quantity: Quantity) => Estimate,
): Likelihood {
  const [all] = groups;
  if (all === undefined) throw new RangeError('there must be a group of all sources');
  const [first, ...others] = familiesOf(response, all.tally, options.level);
  const isFitting = ({ fitted: { whole, sources }, replicates }: Family): boolean =>
    fitsModel(whole, sources, replicates().replicates);
  let kept: readonly Family[] | null = null;
  const keptFamilies = (): readonly Family[] => (kept ??= [first, ...others.filter(isFitting)]);
  return {
    likeliest: () => {
      const weights = sum(keptFamilies().map(({ weight }) => weight));
      return measures.map((measure) =>
        sum(
          keptFamilies().map(({ support, fitted: { whole, sources }, weight }) =>
            perSource(
              measure,
              (weight / weights) * totalOf(support, measure, truthsOf(whole, sources)),
              sources,
            ),
          ),
        ),
      );
    },
    fits: () => isFitting(first),
    estimates: () =>
      averaged(
        keptFamilies().map((family) => ({
          weight: family.weight,
          estimates: likelyEstimates(family, response, measures, groups, options, unbiased),
        })),
      ),
  };
}

type GroupEstimates = readonly (readonly LikelyEstimate[])[];

/**
 * The means of the estimates of families that have them. An interval holds those of all, because the weights are uncertain, too. Null if none has them.
 * @param families of which each weighs as much as its weight is of the sum.
 */
export function averaged(
  families: readonly { readonly weight: number; readonly estimates: GroupEstimates | null }[],
): GroupEstimates | null {
  const all = families.flatMap(({ weight, estimates }) =>
    estimates === null ? [] : [{ weight, estimates }],
  );
  const [first] = all;
  if (first === undefined) return null;
  const total = sum(all.map(({ weight }) => weight));
  return first.estimates.map((ofGroup, group) =>
    ofGroup.map((_, measure): LikelyEstimate => {
      const own = all.flatMap(({ weight, estimates }) => {
        const found = estimates[group]?.[measure];
        return found === undefined ? [] : [{ weight: weight / total, ...found }];
      });
      return {
        estimate: sum(own.map(({ weight, estimate }) => weight * estimate)),
        interval: [
          least(own.map(({ interval }) => interval[0])),
          greatest(own.map(({ interval }) => interval[1])),
        ],
      };
    }),
  );
}

/** Null if the model has no number for a group. */
function likelyEstimates(
  { support, replicates }: Family,
  response: ResponseModel,
  measures: readonly Measure[],
  groups: readonly GroupTally[],
  options: LikelihoodOptions,
  unbiased: (quantity: Quantity) => Estimate,
): GroupEstimates | null {
  const found = replicates();
  const truths = truthsOf(found.whole, found.sources);
  const totals = totalsAmong(measures);
  const unbiasedSum = (measure: Measure): number =>
    unbiased(measure.quantity).estimate / perSource(measure, 1, found.sources);
  const mixedOf = (measure: Measure): Mixed =>
    leastRisk(support, response, measure, found, unbiasedSum(measure));
  const mixed = totals === null ? null : overTotals((name) => mixedOf(totals[name]));
  const likeliest =
    mixed === null || totals === null
      ? truths
      : withTotals(
          support,
          totals,
          truths,
          overTotals((name) => mixed[name].estimate),
        );
  const ofValue = measures.find(({ quantity }) => quantity.kind === 'value');
  const value =
    ofValue === undefined || totals === null || mixed === null
      ? null
      : leastRiskGivenTotals(
          support,
          response,
          ofValue,
          found,
          totals,
          overTotals((name) => mixed[name].estimate),
          unbiasedSum(ofValue),
        );
  const parts = partsOfGroups(support, groups);
  const pooled = poolGroups(support, response, parts, likeliest, totals, 'estimates');
  const sums = new Values(support, measures).of(pooled);
  const valued =
    ofValue === undefined || value === null || totals === null
      ? null
      : valuesOf(
          pooled,
          sums.map((ofGroup) => ofGroup[measures.indexOf(ofValue)] ?? NaN),
          ({ observed }, group) => {
            const conversions = sums[group]?.[measures.indexOf(totals.conversions)] ?? NaN;
            return within(
              possibleWorth(support, ofValue, totals, conversions),
              nearestPossible(support, response, ofValue, observed),
            );
          },
          (likely, others) => {
            const all = within(possibleSums(ofValue, found.sources), unbiasedSum(ofValue));
            return value.weight * likely + (1 - value.weight) * Math.max(all - others, 0);
          },
        );
  const values = sums.map((ofGroup, group) =>
    ofGroup.map((own, place) => (measures[place] === ofValue ? (valued?.[group] ?? own) : own)),
  );
  if (!values.every((ofGroup) => ofGroup.every(Number.isFinite))) return null;
  // If the mean of both totals is 0, every truth of the groups is none. That is an estimate, and no reason to be sure of it.
  const untilted = poolGroups(support, response, parts, truths, totals, options.randomness);
  const centres = new Values(support, measures).of(untilted);
  const intervals = credibleIntervals(support, response, untilted, measures, centres, options);
  const between = (measure: Measure, own: Mixed, likely: Interval): Interval => {
    const { interval, possible } = unbiased(measure.quantity);
    const bias = perSource(measure, own.bias, found.sources);
    const [low, high] = likely;
    return mixedInterval(own, [within(possible, low - bias), within(possible, high - bias)], interval);
  };
  /** Of all sources. */
  const ofTotal = (measure: Measure, interval: Interval): Interval => {
    const name = measure === totals?.conversions ? 'conversions' : 'converting';
    if (measure === totals?.[name] && mixed !== null) return between(measure, mixed[name], interval);
    if (value === null) return interval;
    // Reports that are buckets of a value depend on each other, and many of their sums are near 0, so the model fits less, and sums are too high.
    const [low, high] = between(measure, measure === ofValue ? value : mixedOf(measure), interval);
    return [Math.min(low, interval[0]), Math.max(high, interval[1])];
  };
  return pooled.map(({ group, sources }, index) =>
    measures.map((measure, place): LikelyEstimate => {
      const value = values[index]?.[place] ?? NaN;
      const [low, high] = (intervals[index]?.[place] ?? [NaN, NaN]).map((end) =>
        perSource(measure, end, sources),
      ) as [number, number];
      const estimate = perSource(measure, value, sources);
      const interval: Interval = [Math.min(low, estimate), Math.max(high, estimate)];
      const [least, most] = group.length === 0 ? ofTotal(measure, interval) : interval;
      return { estimate, interval: [Math.min(least, estimate), Math.max(most, estimate)] };
    }),
  );
}

/** In the unit of the quantity. */
const perSource = ({ quantity }: Measure, sum: number, sources: number): number =>
  quantity.kind === 'conversion-rate' ? sum / sources : sum;

/** Sums of measures over estimated truths. */
class Values {
  constructor(
    private readonly support: Support,
    readonly measures: readonly Measure[],
  ) {}

  of(truths: readonly Pick<GroupTruth, 'own' | 'shared' | 'base'>[]): readonly (readonly number[])[] {
    // The parts of one larger group have the same base.
    const bases = new Map<readonly number[], readonly number[]>();
    return truths.map(({ own, shared, base }) => {
      const ofBase = bases.get(base) ?? this.sums(base.keys(), base);
      bases.set(base, ofBase);
      return this.sums(own.outputs, own.counts).map((sum, index) => sum + shared * (ofBase[index] ?? 0));
    });
  }

  private sums(outputs: Iterable<number>, counts: readonly number[]): readonly number[] {
    const places = [...outputs];
    return this.measures.map((measure) => {
      const adds = this.support.addedBy(measure.adds);
      return places.reduce((sum, output, index) => sum + (counts[index] ?? 0) * (adds[output] ?? 0), 0);
    });
  }
}
