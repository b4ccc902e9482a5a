import { lossOf, meanOf } from './loss';

/** How well outputs predict conversions. */
export interface ConversionMetrics {
  /** The probability that a random conversion is ranked above a random other example; ties count half. */
  readonly auc: number;
  /** Mean cross entropy in nats. */
  readonly logLoss: number;
  /** Cross entropy over that of always predicting the mean label. */
  readonly normalisedEntropy: number;
  /** Predicted conversions over true ones; 1 is best. */
  readonly calibration: number;
}

/** @throws RangeError unless there are labels of both kinds. */
export function conversionMetrics(outputs: Float32Array, labels: Float32Array): ConversionMetrics {
  const count = labels.length;
  let [positives, predicted, entropy] = [0, 0, 0];
  labels.forEach((label, row) => {
    const output = outputs[row] ?? 0;
    positives += label;
    predicted += meanOf('cross-entropy', output);
    entropy += lossOf('cross-entropy', output, label);
  });
  if (positives === 0 || positives === count)
    throw new RangeError(`labels must be of both kinds, ${positives} of ${count} are conversions`);
  const rate = positives / count;
  const ofMean = -rate * Math.log(rate) - (1 - rate) * Math.log(1 - rate);
  return {
    auc: areaUnderCurve(outputs, labels),
    logLoss: entropy / count,
    normalisedEntropy: entropy / count / ofMean,
    calibration: predicted / positives,
  };
}

/**
 * The area under the ROC curve from the ranks of the conversions (Mann and Whitney's U); equal outputs share their mean rank.
 * @param labels 0 or 1, of both kinds.
 */
export function areaUnderCurve(outputs: Float32Array, labels: Float32Array): number {
  const positives = labels.reduce((sum, label) => sum + label, 0);
  const order = Int32Array.from(outputs, (_, row) => row).sort(
    (a, b) => (outputs[a] ?? 0) - (outputs[b] ?? 0),
  );
  let ranks = 0;
  for (let start = 0; start < order.length;) {
    let end = start;
    let ofLabel = 0;
    while (end < order.length && outputs[order[end] ?? 0] === outputs[order[start] ?? 0])
      ofLabel += labels[order[end++] ?? 0] ?? 0;
    ranks += (ofLabel * (start + end + 1)) / 2;
    start = end;
  }
  return (ranks - (positives * (positives + 1)) / 2) / (positives * (labels.length - positives));
}

/** How much 1 − AUC grew over the baseline's, in percent of the baseline's. */
export const relativeAucLoss = (auc: number, baseline: number): number =>
  (100 * (baseline - auc)) / (1 - baseline);

export interface MeanWithError {
  readonly mean: number;
  /** The standard error of the mean; NaN for one value. */
  readonly error: number;
}

export function meanWithError(values: readonly number[]): MeanWithError {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { mean, error: Math.sqrt(squares / (values.length - 1) / values.length) };
}
