import { consistentCounts, consistentEstimates, type Consistent, type GroupEstimates } from './consistency';
import type { Estimator } from './estimator';
import { estimatorOf } from './estimator-of';
import type { Quantity } from './quantities';
import type { Estimate, EstimateOptions, Tally } from './response-estimate';
import type { Shortfall } from './shortfall';
import { mergeTallies, sourcesOf, withParents, type ConfigurationTally } from './tally';

export interface AnalysisOptions extends EstimateOptions {
  /** Whether to add estimates that are possible together. */
  readonly consistent: boolean;
  /**
   * Whether to estimate how many sources have each of the outputs that were observed; or, of all sources together only, output 0
   * and so many of the others, those that were observed most often.
   */
  readonly singles: boolean | { readonly most: number };
}

export interface AnalysedEstimate {
  readonly quantity: Quantity;
  readonly estimate: Estimate;
  /** Null when it was not asked for, or the quantity is not part of what can be made to agree. */
  readonly consistent: number | null;
}

export interface AnalysedGroup {
  /** Empty for all sources of the configuration. */
  readonly group: readonly string[];
  readonly sources: number;
  readonly estimates: readonly AnalysedEstimate[];
}

export interface Analysis {
  readonly estimator: Estimator;
  /** Not null: estimates are too low, since some of what should have been observed is not there. */
  readonly shortfall: Shortfall | null;
  /** All, then by the first feature, and so on. */
  readonly groups: readonly AnalysedGroup[];
}

/** Everything that can be said of the sources of one configuration. */
export function analyse({ configuration, groups }: ConfigurationTally, options: AnalysisOptions): Analysis {
  const estimator = estimatorOf(configuration);
  const estimated = withParents(groups).map(({ group, tally }) => ({
    group,
    sources: sourcesOf(tally),
    estimates: [
      ...estimator.quantities,
      ...(estimator.single === null
        ? []
        : singleOutputs(options.singles, group, tally).map(estimator.single)),
    ].map((quantity) => ({ quantity, estimate: estimator.estimate(quantity, tally, options) })),
  }));
  const consistent = options.consistent ? agree(configuration.shape, estimator, estimated) : null;
  return {
    estimator,
    shortfall: estimator.shortfall(mergeTallies(groups.map(({ tally }) => tally))),
    groups: estimated.map(({ group, sources, estimates }) => {
      const agreed = consistent?.get(JSON.stringify(group));
      return {
        group,
        sources,
        estimates: estimates.map(({ quantity, estimate }) => {
          return { quantity, estimate, consistent: agreed?.get(JSON.stringify(quantity)) ?? null };
        }),
      };
    }),
  };
}

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

/** Sums of reports where they can be estimated, else the counts of outputs. */
function agree(
  shape: ConfigurationTally['configuration']['shape'],
  { quantities }: Estimator,
  groups: readonly GroupEstimates[],
): Consistent {
  if (quantities.some(({ kind }) => kind === 'conversions')) return consistentEstimates(shape, groups);
  return consistentCounts(
    quantities.filter(({ kind }) => COUNTS.has(kind)),
    groups,
  );
}

/** Of each of these an output has exactly one. */
const COUNTS: ReadonlySet<Quantity['kind']> = new Set([
  'label',
  'label-with-share',
  'bin',
  'state-with-share',
]);

const byNumber = (a: string, b: string): number => (BigInt(a) < BigInt(b) ? -1 : 1);
