import type { Estimator } from './estimator';
import type { LostFit, LostReports } from './lost-reports';
import type { Quantity } from '../quantities/quantities';
import type { Estimate, EstimateOptions } from './response-estimate';
import { groupKey, sourcesOf, type GroupTally } from './tally';
import { rateOf, sumOf } from './summed-estimates';

/** A group without parts, and which share of its reports is lost. */
interface LosingGroup extends GroupTally {
  readonly lost: LostFit;
}

/** Null if some group has too few heartbeats of its own. */
export function losingGroups(
  groups: readonly GroupTally[],
  { ofGroups }: LostReports,
): readonly LosingGroup[] | null {
  if (ofGroups === undefined) return null;
  const losing = groups.flatMap((part) => {
    const lost = ofGroups.get(groupKey(part.group));
    return lost === undefined ? [] : [{ ...part, lost }];
  });
  return losing.length === groups.length ? losing : null;
}

/** Whether the heartbeats of each group and its numbers of reports allow its share. */
export const allAllow = (estimator: Estimator, groups: readonly LosingGroup[]): boolean =>
  groups.every(({ tally, lost }) => lost.fits && estimator.allowLosses?.([tally], lost) !== false);

/**
 * The estimate of a group from those of its parts, each with the share that it lost. The errors of these shares do not depend on each other.
 * @param group whose parts begin with its name.
 */
export function estimateOfParts(
  estimator: Estimator,
  quantity: Quantity,
  group: readonly string[],
  groups: readonly LosingGroup[],
  options: EstimateOptions,
): Estimate {
  const parts = groups
    .filter((part) => group.every((name, depth) => part.group[depth] === name))
    .map(({ tally, lost }) => ({
      sources: sourcesOf(tally),
      estimate: estimator.estimate(quantity, tally, { ...options, lost }),
    }));
  const [only] = parts;
  if (only !== undefined && parts.length === 1) return only.estimate;
  const all = parts.reduce((sum, { sources }) => sum + sources, 0);
  const isShare = quantity.kind === 'conversion-rate';
  const shared = ([0, 1] as const).map((side) =>
    Math.hypot(
      ...parts.map(({ sources, estimate }) => (estimate.shared?.[side] ?? 0) * (isShare ? sources / all : 1)),
    ),
  ) as [number, number];
  const independent = parts.map(({ sources, estimate }) => ({
    sources,
    estimate: { ...estimate, shared: [0, 0] as const },
  }));
  const sum = isShare
    ? rateOf(independent, options.level)
    : sumOf(
        independent.map(({ estimate }) => estimate),
        options.level,
      );
  return { ...sum, shared };
}
