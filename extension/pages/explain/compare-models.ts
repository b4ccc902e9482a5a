import type { AttributionModel, PrivateModel } from '../../../src/model/mechanisms';
import type { RealBounds } from '../../../src/privacy/real-bounds';
import { clickChoice } from '../../../src/attribution/credit';
import {
  exponentialMechanismProbabilities,
  permuteAndFlipProbabilities,
  utilityBound,
} from '../../../src/attribution/private-choice';
import { touchWeights } from '../../../src/attribution/touch-weights';

/** What a model sees of a source: its priority, and how many milliseconds before the conversion it was registered. */
export interface Candidate {
  readonly age: number;
  readonly priority: bigint;
}

/** Each candidate's share of the credit, or probability of all of it; they sum to 1. @param candidates oldest first, not empty */
export function creditShares(model: AttributionModel, candidates: readonly Candidate[]): readonly number[] {
  const ages = candidates.map(({ age }) => Math.max(0, age));
  switch (model.kind) {
    case 'priority':
      return all(candidates, bestByPriority(candidates));
    case 'last-touch':
      return all(candidates, candidates.length - 1);
    case 'first-touch':
      return all(candidates, 0);
    case 'linear':
    case 'position-based':
    case 'time-decay':
      return normalised(touchWeights(model, ages).map(asNumber));
    case 'exponential':
      return exponentialMechanismProbabilities(clickChoice(model, ages)).map(asNumber);
    case 'permute-and-flip':
      return permuteAndFlipProbabilities(clickChoice(model, ages)).map(asNumber);
  }
}

const all = (candidates: readonly unknown[], chosen: number): number[] =>
  candidates.map((_, index) => (index === chosen ? 1 : 0));

/** The last candidate with the highest priority. */
const bestByPriority = (candidates: readonly Candidate[]): number =>
  candidates.reduce(
    (best, { priority }, index) => (priority >= (candidates[best]?.priority ?? priority) ? index : best),
    0,
  );

function normalised(weights: readonly number[]): readonly number[] {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => weight / total);
}

const BITS = 60;
const asNumber = (probability: RealBounds): number => Number(probability(BITS).lower) / 2 ** BITS;

/** With at least `probability`, the chosen click is at most `within` older than the last one; null: no promise. */
export interface UtilityPromise {
  readonly clicks: number;
  readonly probability: number;
  /** In the unit of the model. */
  readonly within: number | null;
}

/**
 * What the utility theorem promises of a private model, P[s < s_max − 2Δ·(ln n + k)/ε] ≤ e^−k, in units of time. For non-linear
 * scores it assumes that the last click is as near to the conversion as possible.
 */
export function utilityPromises(
  model: PrivateModel,
  clickCounts: readonly number[],
  ks: readonly number[],
): readonly UtilityPromise[] {
  return clickCounts.flatMap((clicks) =>
    ks.map((k) => {
      const { loss, probabilityOfMore } = utilityBound(clicks, sensitivityOf(model), model.epsilon, k);
      return { clicks, probability: 1 - probabilityOfMore, within: timeOfLoss(model, loss) };
    }),
  );
}

/** Δ of the score with the conversion at time 0; see click-scores.ts. */
function sensitivityOf({ score, tau, gap }: PrivateModel): number {
  switch (score) {
    case 'linear':
      return tau;
    case 'exponential':
      return Math.expm1(tau);
    case 'reciprocal':
      return 1 / ((gap ?? Infinity) - tau) - 1 / (gap ?? Infinity);
  }
}

/** How much older than the last click one is whose score is lower by `loss`. */
function timeOfLoss({ score, gap }: PrivateModel, loss: number): number | null {
  switch (score) {
    case 'linear':
      return loss;
    case 'exponential':
      return loss < 1 ? -Math.log1p(-loss) : null;
    case 'reciprocal': {
      const left = 1 / (gap ?? Infinity) - loss;
      return left > 0 ? 1 / left - (gap ?? 0) : null;
    }
  }
}
