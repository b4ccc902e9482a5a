import type { Examples } from './examples';
import type { Model } from './model';
import {
  noiseDeviation,
  privateSteps,
  type GradientNoise,
  type PrivateBudget,
  type PrivateTrainingSettings,
  type StepsDone,
} from './private-train';
import { lossOfMember, type PrivacyAccountant } from './privacy-accountant';
import type { RandomNumbers } from './random-numbers';
import { splitNoise } from './row-selection';
import { stepsOf, train, type SlopeOf, type TrainingSettings } from './train';

/** What computes the steps of training; it changes the parameters of the model. */
export interface Engine {
  /** @param slopeOf by default that of the loss. */
  train(
    model: Model,
    examples: Examples,
    settings: TrainingSettings,
    random: RandomNumbers,
    slopeOf?: SlopeOf,
  ): void;
  privateSteps(
    model: Model,
    examples: Examples,
    settings: PrivateTrainingSettings,
    noise: GradientNoise,
    random: RandomNumbers,
  ): StepsDone;
}

/** In this process, on one thread. */
export const builtIn: Engine = { train, privateSteps };

/**
 * Trains with noisy gradients. Enters the loss in the accountant. Neighbours differ in one example that is replaced by another.
 * @returns the share of the parameters that a step gives noise.
 * @throws PrivacyError when the steps were not what the loss was computed for, or exceed the budget.
 */
export function trainPrivately(
  engine: Engine,
  model: Model,
  examples: Examples,
  settings: PrivateTrainingSettings,
  { epsilon, delta, examplesPerUnit }: PrivateBudget,
  random: RandomNumbers,
  accountant: PrivacyAccountant,
): number {
  const steps = stepsOf(examples.count, settings);
  const rate = Math.min(1, settings.batch / examples.count);
  const isDrawn = settings.sampling === 'replacement' && examples.count > 1;
  const draws = isDrawn ? Math.min(settings.batch, examples.count) : null;
  const deviation = noiseDeviation(rate, steps, lossOfMember(epsilon, delta, examplesPerUnit), draws);
  accountant.spend({ what: 'gradients', epsilon, delta });
  const { threshold } = settings;
  const split = splitNoise(deviation);
  const noise =
    threshold === 0
      ? { deviation, selection: null }
      : { deviation: split.gradients, selection: { threshold, deviation: split.counts } };
  const done = engine.privateSteps(model, examples, settings, { rate, draws, steps, ...noise }, random);
  if (Number.isNaN(done.longest))
    throw new RangeError('training diverged: a gradient has no length; try a smaller rate');
  accountant.check({ rate, steps, examples: examples.count, clip: settings.clip, ...done });
  return done.noisyShare;
}
