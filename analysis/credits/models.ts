import { clickChoice } from '../../src/attribution/credit';
import { exponentialMechanismProbabilities, permuteAndFlipProbabilities } from './click-odds';
import { touchWeights } from '../../src/attribution/touch-weights';
import type { AttributionModel, PrivateModel } from '../../src/model/mechanisms';
import { epsilon } from '../../src/model/units';
import type { RealBounds } from '../../src/privacy/real-bounds';

/** Used if the settings choose no private model. */
const examplePrivateModel: PrivateModel = {
  kind: 'exponential',
  epsilon: epsilon(1),
  score: 'linear',
  unit: 'hours',
  tau: 1,
  gap: null,
};

/** All models. Private ones get the parameters of `chosen` if it is private. */
export function modelsBeside(chosen: AttributionModel): readonly AttributionModel[] {
  const parameters = isPrivate(chosen) ? chosen : examplePrivateModel;
  const halfLife = chosen.kind === 'time-decay' ? chosen.halfLife : 7 * 24 * 3600;
  const models: { readonly [Kind in AttributionModel['kind']]: AttributionModel & { readonly kind: Kind } } =
    {
      priority: { kind: 'priority' },
      'last-touch': { kind: 'last-touch' },
      'first-touch': { kind: 'first-touch' },
      linear: { kind: 'linear', credit: 'draw' },
      'position-based': { kind: 'position-based', credit: 'draw' },
      'time-decay': { kind: 'time-decay', credit: 'draw', halfLife },
      exponential: { ...parameters, kind: 'exponential' },
      'permute-and-flip': { ...parameters, kind: 'permute-and-flip' },
    };
  return Object.values(models);
}

export const isPrivate = (model: AttributionModel): model is PrivateModel =>
  model.kind === 'exponential' || model.kind === 'permute-and-flip';

/** What a model knows about a source: its priority, and how many milliseconds before the conversion it was registered. */
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
