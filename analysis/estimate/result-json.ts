import type { Json, JsonObject } from '../../src/model/json';
import type { Analysis, AnalysedEstimate, AnalysedGroup, AnalysisOptions } from './analysis';
import type { JoinCounts } from './join';
import type { Quantity } from './quantities';
import type { ConfigurationTally } from './tally';

/** The result of `cointoss estimate` and of the collector's `/estimates`. */
export interface EstimateResult {
  readonly options: AnalysisOptions;
  readonly groupBy: readonly string[];
  /** ISO 8601. Sources with a report window that ends later are left out; null: none are. */
  readonly asOf: string | null;
  readonly counts: JoinCounts;
  readonly otherKinds: ReadonlyMap<string, number>;
  readonly configurations: readonly { readonly tally: ConfigurationTally; readonly analysis: Analysis }[];
}

/** Uses the names in reports; numbers that are not finite become null. */
export function resultJson({
  options,
  groupBy,
  asOf,
  counts,
  otherKinds,
  configurations,
}: EstimateResult): Json {
  return {
    level: options.level,
    randomness: options.randomness,
    as_of: asOf,
    sources: snakeCased(counts.sources),
    reports: {
      ...snakeCased(counts.reports),
      inconsistent: snakeCased(counts.reports.inconsistent),
      other_kinds: Object.fromEntries(otherKinds),
    },
    configurations: configurations.map(({ tally: { name, configuration }, analysis }) => ({
      configuration: name,
      mechanism: configuration.mechanism.kind,
      epsilon: configuration.epsilon,
      outputs: String(analysis.estimator.outputs),
      replace_probability: analysis.estimator.replaceProbability,
      shortfall: analysis.shortfall === null ? null : snakeCased(analysis.shortfall),
      not_estimable: analysis.estimator.hidden.map(quantityJson),
      groups: analysis.groups.map((group) => groupJson(group, groupBy)),
    })),
  };
}

const groupJson = ({ group, sources, estimates }: AnalysedGroup, groupBy: readonly string[]): Json => ({
  group: Object.fromEntries(group.map((value, index) => [groupBy[index] ?? '', value])),
  sources,
  estimates: estimates.map(estimateJson),
});

function estimateJson({ quantity, estimate, consistent }: AnalysedEstimate): Json {
  const [low, high] = estimate.interval;
  return {
    ...quantityJson(quantity),
    observed: finite(estimate.observed),
    noise: finite(estimate.noise),
    noise_share: finite(noiseShare(estimate)),
    estimate: finite(estimate.estimate),
    variance: finite(estimate.variance),
    interval: [finite(low), finite(high)],
    ...(consistent === null ? {} : { consistent }),
  };
}

/** The share of what was observed that is expected to be noise, at most 1. */
export const noiseShare = ({ noise, observed }: AnalysedEstimate['estimate']): number =>
  observed > 0 ? Math.min(noise / observed, 1) : 0;

function quantityJson({ kind, ...rest }: Quantity): JsonObject {
  return { quantity: kind, ...snakeCased(rest) };
}

const finite = (value: number): number | null => (Number.isFinite(value) ? value : null);

const snakeCased = (object: object): JsonObject =>
  Object.fromEntries(
    (Object.entries(object) as [string, Json][]).map(([name, value]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value,
    ]),
  );
