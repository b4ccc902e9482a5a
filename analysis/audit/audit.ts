import { chromiumLimits, type Limits } from '../../src/model/limits';
import type { Settings } from '../../formats/settings/settings';
import { epsilon, type Epsilon } from '../../src/model/units';
import type { RandomSource } from '../../src/privacy/random-source';
import { distributionOf, TooManyOutcomes } from './outcomes';
import { privacyLoss, type PrivacyLoss } from './privacy-loss';
import { besidePrior, withPrivatePrior, type PriorCost } from '../optimize/private-prior';
import {
  neighbours,
  observedBy,
  pastNeighbours,
  relationIds,
  type Observer,
  type RelationId,
} from './relations';
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
  /** The prior of the label noise is a private histogram of two past sources, and the observer gets it. */
  readonly prior?: PriorCost;
}

/** What two worlds differ in; `past-value` is the value of a source that the prior counts. */
export type AuditedRelation = RelationId | 'past-value';

export const relationsOf = ({ prior }: Audited): readonly AuditedRelation[] =>
  prior === undefined ? relationIds : [...relationIds, 'past-value'];

export interface Finding {
  readonly configuration: string;
  readonly relation: AuditedRelation;
  readonly observer: Observer;
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
  audited: Audited,
  relation: AuditedRelation,
  random: RandomSource,
  observer: Observer = 'reporting-site',
): Promise<Finding> {
  const { name, settings: given, registered, limits = {}, debugReports = false, bins, prior } = audited;
  const settings = prior === undefined ? given : besidePrior(given, prior);
  if (typeof settings === 'string') throw new RangeError(`${name} ${settings}`);
  const { worlds, promise, past } =
    relation === 'past-value'
      ? pastNeighbours(settings, registered, prior ?? NO_PRIOR)
      : { ...neighbours(relation, settings, registered, observer), past: [0, 0] as const };
  const isObserved = observedBy(observer, settings.budget);
  const run =
    (world: World, pastValue: number) =>
    async (source: RandomSource): Promise<string> => {
      const labelNoise =
        prior === undefined
          ? settings.labelNoise
          : withPrivatePrior(settings.labelNoise, pastOf(pastValue), prior.epsilon, source);
      const told = prior === undefined ? '' : `${JSON.stringify(labelNoise)} `;
      const circumstances = {
        settings: { ...settings, labelNoise },
        limits: { ...chromiumLimits, ...limits },
        registered,
        debugReports,
        bins: bins ?? null,
      };
      return told + (await observe(world, circumstances, isObserved, source));
    };
  const { loss, method } = await measure([run(worlds[0], past[0]), run(worlds[1], past[1])], random);
  const promised = debugReports ? null : promise;
  const holds = promised === null || loss.epsilon <= promised + TOLERANCE;
  return { configuration: name, relation, observer, promise: promised, loss, method, holds };
}

const NO_PRIOR: PriorCost = { epsilon: epsilon(0), split: 'people' };

/** Two past sources: one with this value, and one with 0. */
const pastOf = (value: number): ReadonlyMap<number, number> =>
  value === 0
    ? new Map([[0, 2]])
    : new Map([
        [0, 1],
        [value, 1],
      ]);

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
