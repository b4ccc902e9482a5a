import { lossOf, meanOf, type LossKind } from './loss';

/** How well a model predicts labels of any kind. */
export interface Metrics {
  /** What losses are compared by: 1 − AUC for conversions, otherwise the squared error. */
  readonly error: number;
  /** The mean of (prediction − label)². */
  readonly squaredError: number;
  /** The sum of the predictions over that of the labels; 1 is best. */
  readonly calibration: number;
  /** The probability that a random conversion is ranked above a random other example; ties count half. Null unless labels are conversions. */
  readonly auc: number | null;
  /** Mean cross entropy in nats. Null unless labels are conversions. */
  readonly logLoss: number | null;
  /** Cross entropy over that of always predicting the mean label. Null unless labels are conversions. */
  readonly normalisedEntropy: number | null;
}

/**
 * @param outputs of the model, in units of `unit`.
 * @throws RangeError unless there are conversions and others; for numbers and values, unless some are above 0.
 */
export function metricsOf(
  loss: LossKind,
  outputs: Float32Array,
  labels: Float32Array,
  unit: number,
): Metrics {
  let [squares, predicted, total] = [0, 0, 0];
  labels.forEach((label, row) => {
    const prediction = unit * meanOf(loss, outputs[row] ?? 0);
    squares += (prediction - label) ** 2;
    predicted += prediction;
    total += label;
  });
  const isRanking = loss === 'cross-entropy';
  if (total === 0 || (isRanking && total === labels.length))
    throw new RangeError(
      isRanking
        ? `labels must be of both kinds, ${total} of ${labels.length} are conversions`
        : `labels must not all be 0, as these ${labels.length} are`,
    );
  const squaredError = squares / labels.length;
  const calibration = predicted / total;
  if (!isRanking)
    return {
      error: squaredError,
      squaredError,
      calibration,
      auc: null,
      logLoss: null,
      normalisedEntropy: null,
    };
  const auc = areaUnderCurve(outputs, labels);
  return {
    error: 1 - auc,
    squaredError,
    calibration,
    auc,
    ...entropies(outputs, labels, total / labels.length),
  };
}

function entropies(
  outputs: Float32Array,
  labels: Float32Array,
  rate: number,
): { readonly logLoss: number; readonly normalisedEntropy: number } {
  const entropy = outputs.reduce(
    (sum, output, row) => sum + lossOf('cross-entropy', output, labels[row] ?? 0),
    0,
  );
  const ofMean = -rate * Math.log(rate) - (1 - rate) * Math.log(1 - rate);
  const logLoss = entropy / labels.length;
  return { logLoss, normalisedEntropy: logLoss / ofMean };
}

/**
 * The area under the ROC curve from the ranks of the conversions (Mann and Whitney's U); equal outputs share their mean rank.
 * @param labels 0 or 1, of both kinds.
 */
function areaUnderCurve(outputs: Float32Array, labels: Float32Array): number {
  const positives = labels.reduce((sum, label) => sum + label, 0);
  // Without a comparison of ours, typed arrays are sorted in place.
  const all = outputs.slice().sort();
  const converted = outputs.filter((_, row) => (labels[row] ?? 0) > 0).sort();
  let ranks = 0;
  for (let start = 0, next = 0; start < all.length;) {
    const output = all[start];
    let end = start + 1;
    while (end < all.length && all[end] === output) end += 1;
    let ofLabel = 0;
    for (; next < converted.length && converted[next] === output; next++) ofLabel += 1;
    ranks += (ofLabel * (start + end + 1)) / 2;
    start = end;
  }
  return (ranks - (positives * (positives + 1)) / 2) / (positives * (labels.length - positives));
}

/** How much an error grew over the baseline's, in percent. Of 1 − AUC, this is the relative AUC loss. */
export const relativeLoss = (error: number, baseline: number): number =>
  (100 * (error - baseline)) / baseline;
