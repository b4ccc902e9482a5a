import type { AnalysedEstimate, AnalysedGroup, AnalysisOptions } from './analysis';
import { snakeCased } from './counts-json';
import type { EstimateResultJson } from './estimate-result';
import type { EstimateJson, GroupJson, QuantityJson, TotalJson } from './group-result';
import { isEverything, type Interval } from '../intervals/interval';
import { groupNames } from './json-fields';
import { lostReportsOf } from './lost-reports-json';
import type { Quantity } from '../quantities/quantities';
import { comparedTotals, type ComparedTotal } from './comparison';
import { within } from '../../../numeric/extremes';
import type { Analysed } from './totals';

/** The result of `cointoss estimate` and of the collector's `/estimates`. */
export interface EstimateResult extends Pick<EstimateResultJson, 'sources' | 'reports'> {
  readonly groupBy: readonly string[];
  /** ISO 8601. Sources with a report window that ends later are left out; null: none are. */
  readonly asOf: string | null;
  readonly options: AnalysisOptions;
  readonly configurations: readonly Analysed[];
}

/** Uses the names in reports; numbers that are not finite become null. */
export function resultJson({
  options,
  groupBy,
  asOf,
  sources,
  reports,
  configurations,
}: EstimateResult): EstimateResultJson {
  return {
    level: options.level,
    randomness: options.randomness,
    as_of: asOf,
    sources,
    reports,
    configurations: configurations.map(({ tally: { name, configuration }, analysis }) => ({
      configuration: name,
      mechanism: configuration.mechanism.kind,
      epsilon: configuration.epsilon,
      outputs: String(analysis.estimator.outputs),
      replace_probability: analysis.estimator.replaceProbability,
      shortfall: analysis.shortfall,
      mismatches: analysis.mismatches.map((mismatch) => ({
        ...mismatch,
        group: groupNames(mismatch.group, groupBy),
      })),
      lost_reports: analysis.lost === null ? null : lostReportsOf(analysis.lost, groupBy),
      likelihood_model: analysis.fits === null ? null : analysis.fits ? 'fits' : 'does-not-fit',
      not_estimable: analysis.estimator.hidden.map(quantityJson),
      groups: analysis.groups.map((group) => groupJson(group, groupBy)),
    })),
    totals: comparedTotals(configurations, options.level).map((total) => totalJson(total, groupBy)),
  };
}

const groupJson = ({ group, sources, estimates }: AnalysedGroup, groupBy: readonly string[]): GroupJson => ({
  group: groupNames(group, groupBy),
  sources,
  estimates: estimates.map(estimateJson),
});

const totalJson = (total: ComparedTotal, groupBy: readonly string[]): TotalJson => ({
  ...groupJson(total, groupBy),
  covered: total.covered,
  uncovered: total.uncovered,
  windows: total.windows,
  values:
    total.values === null
      ? null
      : {
          sources: total.values.sources,
          sum: estimateJson(total.values.sum),
          average: estimateJson(total.values.average),
        },
  compared: total.compared,
  rank: total.rank,
  unranked: total.unranked,
});

function estimateJson({ quantity, estimate, likelihood }: AnalysedEstimate): EstimateJson {
  const [low, high] = estimate.interval;
  return {
    ...quantityJson(quantity),
    observed: finite(estimate.observed),
    noise: finite(estimate.noise),
    noise_share: finite(noiseShare(estimate)),
    estimate: finite(shownEstimate(estimate)),
    unbiased: finite(estimate.estimate),
    variance: finite(estimate.variance),
    noise_variance: finite(estimate.noiseVariance),
    interval: [finite(low), finite(high)],
    ...(likelihood === null ? {} : { likelihood }),
  };
}

/** The nearest possible number to the unbiased estimate, within its interval; not a number if the interval rules nothing out. */
export const shownEstimate = ({
  estimate,
  possible,
  interval,
}: Pick<AnalysedEstimate['estimate'], 'estimate' | 'possible' | 'interval'>): number =>
  isBounded(interval) && !isEverything(interval, possible)
    ? within(interval, within(possible, estimate))
    : NaN;

export const isBounded = (interval: Interval): boolean => interval.every(Number.isFinite);

/** The share of what was observed that is expected to be noise, at most 1; NaN if nothing was observed. */
export const noiseShare = ({ noise, observed }: AnalysedEstimate['estimate']): number =>
  observed > 0 ? Math.min(noise / observed, 1) : NaN;

function quantityJson({ kind, ...rest }: Quantity): QuantityJson {
  return { quantity: kind, ...snakeCased(rest) };
}

const finite = (value: number): number | null => (Number.isFinite(value) ? value : null);
