import { chromiumLimits, type Limits } from '../../src/model/limits';
import type { Settings } from '../../src/model/settings';
import type { Epsilon } from '../../src/model/units';
import type { RandomSource } from '../../src/privacy/random-source';
import { distributionOf, TooManyOutcomes } from './outcomes';
import { privacyLoss, type PrivacyLoss } from './privacy-loss';
import { neighbours, OBSERVER, type RelationId } from './relations';
import { sampledLoss } from './sampled-loss';
import { observe, type World } from './world';

/** A configuration to audit. */
export interface Audited {
  readonly name: string;
  readonly settings: Settings;
  /** What each impression registers as its ε. */
  readonly registered: Epsilon;
  /** Chromium's unless given. */
  readonly limits?: Partial<Limits>;
  /** Debug reports are allowed: they tell the truth, so nothing is promised. */
  readonly debugReports?: boolean;
  /** Where the bins of the sum of conversion values begin, after the one at 0. Without, sources tell whether there was a conversion. */
  readonly bins?: readonly number[];
}

export interface Finding {
  readonly configuration: string;
  readonly relation: RelationId;
  readonly promise: number | null;
  readonly loss: PrivacyLoss;
  /** `exact`: over all outputs. `at-least`: a certified lower bound. */
  readonly method: 'exact' | 'at-least';
  readonly holds: boolean;
}

/** How far a computed loss may exceed the promise: the arithmetic of promises rounds. */
const TOLERANCE = 1e-9;
/** How many ways the random decisions may fall. A run takes about a millisecond. */
const MOST_OUTCOMES = 5000;

/**
 * Tries a configuration on neighbouring worlds, through everything that runs on the device.
 * @param random for worlds with too many outputs to go through
 */
export async function audit(
  { name, settings, registered, limits = {}, debugReports = false, bins }: Audited,
  relation: RelationId,
  random: RandomSource,
): Promise<Finding> {
  const { worlds, promise } = neighbours(relation, settings, registered);
  const circumstances = {
    settings,
    limits: { ...chromiumLimits, ...limits },
    registered,
    debugReports,
    bins: bins ?? null,
  };
  const run = (world: World) => (source: RandomSource) => observe(world, circumstances, OBSERVER, source);
  const { loss, method } = await measure([run(worlds[0]), run(worlds[1])], random);
  const promised = debugReports ? null : promise;
  const holds = promised === null || loss.epsilon <= promised + TOLERANCE;
  return { configuration: name, relation, promise: promised, loss, method, holds };
}

type Run = (random: RandomSource) => Promise<string>;

async function measure(
  runs: readonly [Run, Run],
  random: RandomSource,
): Promise<Pick<Finding, 'loss' | 'method'>> {
  try {
    const [one, other] = [
      await distributionOf(runs[0], MOST_OUTCOMES),
      await distributionOf(runs[1], MOST_OUTCOMES),
    ];
    return { loss: privacyLoss(one, other), method: 'exact' };
  } catch (error) {
    if (!(error instanceof TooManyOutcomes)) throw error;
    return { loss: await sampledLoss(runs, random), method: 'at-least' };
  }
}
