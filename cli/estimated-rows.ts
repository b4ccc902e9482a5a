import type { EstimateJson, EstimateResultJson } from '../analysis/estimate/estimate-result';
import type { JsonObject } from '../src/model/json';

/** Estimates as tidy data: a row for each configuration, group and quantity. A column of the groups comes before one of the same name. */
export const estimatedRows = ({ level, configurations }: EstimateResultJson): readonly JsonObject[] =>
  configurations.flatMap(({ configuration, mechanism, epsilon, groups }) =>
    groups.flatMap(({ group, sources, estimates }) =>
      estimates.map((estimate) => ({
        configuration,
        mechanism,
        epsilon,
        sources,
        level,
        ...cellsOf(estimate),
        ...group,
      })),
    ),
  );

function cellsOf({ interval: [low, high], likelihood, ...cells }: EstimateJson): JsonObject {
  const own = { ...cells, low, high };
  if (likelihood === undefined) return own;
  const [likelyLow, likelyHigh] = likelihood.interval;
  return { ...own, likeliest: likelihood.estimate, likeliest_low: likelyLow, likeliest_high: likelyHigh };
}
