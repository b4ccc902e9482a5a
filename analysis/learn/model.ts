import type { Examples } from './examples';
import type { Dropout } from './dense-layer';

/** Rows of parameters, of which an example uses one for a feature that it has: an embedding, or a weight of logistic regression. */
export interface Table {
  /** Where it begins in the parameters. */
  readonly from: number;
  readonly rows: number;
  /** Parameters of a row. */
  readonly width: number;
}

/**
 * A model with one output per example. Use it in this order: `forward`, `backward`, then `squaredNorms` or `accumulate`. Gradients of single
 * examples are never stored.
 */
export interface Model {
  readonly parameters: Float32Array;
  readonly tables: readonly Table[];
  /** How many rows of tables an example uses at most. */
  readonly features: number;
  /** Visits each row that each of the last examples uses: where it begins in the parameters. */
  eachRow(visit: (place: number) => void): void;
  /** From the next `forward` on, hidden units are left out at random; null: none. Missing where there are no hidden units. */
  drop?(dropout: Dropout | null): void;
  /** Writes the outputs of these rows. */
  forward(examples: Examples, rows: Int32Array, outputs: Float32Array): void;
  /** Propagates the slope of the loss at each output of the last `forward`. */
  backward(slopes: Float32Array): void;
  /** Writes the squared length of the gradient of each example, all parameters together. */
  squaredNorms(norms: Float64Array): void;
  /** Adds the sum over examples of factor · gradient; with null, all factors are 1. */
  accumulate(factors: Float32Array | null, gradient: Float32Array): void;
}
