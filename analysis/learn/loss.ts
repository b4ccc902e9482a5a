import { logistic } from '../estimate/intervals/logistic';

/**
 * Losses of a model's output z and a label y. Each is convex with the gradient mean(z) − y, which is linear in y: the weighted mean of the
 * losses of several labels, as de-biasing takes it, is the loss of their weighted mean (up to a constant). So a de-biased label is a number,
 * and no loss needs a second form.
 */
export type LossKind = 'cross-entropy' | 'squared' | 'poisson';

/** The mean that an output predicts: a probability, a number, or a count. */
export function meanOf(loss: LossKind, output: number): number {
  switch (loss) {
    case 'cross-entropy':
      return logistic(output);
    case 'squared':
      return output;
    case 'poisson':
      // Beyond this, a step would leave the range of single precision.
      return Math.exp(Math.min(output, 30));
  }
}

/** ln(1 + e^z) − y·z; ½(z − y)²; e^z − y·z. */
export function lossOf(loss: LossKind, output: number, label: number): number {
  switch (loss) {
    case 'cross-entropy':
      return Math.max(output, 0) + Math.log1p(Math.exp(-Math.abs(output))) - label * output;
    case 'squared':
      return (output - label) ** 2 / 2;
    case 'poisson':
      return meanOf('poisson', output) - label * output;
  }
}
