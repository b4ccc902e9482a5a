import { consistentCounts, consistentEstimates, type Consistent, type GroupEstimates } from './consistency';
import type { Estimator } from './estimator';
import { estimatorOf } from './estimator-of';
import type { Quantity } from './quantities';
import type { Estimate, EstimateOptions, Tally } from './response-estimate';
import type { Shortfall } from './shortfall';
import { mergeTallies, sourcesOf, withParents, type ConfigurationTally } from './tally';

export interface AnalysisOptions extends EstimateOptions {
  /** Whether to add consistent estimates. */
  readonly consistent: boolean;
  /**
   * Whether to count the sources with each observed output; with `most`, only for all sources together, and only output 0 and that many of
   * the most frequent others.
   */
  readonly singles: boolean | { readonly most: number };
}

export interface AnalysedEstimate {
  readonly quantity: Quantity;
  readonly estimate: Estimate;
  /** Null when not requested, or when the quantity cannot be made consistent. */
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
  /** If not null, estimates are too low, because some reports or sources are missing. */
  readonly shortfall: Shortfall | null;
  /** First all sources, then groups by the first feature, and so on. */
  readonly groups: readonly AnalysedGroup[];
}

/** Everything that can be estimated about the sources of one configuration. */
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

/** Makes sums of reports agree where they can be estimated, else counts of outputs. */
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

/** An output has exactly one value of each of these kinds. */
const COUNTS: ReadonlySet<Quantity['kind']> = new Set([
  'label',
  'label-with-share',
  'bin',
  'state-with-share',
]);

const byNumber = (a: string, b: string): number => (BigInt(a) < BigInt(b) ? -1 : 1);
