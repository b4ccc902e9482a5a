import type { Examples } from './examples';
import type { Model } from './model';
import { cosineDecay, optimiser } from './optimiser';
import { shortNumber } from '../optimize/short-number';
import { privacyLossEpsilon } from './privacy-loss-distribution';
import type { RandomNumbers } from './random-numbers';
import { RowSelection, type Selection } from './row-selection';
import { slopesOf, withDropout, type TrainingSettings } from './train';

/** Which examples a step takes: each with the same probability, or as many draws of any example as the batch says. */
export type Sampling = 'poisson' | 'replacement';

export interface PrivateTrainingSettings extends TrainingSettings {
  readonly sampling: Sampling;
  /** Rows of tables that fewer examples of a step use are left out of it, by a noisy count; 0: none. */
  readonly threshold: number;
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

/** What the privacy of training depends on. */
export interface GradientNoise {
  /** How often a step takes an example, on average. */
  readonly rate: number;
  /** Of a step, with replacement; null: each example is taken with probability `rate`. */
  readonly draws: number | null;
  readonly steps: number;
  /** The noise's standard deviation over the clipping length. */
  readonly deviation: number;
  /** Null: all parameters get noise. */
  readonly selection: Selection | null;
}

/** What steps did, for the accountant. */
export interface StepsDone {
  /** How many examples all steps took together. */
  readonly taken: number;
  /** The greatest length of a gradient after clipping. */
  readonly longest: number;
  /** The share of the parameters that a step changes and gives noise, on average. */
  readonly noisyShare: number;
}

/**
 * DP-SGD (Abadi et al. 2016): each step takes examples at random, clips the gradient of each, and adds Gaussian noise to
 * the sum.
 */
export function privateSteps(
  model: Model,
  examples: Examples,
  settings: PrivateTrainingSettings,
  { rate, draws, steps, deviation, selection }: GradientNoise,
  random: RandomNumbers,
): StepsDone {
  const rowSelection = selection === null ? null : new RowSelection(model, selection, random);
  const noisySum = new NoisySum(model, settings.clip, deviation, random, rowSelection);
  const step = optimiser(settings.optimiser, model.parameters);
  let taken = 0;
  withDropout(model, settings, random, () => {
    for (let index = 0; index < steps; index++) {
      const rows =
        draws === null
          ? sampledRows(examples.count, rate, random)
          : Int32Array.from({ length: draws }, () => random.below(examples.count));
      taken += rows.length;
      model.backward(slopesOf(model, examples, rows, settings.loss));
      const gradient = noisySum.next(rows.length);
      const scale = 1 / (rate * examples.count);
      for (let i = 0; i < gradient.length; i++) gradient[i] = (gradient[i] ?? 0) * scale;
      step(gradient, cosineDecay(settings.rate, index, steps));
    }
  });
  return { taken, longest: noisySum.longest, noisyShare: noisySum.noisy / (steps * model.parameters.length) };
}

/** The noisy sums of the clipped gradients of a model's last rows. */
export class NoisySum {
  /** The greatest length after clipping so far. */
  longest = 0;
  /** How many parameters all sums together gave noise. */
  noisy = 0;
  private readonly gradient: Float32Array;
  private norms = new Float64Array();
  private factors = new Float32Array();

  /** @param deviation the noise's standard deviation over the clipping length; 0 for none. */
  constructor(
    private readonly model: Model,
    private readonly clip: number,
    private readonly deviation: number,
    private readonly random: RandomNumbers,
    private readonly selection: RowSelection | null = null,
  ) {
    this.gradient = new Float32Array(model.parameters.length);
  }

  /** @returns the noisy sum over the rows of the model's last `backward`; the next call overwrites it. */
  next(rows: number): Float32Array {
    const { model, gradient, clip, deviation } = this;
    this.clipTo(rows);
    gradient.fill(0);
    model.accumulate(this.factors, gradient);
    const left = this.selection?.leftOut() ?? null;
    this.noisy += gradient.length;
    if (left !== null)
      for (let i = 0; i < gradient.length; i++)
        if (left[i] === 1) {
          gradient[i] = 0;
          this.noisy -= 1;
        }
    if (deviation === 0) return gradient;
    const spread = deviation * clip;
    const grid = spread * GRID;
    for (let i = 0; i < gradient.length; i++)
      if (left?.[i] !== 1)
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
/** Gradients would be nothing beside it. */
const MOST_DEVIATION = 2 ** 32;

/**
 * The least noise, over the clipping length, with which the steps stay within (ε, δ); at most 0.4 % too much.
 * @throws RangeError if there is none, as for a δ below what the bound on the loss leaves out.
 */
export function noiseDeviation(
  rate: number,
  steps: number,
  { epsilon, delta }: { readonly epsilon: number; readonly delta: number },
  draws: number | null = null,
): number {
  if (!(epsilon > 0)) throw new RangeError(`noiseDeviation: ε must be above 0; it is ${epsilon}`);
  const fits = (deviation: number): boolean =>
    privacyLossEpsilon(rate, deviation, steps, delta, draws) <= epsilon;
  let high = 1;
  while (!fits(high)) {
    high *= 2;
    if (high > MOST_DEVIATION)
      throw new RangeError(
        `no noise keeps an example within ε = ${shortNumber(epsilon)}, δ = ${shortNumber(delta)}: choose a greater delta, fewer epochs, or, if units have several examples, a lower cap or ε`,
      );
  }
  let low = high / 2;
  while (low > 0.05 && fits(low)) [high, low] = [low, low / 2];
  while (high / low > 1 + PRECISION) {
    const middle = Math.sqrt(high * low);
    if (fits(middle)) high = middle;
    else low = middle;
  }
  return high;
}
