import type { Estimator } from './estimator';
import { estimatorOf } from './estimator-of';
import type { Interval } from './interval';
import { likelihoodOf, type LikelyEstimate } from './likelihood';
import type { LostReports } from './lost-reports';
import type { Quantity } from './quantities';
import type { Estimate, EstimateOptions, Tally } from './response-estimate';
import type { Shortfall } from './shortfall';
import { mergeTallies, sourcesOf, withParents, type ConfigurationTally } from './tally';

/** What to estimate, and how. */
export interface AnalysisOptions extends EstimateOptions {
  /** Whether to add estimates by maximum likelihood. */
  readonly likelihood: boolean;
  /**
   * Whether to count the sources with each observed output; with `most`, only for all sources together, and only output 0 and that many of
   * the most frequent others.
   */
  readonly singles: boolean | { readonly most: number };
}

/** The estimates of one quantity. */
export interface AnalysedEstimate {
  readonly quantity: Quantity;
  readonly estimate: Estimate;
  /** Null when not requested, for single outputs, for mechanisms without one, and when the model does not fit. */
  readonly likelihood: LikelyEstimate | null;
}

/** What can be estimated of the sources of a group. */
export interface AnalysedGroup {
  /** Empty for all sources of the configuration. */
  readonly group: readonly string[];
  readonly sources: number;
  readonly estimates: readonly AnalysedEstimate[];
}

/** What can be estimated of the sources of one configuration. */
export interface Analysis {
  readonly estimator: Estimator;
  /**
   * If not null, some reports or sources are missing. If `lost` cannot explain it, estimates are too low: no interval could hold, so there are
   * none.
   */
  readonly shortfall: Shortfall | null;
  /** Which share of the reports is lost, as given or as the reports show; null if none seems to be. The likelihood knows no losses. */
  readonly lost: LostReports | null;
  /** Whether the model of the likelihood fits; null without one. */
  readonly fits: boolean | null;
  /** First all sources, then groups by the first feature, and so on. */
  readonly groups: readonly AnalysedGroup[];
}

/**
 * Everything that can be estimated about the sources of one configuration.
 * @param isWithheld whether no interval can be trusted, for a reason that the counts do not show.
 */
export function analyse(
  { configuration, groups }: Pick<ConfigurationTally, 'configuration' | 'groups'>,
  options: AnalysisOptions,
  isWithheld = false,
): Analysis {
  const estimator = estimatorOf(configuration);
  const tallies = withParents(groups);
  const all = mergeTallies(groups.map(({ tally }) => tally));
  const shortfall = estimator.shortfall(all);
  const shown = estimator.lostReports?.(all, options.level) ?? null;
  const lost = options.lost ?? (shown !== null && shown.rate > 0 && shown.fits ? shown : null);
  const isUnsure = isWithheld || (lost === null && shortfall !== null);
  const likelihood =
    options.likelihood && estimator.likelihood !== null && !isUnsure && lost === null
      ? likelihoodOf(estimator.likelihood, tallies, options)
      : null;
  const fits = likelihood?.fits() ?? null;
  return {
    estimator,
    shortfall,
    lost,
    fits,
    groups: tallies.map(({ group, tally }, index) => {
      const likely = fits === true ? (likelihood?.estimates[index] ?? []) : [];
      return {
        group,
        sources: sourcesOf(tally),
        estimates: [
          ...estimator.quantities,
          ...(estimator.single === null
            ? []
            : singleOutputs(options.singles, group, tally).map(estimator.single)),
        ].map((quantity, index) => {
          const estimate = estimator.estimate(
            quantity,
            tally,
            lost === null ? options : { ...options, lost },
          );
          return {
            quantity,
            estimate: isUnsure ? { ...estimate, interval: withheld } : estimate,
            likelihood: likely[index] ?? null,
          };
        }),
      };
    }),
  };
}

const withheld: Interval = [NaN, NaN];

function singleOutputs(
  wanted: AnalysisOptions['singles'],
  group: readonly string[],
  tally: Tally,
): readonly string[] {
  const outputs = [...tally.keys()].sort(byNumber);
  if (typeof wanted === 'boolean') return wanted ? outputs : [];
  if (group.length > 0) return [];
  const count = (output: string): number => tally.get(output) ?? 0;
  const others = outputs.filter((output) => output !== '0').sort((a, b) => count(b) - count(a));
  return [...(tally.has('0') ? ['0'] : []), ...others.slice(0, wanted.most)];
}

const byNumber = (a: string, b: string): number => (BigInt(a) < BigInt(b) ? -1 : 1);
