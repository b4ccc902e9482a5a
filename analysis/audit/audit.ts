import { chromiumLimits, type Limits } from '../../src/model/limits';
import { effectiveDebug, type Settings } from '../../formats/settings/settings';
import { days, milliseconds, type Epsilon } from '../../src/model/units';
import type { RandomSource } from '../../src/privacy/random-source';
import { Caches } from '../../src/work';
import type { Answer } from './device';
import { observe, type Observer } from './observer';
import { distributionOf, TooManyOutcomes } from './outcomes';
import { besidePrior, withPrivatePrior, type PriorCost } from '../optimize/private-prior';
import { pastOf, pastRelation } from './past';
import { deltaBeyond, privacyLoss, type PrivacyLoss } from './privacy-loss';
import { observersOf, setupOf, type Neighbours, type Relation, type Setup } from './relation';
import { relations } from './relations';
import { sampledDelta, sampledLoss } from './sampled-loss';
import { view, type Shape } from './shapes';
import type { World } from './world';

/** A configuration to audit. */
export interface Audited {
  readonly name: string;
  readonly settings: Settings;
  /** What each impression registers as its ε. */
  readonly registered: Epsilon;
  /** What sources may report; `view` unless given. */
  readonly shape?: Shape;
  /** Chromium's unless given. */
  readonly limits?: Partial<Limits>;
  /** Debug reports are allowed: they tell the truth, so nothing is promised. */
  readonly debugAllowed?: boolean;
  /** How servers answer the first requests for each report; they receive all unless given. */
  readonly answers?: readonly Answer[];
  /** The process is killed in each transaction, and after each first request before its answer is noted. */
  readonly isDying?: boolean;
  /** The ids of the relations to try; all but those on request unless given. */
  readonly only?: readonly string[];
  /** The ids of relations on request. */
  readonly also?: readonly string[];
  /** The prior of the label noise is a private histogram of two past sources, and the observer gets it. */
  readonly prior?: PriorCost;
}

export interface Finding {
  readonly configuration: string;
  readonly relation: string;
  readonly observer: Observer;
  readonly promise: number | null;
  readonly loss: PrivacyLoss;
  /** With which probability more may be lost than promised, and is; null: never, or nothing is promised. */
  readonly delta: { readonly promise: number; readonly lost: number } | null;
  /** `exact`: over all outputs. `at-least`: a certified lower bound. */
  readonly method: 'exact' | 'at-least';
  readonly holds: boolean;
}

/** How far a computed loss may exceed the promise: the arithmetic of promises rounds. */
export const TOLERANCE = 1e-9;
/** How many ways the random decisions may fall. A run takes up to a millisecond. */
const MOST_OUTCOMES = 20_000;

/**
 * The random delay of aggregatable reports has so few values, and null reports name so few days, that all combinations can be tried. Each
 * day has its own draw at the same rate, so three days show what 31 would.
 */
const auditedLimits: Limits = {
  ...chromiumLimits,
  aggregatableReportDelaySpan: milliseconds(2),
  nullReportLookback: days(2),
};

/** A relation, tried for one observer. */
export interface Comparison {
  readonly relation: Relation;
  readonly observer: Observer;
}

/** What can be tried of a configuration. */
export function comparisonsOf(audited: Audited): readonly Comparison[] {
  const settings = settingsOf(audited);
  const all = audited.prior === undefined ? relations : [...relations, pastRelation(audited.prior)];
  const { only, also = [] } = audited;
  const isTried = ({ id, onRequest }: Relation): boolean =>
    also.includes(id) || (only === undefined ? onRequest !== true : only.includes(id));
  return all
    .filter(isTried)
    .flatMap((relation) => observersOf(relation).map((observer) => ({ relation, observer })))
    .filter(({ relation, observer }) => relation.neighbours(setupFor(audited, settings, observer)) !== null);
}

const setupFor = ({ registered }: Audited, settings: Settings, observer: Observer): Setup =>
  setupOf(settings, registered, observer, effectiveDebug(settings).noise);

function settingsOf({ name, settings, prior }: Audited): Settings {
  const found = prior === undefined ? settings : besidePrior(settings, prior);
  if (typeof found === 'string') throw new RangeError(`${name} ${found}`);
  return found;
}

/**
 * Tries a configuration on neighbouring worlds, through everything that runs on the device.
 * @param random for worlds with too many outputs to go through
 */
export async function audit(
  audited: Audited,
  { relation, observer }: Comparison,
  random: RandomSource,
): Promise<Finding> {
  const {
    name,
    registered,
    debugAllowed = false,
    shape = view,
    answers = [],
    isDying = false,
    prior,
  } = audited;
  const settings = settingsOf(audited);
  const neighbours = relation.neighbours(setupFor(audited, settings, observer));
  if (neighbours === null) throw new RangeError(`${name} has no worlds for ${relation.id}`);
  const { worlds, promise, delta = 0, besides, past = [0, 0] } = neighbours;
  const caches = new Caches();
  const run =
    (world: World, pastValue: number) =>
    async (source: RandomSource): Promise<string> => {
      const labelNoise =
        prior === undefined
          ? settings.labelNoise
          : withPrivatePrior(settings.labelNoise, pastOf(pastValue), prior.epsilon, source);
      const knownPrior = prior === undefined ? '' : `${JSON.stringify(labelNoise)} `;
      const circumstances = {
        settings: { ...settings, labelNoise },
        limits: { ...auditedLimits, ...audited.limits, ...relation.limits },
        ...{ registered, shape, debugAllowed, answers, isDying, caches },
      };
      return knownPrior + (await observe(world, circumstances, observer, source));
    };
  const runs = [run(worlds[0], past[0]), run(worlds[1], past[1])] as const;
  const promised = debugAllowed ? null : promise;
  const { beyond, ...measured } = await measure(runs, random, besides);
  const found = promised === null || delta === 0 ? null : { promise: delta, lost: beyond(promised) };
  const holds =
    promised === null ||
    measured.loss.epsilon <= promised + TOLERANCE ||
    (found !== null && found.lost <= found.promise);
  return {
    ...{ configuration: name, relation: relation.id, observer, promise: promised, delta: found, holds },
    ...measured,
  };
}

type Run = (random: RandomSource) => Promise<string>;

async function measure(
  runs: readonly [Run, Run],
  random: RandomSource,
  besides: Neighbours['besides'],
): Promise<Pick<Finding, 'loss' | 'method'> & { readonly beyond: (epsilon: number) => number }> {
  try {
    const [one, other] = [
      await distributionOf(runs[0], MOST_OUTCOMES),
      await distributionOf(runs[1], MOST_OUTCOMES),
    ];
    const beyond = (epsilon: number): number => deltaBeyond(one, other, epsilon);
    return { loss: privacyLoss(one, other, besides), method: 'exact', beyond };
  } catch (error) {
    if (!(error instanceof TooManyOutcomes)) throw error;
    const loss = await sampledLoss(runs, random);
    return { loss, method: 'at-least', beyond: (epsilon) => sampledDelta(loss, epsilon) };
  }
}
