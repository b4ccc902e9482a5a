import type { Examples } from './examples';
import { lossOfMember, type PrivacyAccountant } from './privacy-accountant';
import type { Model } from './model';
import { cosineDecay, optimiser } from './optimiser';
import { privacyLossEpsilon } from './privacy-loss-distribution';
import type { RandomNumbers } from './random-numbers';
import { slopesOf, stepsOf, type TrainingSettings } from './train';

export interface PrivateTrainingSettings extends TrainingSettings {
  /** The length to which the gradient of each example is clipped. */
  readonly clip: number;
}

/** What a unit may lose, and how many examples it has at most. */
export interface PrivateBudget {
  readonly epsilon: number;
  readonly delta: number;
  readonly examplesPerUnit: number;
}

/** Room for rounding: sums in single precision must not exceed the clipping length. */
const CLIP_MARGIN = 1 - 2 ** -16;

/** Noisy sums are rounded to multiples of the noise's standard deviation times this. */
const GRID = 2 ** -16;

/**
 * DP-SGD (Abadi et al. 2016): each step takes every example with the same probability, clips the gradient of each, and adds Gaussian noise to
 * the sum. Enters its loss in the accountant. Neighbours differ in one example that is replaced by
 * another.
 * @throws PrivacyError when the steps were not what the loss was computed for, or exceed the budget.
 */
export function trainPrivately(
  model: Model,
  examples: Examples,
  settings: PrivateTrainingSettings,
  { epsilon, delta, examplesPerUnit }: PrivateBudget,
  random: RandomNumbers,
  accountant: PrivacyAccountant,
): void {
  const steps = stepsOf(examples.count, settings);
  const rate = Math.min(1, settings.batch / examples.count);
  const deviation = noiseDeviation(rate, steps, lossOfMember(epsilon, delta, examplesPerUnit));
  accountant.spend({ what: 'gradients', epsilon, delta });
  const noisySum = new NoisySum(model, settings.clip, deviation, random);
  const step = optimiser(settings.optimiser, model.parameters);
  let taken = 0;
  for (let index = 0; index < steps; index++) {
    const rows = sampledRows(examples.count, rate, random);
    taken += rows.length;
    model.backward(slopesOf(model, examples, rows, settings.loss));
    const gradient = noisySum.next(rows.length);
    const scale = 1 / (rate * examples.count);
    for (let i = 0; i < gradient.length; i++) gradient[i] = (gradient[i] ?? 0) * scale;
    step(gradient, cosineDecay(settings.rate, index, steps));
  }
  const { longest } = noisySum;
  accountant.check({ rate, steps, examples: examples.count, taken, clip: settings.clip, longest });
}

/** The noisy sums of the clipped gradients of a model's last rows. */
export class NoisySum {
  /** The greatest length after clipping so far. */
  longest = 0;
  private readonly gradient: Float32Array;
  private norms = new Float64Array();
  private factors = new Float32Array();

  /** @param deviation the noise's standard deviation over the clipping length; 0 for none. */
  constructor(
    private readonly model: Model,
    private readonly clip: number,
    private readonly deviation: number,
    private readonly random: RandomNumbers,
  ) {
    this.gradient = new Float32Array(model.parameters.length);
  }

  /** @returns the noisy sum over the rows of the model's last `backward`; the next call overwrites it. */
  next(rows: number): Float32Array {
    const { model, gradient, clip, deviation } = this;
    this.clipTo(rows);
    gradient.fill(0);
    model.accumulate(this.factors, gradient);
    if (deviation === 0) return gradient;
    const spread = deviation * clip;
    const grid = spread * GRID;
    for (let i = 0; i < gradient.length; i++)
      gradient[i] = grid * Math.round(((gradient[i] ?? 0) + spread * this.random.normal()) / grid);
    return gradient;
  }

  private clipTo(rows: number): void {
    if (this.norms.length < rows) {
      this.norms = new Float64Array(rows);
      this.factors = new Float32Array(rows);
    }
    this.model.squaredNorms(this.norms);
    for (let index = 0; index < rows; index++) {
      const length = Math.sqrt(this.norms[index] ?? 0);
      const factor = Math.min(1, (this.clip * CLIP_MARGIN) / length);
      this.factors[index] = factor;
      this.longest = Math.max(this.longest, length * (this.factors[index] ?? 0));
    }
  }
}

/** Takes each row with probability `rate`, by the geometric gaps between those taken. */
function sampledRows(count: number, rate: number, random: RandomNumbers): Int32Array {
  if (rate === 1) return Int32Array.from({ length: count }, (_, row) => row);
  const scale = 1 / Math.log1p(-rate);
  const rows: number[] = [];
  const gap = (): number => Math.floor(Math.log(1 - random.uniform()) * scale);
  for (let row = gap(); row < count; row += 1 + gap()) rows.push(row);
  return Int32Array.from(rows);
}

const PRECISION = 4e-3;

/** The least noise, over the clipping length, with which the steps stay within (ε, δ); at most 0.4 % too much. */
export function noiseDeviation(
  rate: number,
  steps: number,
  { epsilon, delta }: { readonly epsilon: number; readonly delta: number },
): number {
  const fits = (deviation: number): boolean => privacyLossEpsilon(rate, deviation, steps, delta) <= epsilon;
  let high = 1;
  while (!fits(high)) high *= 2;
  let low = high / 2;
  while (low > 0.05 && fits(low)) [high, low] = [low, low / 2];
  while (high / low > 1 + PRECISION) {
    const middle = Math.sqrt(high * low);
    if (fits(middle)) high = middle;
    else low = middle;
  }
  return high;
}
