import type { Estimator } from './estimator';
import type { GroupLoss, LostReports } from './lost-reports';
import type { Quantity } from '../quantities/quantities';
import { within } from '../../../numeric/extremes';
import { normalQuantile } from '../intervals/normal';
import type { Estimate, EstimateOptions } from './response-estimate';
import { groupKey, sourcesOf, type GroupTally } from './tally';
import { rateOf, sumOf, type PartialRate } from './summed-estimates';

/** A group without parts, and which share of its reports is lost. */
export interface LosingGroup extends GroupTally {
  readonly lost: GroupLoss;
}

/** Null if groups did not lose different shares, or if some group has too few heartbeats of its own. */
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
  groups.every(
    ({ tally, lost }) => lost.fits && estimator.allowLosses?.([tally], lost, groups.length) !== false,
  );

/** The greatest share that the sources of all these groups together can have lost. */
export function mostLost(groups: readonly LosingGroup[]): number {
  const sources = groups.map(({ tally }) => sourcesOf(tally));
  const all = sources.reduce((sum, own) => sum + own, 0);
  return groups.reduce((sum, { lost }, index) => sum + (lost.range[1] * (sources[index] ?? 0)) / all, 0);
}

/** A part of larger groups. */
interface LosingPart extends PartialRate {
  /** Without bias and without the error of the share that it lost, so that it can be added to others. */
  readonly adding: Estimate;
  /** How far to either side the interval reaches because of that error. */
  readonly reach: number;
}

/**
 * Estimates a group, with parts or without, from its groups without parts, each with the share that it lost. Each of these is estimated only once for a
 * quantity.
 */
export function estimateByGroup(
  estimator: Estimator,
  groups: readonly LosingGroup[],
): (quantity: Quantity, group: readonly string[], options: EstimateOptions) => Estimate {
  const known = new Map<string, ReadonlyMap<string, readonly LosingPart[]>>();
  return (quantity, group, options) => {
    const key = JSON.stringify([quantity, options.level, options.randomness]);
    const parts = known.get(key) ?? partsByGroup(estimator, quantity, groups, options);
    known.set(key, parts);
    return together(quantity, parts.get(groupKey(group)) ?? [], options.level);
  };
}

function partsByGroup(
  estimator: Estimator,
  quantity: Quantity,
  groups: readonly LosingGroup[],
  options: EstimateOptions,
): ReadonlyMap<string, readonly LosingPart[]> {
  const parts = new Map<string, LosingPart[]>();
  for (const { group, tally, lost } of groups) {
    const own = { ...lost, range: lost.rangeAt(options.level) };
    const estimate = estimator.estimate(quantity, tally, { ...options, lost: own });
    const estimateAt = (rate: number): number =>
      estimator.estimate(quantity, tally, {
        ...options,
        lost: { rate, range: [rate, rate], from: 'heartbeats' },
        isPoint: true,
      }).estimate;
    const part = {
      sources: sourcesOf(tally),
      estimate,
      ...addingUp(estimate, own, estimateAt, options.level),
    };
    for (let depth = 0; depth <= group.length; depth++) {
      const key = groupKey(group.slice(0, depth));
      const known = parts.get(key) ?? [];
      parts.set(key, known);
      known.push(part);
    }
  }
  return parts;
}

/** Of what can still arrive. So small that a quadratic function has the same slope and bend, and large enough that rounding does not matter. */
const STEP = 1e-3;

/**
 * No group loses less than nothing, but a sum over groups where each is bounded in this way would be too high. So the estimate goes on in a straight
 * line below 0, and the reach is that of both sides.
 * @param estimateAt the estimate if this share is lost.
 */
function addingUp(
  estimate: Estimate,
  { rate, unbounded, deviation }: GroupLoss,
  estimateAt: (rate: number) => number,
  level: number,
): Pick<LosingPart, 'adding' | 'reach'> {
  const step = STEP * (1 - rate);
  const [next, second] = [estimateAt(rate + step), estimateAt(rate + 2 * step)];
  const slope = (4 * next - 3 * estimate.estimate - second) / (2 * step);
  const bend = (second - 2 * next + estimate.estimate) / (2 * step ** 2);
  // The mean of a convex function is above that of its mean (Jensen). Below 0 it is a line.
  const moved = unbounded > 0 ? -bend * deviation ** 2 : unbounded * slope;
  const [below, above] = estimate.shared ?? [0, 0];
  const ofNoise = (side: 0 | 1, shared: number): number =>
    Math.sqrt(Math.max((estimate.estimate - estimate.interval[side]) ** 2 - shared ** 2, 0));
  const own = estimate.estimate + moved;
  const interval = [own - ofNoise(0, below), own + ofNoise(1, above)] as const;
  return {
    adding: { ...estimate, estimate: own, interval, shared: [0, 0] },
    reach: normalQuantile((1 + level) / 2) * deviation * slope,
  };
}

/** The errors of the shares do not depend on each other, so how far they reach adds up as standard errors do. */
function together(quantity: Quantity, parts: readonly LosingPart[], level: number): Estimate {
  const [only] = parts;
  if (only !== undefined && parts.length === 1) return only.estimate;
  const all = parts.reduce((sum, { sources }) => sum + sources, 0);
  const isShare = quantity.kind === 'conversion-rate';
  const adding = parts.map(({ sources, adding: estimate }) => ({ sources, estimate }));
  const sum = isShare
    ? rateOf(adding, level)
    : sumOf(
        adding.map(({ estimate }) => estimate),
        level,
      );
  const squares = parts.reduce(
    (added, { sources, reach }) => added + (reach * (isShare ? sources / all : 1)) ** 2,
    0,
  );
  const estimate = within(sum.possible, sum.estimate);
  const reachOf = (end: number): number => Math.sqrt((estimate - end) ** 2 + squares);
  const [low, high] = sum.interval;
  const shared = Math.sqrt(squares);
  return {
    ...sum,
    interval: [within(sum.possible, estimate - reachOf(low)), within(sum.possible, estimate + reachOf(high))],
    shared: [shared, shared],
  };
}
