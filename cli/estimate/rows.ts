import type { ConfigurationJson, EstimateResultJson } from '../../analysis/estimate/result/estimate-result';
import type { EstimateJson, GroupJson, TotalJson } from '../../analysis/estimate/result/group-result';
import { noneJoins } from '../../analysis/estimate/result/unjoined';
import type { JsonObject } from '../../src/model/json';

/**
 * Estimates as tidy data: a row for each configuration, group and quantity, then the totals over configurations, with an empty
 * `configuration`. `problem` says why a row has no estimate. If a group has the name of another column, the group comes first.
 */
export function estimatedRows({
  level,
  reports,
  configurations,
  totals,
}: EstimateResultJson): readonly JsonObject[] {
  const problemsIn = noneJoins(reports) ? () => UNJOINED : problemsOf;
  const of = configurations.flatMap(({ configuration, mechanism, epsilon, groups, ...found }) =>
    groups.map((group) => ({
      ...{ configuration, mechanism, epsilon },
      ...rowOf(group),
      ...rankJson(null),
      group,
      problems: problemsIn([found]),
    })),
  );
  const problems = problemsIn(configurations);
  const together = totals.flatMap((total) =>
    [total, ...valuesOf(total)].map((group) => ({
      ...{ configuration: null, mechanism: null, epsilon: null },
      ...rowOf(group),
      ...rankJson(total),
      group,
      problems,
    })),
  );
  return [...of, ...together].flatMap(({ group: { group, estimates }, problems: found, ...about }) =>
    (estimates.length === 0
      ? [unknown]
      : estimates.map((estimate) => ({ ...cellsOf(estimate), problem: problemOf(estimate, found) }))
    ).map((cells) => ({
      ...about,
      level,
      ...cells,
      ...group,
    })),
  );
}

/** The row of a group whose reports do not count conversions. */
const unknown = { quantity: 'conversions', estimate: null, low: null, high: null, problem: null };

/** A row of its own: it is of other sources than the conversions are. */
const valuesOf = ({ group, values }: TotalJson): readonly GroupJson[] =>
  values === null ? [] : [{ group, sources: values.sources, estimates: [values.sum, values.average] }];

/** The sources that the estimates are of. */
const rowOf = (group: GroupJson | TotalJson): JsonObject => ({
  sources: 'covered' in group ? group.covered : group.sources,
});

/** How a total compares with others. A row of one configuration does not. */
const rankJson = (total: TotalJson | null): JsonObject => ({
  all_sources: total?.sources ?? null,
  rank_best: total?.rank?.best ?? null,
  rank_worst: total?.rank?.worst ?? null,
  unranked: total?.unranked ?? null,
});

/** Why there is no estimate, if there is not even an unbiased one, and if there is. */
interface Problems {
  readonly noUnbiased: string;
  readonly noInterval: string;
}

const UNJOINED: Problems = { noUnbiased: 'unjoined', noInterval: 'unjoined' };

/** Why these configurations have no estimate, if that is so. */
function problemsOf(
  configurations: readonly Pick<ConfigurationJson, 'mismatches' | 'shortfall' | 'lost_reports'>[],
): Problems {
  const has = (found: (one: (typeof configurations)[number]) => boolean): boolean =>
    configurations.some(found);
  return {
    // Without a mismatch, only a number for which nothing makes up for lost reports has no unbiased estimate.
    noUnbiased: has(({ mismatches }) => mismatches.length > 0) ? 'mismatch' : 'lost-reports',
    noInterval: has(({ lost_reports: lost }) => lost?.fits === false)
      ? 'lost-reports'
      : has(({ shortfall, lost_reports: lost }) => shortfall !== null && lost === null)
        ? 'shortfall'
        : 'too-few-sources',
  };
}

function problemOf({ estimate, unbiased }: EstimateJson, found: Problems): string | null {
  if (estimate !== null) return null;
  return unbiased === null ? found.noUnbiased : found.noInterval;
}

function cellsOf({ interval: [low, high], likelihood, ...cells }: EstimateJson): JsonObject {
  const own = { ...cells, low, high };
  if (likelihood === undefined) return own;
  const [likelyLow, likelyHigh] = likelihood.interval;
  return { ...own, likeliest: likelihood.estimate, likeliest_low: likelyLow, likeliest_high: likelyHigh };
}
