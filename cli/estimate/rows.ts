import type { EstimateJson, EstimateResultJson } from '../../analysis/estimate/estimate-result';
import type { JsonObject } from '../../src/model/json';

/**
 * Estimates as tidy data: a row for each configuration, group and quantity, then the totals over configurations, with an empty
 * `configuration`. If a group has the name of another column, the group comes first.
 */
export function estimatedRows({ level, configurations, totals }: EstimateResultJson): readonly JsonObject[] {
  const of = configurations.map(({ configuration, mechanism, epsilon, groups }) => ({
    about: { configuration, mechanism, epsilon },
    groups,
  }));
  const together = { about: { configuration: null, mechanism: null, epsilon: null }, groups: totals };
  return (configurations.length > 1 ? [...of, together] : of).flatMap(({ about, groups }) =>
    groups.flatMap(({ group, sources, estimates }) =>
      estimates.map((estimate) => ({ ...about, sources, level, ...cellsOf(estimate), ...group })),
    ),
  );
}

function cellsOf({ interval: [low, high], likelihood, ...cells }: EstimateJson): JsonObject {
  const own = { ...cells, low, high };
  if (likelihood === undefined) return own;
  const [likelyLow, likelyHigh] = likelihood.interval;
  return { ...own, likeliest: likelihood.estimate, likeliest_low: likelyLow, likeliest_high: likelyHigh };
}
