import type { ExampleFields, Examples } from './examples';
import { LogisticModel } from './logistic-model';
import type { Model } from './model';
import { DEFAULT_SIZE, NetworkModel, type NetworkSize } from './network-model';
import type { RandomNumbers } from './random-numbers';

/** Logistic regression (or linear, or log-linear: the loss decides), or a network with embeddings and hidden layers. */
export type ModelKind = 'logistic' | 'network';

/** @param size of a network. */
export function newModel(
  kind: ModelKind,
  fields: ExampleFields,
  random: RandomNumbers,
  size: NetworkSize = DEFAULT_SIZE,
): Model {
  return kind === 'logistic' ? new LogisticModel(fields) : new NetworkModel(fields, random, size);
}

const ROWS_AT_A_TIME = 1024;

/** The outputs of all examples. */
export function predict(model: Model, examples: Examples): Float32Array {
  const outputs = new Float32Array(examples.count);
  for (let from = 0; from < examples.count; from += ROWS_AT_A_TIME) {
    const count = Math.min(ROWS_AT_A_TIME, examples.count - from);
    const rows = Int32Array.from({ length: count }, (_, index) => from + index);
    model.forward(examples, rows, outputs.subarray(from, from + count));
  }
  return outputs;
}
