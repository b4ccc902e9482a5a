/** Sources for which a model predicts the same rate. */
export interface Predicted {
  readonly sources: number;
  /** Their conversions. */
  readonly truth: number;
  /** Above 0, below 1. */
  readonly rate: number;
}

/** The mean over sources of −ln of the probability of what happened, in nats. */
export function logLoss(predicted: readonly Predicted[]): number {
  const sources = predicted.reduce((sum, group) => sum + group.sources, 0);
  const loss = predicted.reduce((sum, group) => {
    const converted = convertedOf(group);
    return sum - converted * Math.log(group.rate) - (group.sources - converted) * Math.log1p(-group.rate);
  }, 0);
  return loss / sources;
}

/** A source that converts twice counts once. */
const convertedOf = ({ truth, sources }: Predicted): number => Math.min(truth, sources);

/** The probability that a source that converted has a higher rate than one that did not; equal rates count half. */
export function areaUnderCurve(predicted: readonly Predicted[]): number {
  const ascending = [...predicted].sort((a, b) => a.rate - b.rate);
  const converted = ascending.reduce((sum, group) => sum + convertedOf(group), 0);
  const others = ascending.reduce((sum, group) => sum + group.sources, 0) - converted;
  let [below, right] = [0, 0];
  for (let from = 0; from < ascending.length;) {
    let [equalConverted, equalOthers] = [0, 0];
    const rate = ascending[from]?.rate;
    for (; from < ascending.length && ascending[from]?.rate === rate; from++) {
      const group = ascending[from];
      if (group === undefined) continue;
      equalConverted += convertedOf(group);
      equalOthers += group.sources - convertedOf(group);
    }
    right += equalConverted * (below + equalOthers / 2);
    below += equalOthers;
  }
  return right / (converted * others);
}

/** Predicted conversions over true ones. */
export const calibration = (predicted: readonly Predicted[]): number =>
  predicted.reduce((sum, { sources, rate }) => sum + rate * sources, 0) /
  predicted.reduce((sum, group) => sum + convertedOf(group), 0);

/** How far a loss is above another, in percent of that. */
export const excess = (loss: number, least: number): number => (100 * (loss - least)) / least;
