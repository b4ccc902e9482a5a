import type { Examples } from './examples';

/**
 * A model with one output per example. Use it in this order: `forward`, `backward`, then `squaredNorms` or `accumulate`. Gradients of single
 * examples are never stored.
 */
export interface Model {
  readonly parameters: Float32Array;
  /** Writes the outputs of these rows. */
  forward(examples: Examples, rows: Int32Array, outputs: Float32Array): void;
  /** Propagates the slope of the loss at each output of the last `forward`. */
  backward(slopes: Float32Array): void;
  /** Writes the squared length of the gradient of each example, all parameters together. */
  squaredNorms(norms: Float64Array): void;
  /** Adds the sum over examples of factor · gradient; with null, all factors are 1. */
  accumulate(factors: Float32Array | null, gradient: Float32Array): void;
}
