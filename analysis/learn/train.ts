import type { Examples } from './examples';
import { meanOf, type LossKind } from './loss';
import type { Model } from './model';
import { cosineDecay, optimiser, type OptimiserKind } from './optimiser';
import type { RandomNumbers } from './random-numbers';

export interface TrainingSettings {
  readonly loss: LossKind;
  readonly optimiser: OptimiserKind;
  /** The first learning rate; it falls to 0 along half a cosine. */
  readonly rate: number;
  /** Examples per step. */
  readonly batch: number;
  /** How often each example is used. */
  readonly epochs: number;
  /** So many steps, however many examples there are; then `epochs` does not matter. */
  readonly steps?: number;
  /** The probability with which a hidden unit of a network is left out. */
  readonly dropout: number;
}

export const stepsOf = (count: number, { batch, epochs, steps }: TrainingSettings): number =>
  steps ?? Math.max(1, Math.ceil((count * epochs) / batch));

/** The slope of an example's loss at the model's output, given its label. */
export type SlopeOf = (loss: LossKind, output: number, label: number) => number;

/** mean − label. */
const slopeOfLoss: SlopeOf = (loss, output, label) => meanOf(loss, output) - label;

/** Trains on shuffled batches, without privacy beyond that of the labels. */
export function train(
  model: Model,
  examples: Examples,
  settings: TrainingSettings,
  random: RandomNumbers,
  slopeOf: SlopeOf = slopeOfLoss,
): void {
  const gradient = new Float32Array(model.parameters.length);
  const step = optimiser(settings.optimiser, model.parameters);
  const steps = stepsOf(examples.count, settings);
  const batches = shuffledBatches(examples.count, settings.batch, random);
  withDropout(model, settings, random, () => {
    for (let taken = 0; taken < steps; taken++) {
      const rows = batches();
      gradient.fill(0);
      model.backward(meanSlopes(model, examples, rows, settings.loss, slopeOf));
      model.accumulate(null, gradient);
      step(gradient, cosineDecay(settings.rate, taken, steps));
    }
  });
}

/** Leaves units out while it trains, and none afterwards. */
export function withDropout(
  model: Model,
  { dropout: share }: Pick<TrainingSettings, 'dropout'>,
  random: RandomNumbers,
  work: () => void,
): void {
  model.drop?.(share === 0 ? null : { share, random });
  work();
  model.drop?.(null);
}

/** The slope of the mean loss at each output of these rows, (mean − label)/rows; runs the model forward. */
export function meanSlopes(
  model: Model,
  examples: Examples,
  rows: Int32Array,
  loss: LossKind,
  slopeOf: SlopeOf = slopeOfLoss,
): Float32Array {
  const slopes = slopesOf(model, examples, rows, loss, slopeOf);
  for (let index = 0; index < rows.length; index++) slopes[index] = (slopes[index] ?? 0) / rows.length;
  return slopes;
}

/** The slope of each row's own loss at its output, mean − label; runs the model forward. */
export function slopesOf(
  model: Model,
  examples: Examples,
  rows: Int32Array,
  loss: LossKind,
  slopeOf: SlopeOf = slopeOfLoss,
): Float32Array {
  const slopes = new Float32Array(rows.length);
  model.forward(examples, rows, slopes);
  for (let index = 0; index < rows.length; index++)
    slopes[index] = slopeOf(loss, slopes[index] ?? 0, examples.labels[rows[index] ?? 0] ?? 0);
  return slopes;
}

/** Batches that go through all rows in a random order, and then again in another. The last batch of a round can be smaller. */
function shuffledBatches(count: number, batch: number, random: RandomNumbers): () => Int32Array {
  let order: Int32Array = new Int32Array();
  let from = 0;
  return () => {
    if (from >= order.length) {
      order = random.order(count);
      from = 0;
    }
    return order.subarray(from, (from += batch));
  };
}
