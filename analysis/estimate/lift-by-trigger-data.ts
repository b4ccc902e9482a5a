import { arms, type Arm } from '../../recording/lift-test';
import type { ConfigurationJson, EstimateResultJson } from './estimate-result';
import type { EstimateJson, GroupJson } from './group-result';
import { liftOf, type ArmEstimate, type Lift } from './lift';
import type { LostFit } from './lost-reports';

/* Lift tests whose arms devices drew: no log has them, so the trigger data of the reports are the arms (docs/lift.md). */

/** The trigger data of each arm. */
export type ArmData = Readonly<Record<Arm, number>>;

/** Why the arms of a configuration cannot be compared. */
export type Incomparable =
  | { readonly kind: 'other-data'; readonly configuration: string; readonly data: readonly number[] }
  | { readonly kind: 'uncertain-loss'; readonly configuration: string; readonly lost: LostFit };

type Estimated = Pick<EstimateResultJson, 'configurations' | 'level'>;

/** The two trigger data that the sources of every configuration report; null: there are others. */
export function pairOfData({ configurations }: Estimated): readonly [number, number] | null {
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
    if (lost !== null && lost.range[0] < lost.range[1])
      return { kind: 'uncertain-loss', configuration, lost };
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

/** What a page shows if the reader says that devices drew the arms. */
type LiftByData = Lift | 'uncertain-loss' | 'unknown';

/** @param wanted of `pairOfData`, in either order */
export function shownLift(estimated: Estimated, wanted: ArmData, held: number): LiftByData {
  const refused = incomparable(estimated, wanted);
  return refused === null ? (liftByTriggerData(estimated, wanted, held) ?? 'unknown') : 'uncertain-loss';
}

/** Both orders of two trigger data. */
export const ordersOf = ([low, high]: readonly [number, number]): readonly ArmData[] => [
  { exposed: low, holdout: high },
  { exposed: high, holdout: low },
];
