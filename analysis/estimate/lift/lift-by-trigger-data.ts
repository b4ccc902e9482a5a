import { arms, type Arm } from '../../../recording/lift-test';
import type { ConfigurationJson, EstimateResultJson } from '../result/estimate-result';
import type { EstimateJson, GroupJson } from '../result/group-result';
import { liftOf, type ArmEstimate, type Lift } from './lift';
import { isUncertain, type LostReportsJson } from '../result/lost-reports-json';
import { doubtOfShare, foundLifts, measuredLifts } from './measured-lifts';

/* Lift tests whose arms devices drew: no log has them, so the trigger data of the reports are the arms (docs/lift.md). */

/** The trigger data of each arm. */
export type ArmData = Readonly<Record<Arm, number>>;

/** Why the arms of a configuration cannot be compared. */
export type Incomparable =
  | { readonly kind: 'other-data'; readonly configuration: string; readonly data: readonly number[] }
  | { readonly kind: 'uncertain-loss'; readonly configuration: string; readonly lost: LostReportsJson };

type Estimated = Pick<EstimateResultJson, 'configurations' | 'level'>;

/** The two trigger data that the sources of every configuration report; null: there are others. */
function pairOfData({ configurations }: Estimated): readonly [number, number] | null {
  const [first, ...others] = configurations.map((one) => dataOf(one).sort((a, b) => a - b));
  const [low, high, ...more] = first ?? [];
  return low !== undefined &&
    high !== undefined &&
    more.length === 0 &&
    others.every((data) => data.join() === `${low},${high}`)
    ? [low, high]
    : null;
}

/**
 * The first reason against a comparison; null: there is none. Each report must tell of one of both arms, and its estimate must have all of its
 * error in its variance.
 */
export function incomparable({ configurations }: Estimated, wanted: ArmData): Incomparable | null {
  for (const one of configurations) {
    const { configuration, lost_reports: lost } = one;
    const data = dataOf(one);
    if (data.length !== arms.length || !arms.every((arm) => data.includes(wanted[arm])))
      return { kind: 'other-data', configuration, data };
    if (lost !== null && isUncertain(lost)) return { kind: 'uncertain-loss', configuration, lost };
  }
  return null;
}

/**
 * Compares the arms of all sources. Each report tells of both arms, so their noise is not independent: the variance of their sum says by how much.
 * @param wanted see `incomparable`
 * @param held the share of the people who were held out
 * @returns null if an estimate of a configuration does not hold
 */
export function liftByTriggerData(
  { configurations, level }: Estimated,
  wanted: ArmData,
  held: number,
): Lift | null {
  const sums = {
    exposed: { estimate: 0, variance: 0 },
    holdout: { estimate: 0, variance: 0 },
    covariance: 0,
  };
  for (const configuration of configurations) {
    const found = armsIn(allSources(configuration), wanted);
    if (found === null) return null;
    const { exposed, holdout, both } = found;
    for (const [of, { estimate, variance }] of [
      [sums.exposed, exposed],
      [sums.holdout, holdout],
    ] as const) {
      of.estimate += estimate;
      of.variance += variance;
    }
    sums.covariance += (both.variance - exposed.variance - holdout.variance) / 2;
  }
  return configurations.length === 0 ? null : liftOf({ ...sums, held }, level);
}

/** The estimates of all sources together, which come before those of groups. */
const allSources = ({ groups }: ConfigurationJson): GroupJson | undefined =>
  groups.find(({ group }) => Object.keys(group).length === 0);

const dataOf = (configuration: ConfigurationJson): number[] =>
  (allSources(configuration)?.estimates ?? []).flatMap(({ quantity, trigger_data: data }) =>
    quantity === 'trigger-data' && data !== undefined ? [data] : [],
  );

function armsIn(
  group: GroupJson | undefined,
  wanted: ArmData,
): Readonly<Record<Arm | 'both', ArmEstimate>> | null {
  if (group === undefined) return null;
  const data = group.estimates.filter(({ quantity }) => quantity === 'trigger-data');
  const [exposed, holdout, both] = [
    data.find((one) => one.trigger_data === wanted.exposed),
    data.find((one) => one.trigger_data === wanted.holdout),
    group.estimates.find(({ quantity }) => quantity === 'conversions'),
  ].map(unbiasedOf);
  return exposed && holdout && both ? { exposed, holdout, both } : null;
}

const unbiasedOf = (found: EstimateJson | undefined): ArmEstimate | null =>
  found === undefined || found.estimate === null || found.unbiased === null || found.noise_variance === null
    ? null
    : { estimate: found.unbiased, variance: found.noise_variance };

/** What a page shows of a lift test, as its reader describes it. */
export interface ShownLifts {
  /** What the reader can say the arms are, by key: both orders of two trigger data. Empty if there are others: then only groups can be arms. */
  readonly orders: ReadonlyMap<string, ArmData>;
  /** The key of the order that holds; empty: groups are the arms. */
  readonly chosen: string;
  readonly lifts: ReturnType<typeof foundLifts>;
  /** Why there is none of the chosen trigger data. */
  readonly problem: 'uncertain-loss' | 'unknown' | null;
  /** If the sources of the groups contradict the share of people. */
  readonly doubt: ReturnType<typeof doubtOfShare>;
  /** Whether groups are arms, even if the reader chose trigger data. */
  readonly hasArms: boolean;
}

/**
 * @param posted what other kinds of reports say of the groups
 * @param chosen the key of an order, or an empty text
 * @param held the share of the people who were held out
 * @returns null if neither groups nor trigger data can be the arms
 */
export function shownLifts(
  estimated: EstimateResultJson,
  posted: Parameters<typeof measuredLifts>[1],
  chosen: string,
  held: number,
): ShownLifts | null {
  const orders = ordersOf(pairOfData(estimated));
  const byGroups = foundLifts(measuredLifts(estimated, posted, held));
  if (orders.size === 0 && byGroups.length === 0) return null;
  const shown = { orders, hasArms: byGroups.length > 0 };
  const data = orders.get(chosen);
  if (data === undefined) {
    const doubt = byGroups.length > 0 ? doubtOfShare(estimated, held) : null;
    return { ...shown, chosen: '', lifts: byGroups, problem: null, doubt };
  }
  const refused = incomparable(estimated, data);
  const lift = refused === null ? liftByTriggerData(estimated, data, held) : null;
  const problem = refused !== null ? 'uncertain-loss' : lift === null ? 'unknown' : null;
  return { ...shown, chosen, lifts: lift === null ? [] : [['event_level', lift]], problem, doubt: null };
}

function ordersOf(pair: readonly [number, number] | null): ReadonlyMap<string, ArmData> {
  if (pair === null) return new Map();
  const [low, high] = pair;
  return new Map([
    [`${low},${high}`, { exposed: low, holdout: high }],
    [`${high},${low}`, { exposed: high, holdout: low }],
  ]);
}
