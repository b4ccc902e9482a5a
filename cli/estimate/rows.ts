import type { EstimateJson, EstimateResultJson } from '../../analysis/estimate/estimate-result';
import type { JsonObject } from '../../src/model/json';

/**
 * Estimates as tidy data: a row for each configuration, group and quantity, then the totals over configurations, with an empty
 * `configuration`. `problem` says why a row has no interval. If a group has the name of another column, the group comes first.
 */
export function estimatedRows({ level, configurations, totals }: EstimateResultJson): readonly JsonObject[] {
  const of = configurations.map(({ configuration, mechanism, epsilon, groups, shortfall }) => ({
    about: { configuration, mechanism, epsilon },
    groups,
    isShort: shortfall !== null,
  }));
  const together = {
    about: { configuration: null, mechanism: null, epsilon: null },
    groups: totals,
    isShort: of.some(({ isShort }) => isShort),
  };
  return (configurations.length > 1 ? [...of, together] : of).flatMap(({ about, groups, isShort }) =>
    groups.flatMap(({ group, sources, estimates }) =>
      estimates.map((estimate) => {
        const problem = problemOf(estimate, isShort);
        return { ...about, sources, level, ...cellsOf(estimate), problem, ...group };
      }),
    ),
  );
}

/** Why there is no estimate, or no interval. */
function problemOf({ estimate, interval }: EstimateJson, isShort: boolean): string | null {
  if (estimate === null) return 'mismatch';
  if (interval[0] !== null) return null;
  return isShort ? 'shortfall' : 'no-interval';
}

function cellsOf({ interval: [low, high], likelihood, ...cells }: EstimateJson): JsonObject {
  const own = { ...cells, low, high };
  if (likelihood === undefined) return own;
  const [likelyLow, likelyHigh] = likelihood.interval;
  return { ...own, likeliest: likelihood.estimate, likeliest_low: likelyLow, likeliest_high: likelyHigh };
}
