import type { ExampleFields, Examples } from './examples';
import { LogisticModel } from './logistic-model';
import type { Model } from './model';
import { NetworkModel } from './network-model';
import type { RandomNumbers } from './random-numbers';

/** Logistic regression (or linear, or log-linear: the loss decides), or embeddings of 8 numbers with hidden layers of 128 and 64. */
export type ModelKind = 'logistic' | 'network';

export function newModel(kind: ModelKind, fields: ExampleFields, random: RandomNumbers): Model {
  return kind === 'logistic' ? new LogisticModel(fields) : new NetworkModel(fields, random);
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
