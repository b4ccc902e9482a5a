import type { AnalysedEstimate, AnalysedGroup, Analysis } from './analysis';
import type { Interval } from './interval';
import { normalQuantile } from './normal';
import type { Quantity } from './quantities';
import type { Estimate } from './response-estimate';

/** The quantities that sources of all configurations have, however they report them. */
const kinds = ['conversion-rate', 'conversions'] as const;

/**
 * The conversions of each group over all configurations that count them: of the clicks and the impressions of a campaign, say. Sources are noised
 * one by one, so estimates and variances add up.
 * @param level of the intervals
 */
export function totalsOf(configurations: readonly Analysis[], level: number): readonly AnalysedGroup[] {
  const groups = new Map<string, AnalysedGroup[]>();
  for (const found of configurations.flatMap((analysis) => analysis.groups)) {
    if (kinds.some((kind) => estimateOf(found, kind) === undefined)) continue;
    const key = JSON.stringify(found.group);
    groups.set(key, [...(groups.get(key) ?? []), found]);
  }
  return [...groups.values()].map((parts) => total(parts, level));
}

const estimateOf = ({ estimates }: AnalysedGroup, kind: Quantity['kind']): AnalysedEstimate | undefined =>
  estimates.find(({ quantity }) => quantity.kind === kind);

function total(parts: readonly AnalysedGroup[], level: number): AnalysedGroup {
  const sources = parts.reduce((sum, part) => sum + part.sources, 0);
  const estimates = kinds.map((kind) => {
    const scaled = parts.flatMap((part) => {
      const weight = kind === 'conversion-rate' ? part.sources / sources : 1;
      const { estimate } = estimateOf(part, kind) ?? {};
      return estimate === undefined ? [] : [scale(estimate, weight)];
    });
    return { quantity: { kind }, estimate: sumOf(scaled, level), likelihood: null };
  });
  return { group: parts[0]?.group ?? [], sources, estimates };
}

const scale = (estimate: Estimate, weight: number): Estimate => ({
  observed: estimate.observed * weight,
  noise: estimate.noise * weight,
  estimate: estimate.estimate * weight,
  variance: estimate.variance * weight ** 2,
  interval: [estimate.interval[0] * weight, estimate.interval[1] * weight],
});

function sumOf(parts: readonly Estimate[], level: number): Estimate {
  const [only] = parts;
  if (only !== undefined && parts.length === 1) return only;
  const sum = (of: (part: Estimate) => number): number => parts.reduce((all, part) => all + of(part), 0);
  const estimate = sum((part) => part.estimate);
  return {
    observed: sum(({ observed }) => observed),
    noise: sum(({ noise }) => noise),
    estimate,
    variance: sum(({ variance }) => variance),
    interval: jointInterval(parts, estimate, level),
  };
}

/**
 * How far the parts' intervals reach to either side adds up as standard errors do (MOVER: Zou & Donner 2008), so that it may be lopsided. An
 * interval that ends where nothing is possible any more says too little about its reach, so none counts as less than that of a normal number.
 */
function jointInterval(parts: readonly Estimate[], estimate: number, level: number): Interval {
  const z = normalQuantile((1 + level) / 2);
  const reach = (of: (part: Estimate) => number): number =>
    Math.hypot(...parts.map((part) => Math.max(z * Math.sqrt(part.variance), of(part))));
  const low = Math.max(0, estimate - reach((part) => part.estimate - part.interval[0]));
  return [low, Math.max(low, estimate + reach((part) => part.interval[1] - part.estimate))];
}
