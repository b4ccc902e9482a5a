/** Sources for which a model predicts the same rate. */
export interface Predicted {
  readonly sources: number;
  /** Their conversions. */
  readonly truth: number;
  /** The log odds of a conversion, because rates near 1 would be rounded to it. */
  readonly odds: number;
}

export const oddsOf = (rate: number): number => Math.log(rate / (1 - rate));

/** log(1 + eˣ), for any x. */
export const softplus = (x: number): number => Math.max(x, 0) + Math.log1p(Math.exp(-Math.abs(x)));

/** The mean over sources of −ln of the probability of what happened, in nats. */
export function logLoss(predicted: readonly Predicted[]): number {
  const sources = predicted.reduce((sum, group) => sum + group.sources, 0);
  const loss = predicted.reduce((sum, group) => {
    const converted = convertedOf(group);
    return sum + converted * softplus(-group.odds) + (group.sources - converted) * softplus(group.odds);
  }, 0);
  return loss / sources;
}

/** A source that converts twice counts once. */
const convertedOf = ({ truth, sources }: Predicted): number => Math.min(truth, sources);

/** Odds that differ by less are the same, but rounded. */
export const ROUNDING = 1e-9;

/** The probability that a source that converted has higher odds than one that did not; equal odds count half. */
export function areaUnderCurve(predicted: readonly Predicted[]): number {
  const ascending = [...predicted].sort((a, b) => a.odds - b.odds);
  const converted = ascending.reduce((sum, group) => sum + convertedOf(group), 0);
  const others = ascending.reduce((sum, group) => sum + group.sources, 0) - converted;
  let [below, right] = [0, 0];
  for (let from = 0; from < ascending.length;) {
    let [equalConverted, equalOthers] = [0, 0];
    const first = ascending[from]?.odds ?? NaN;
    for (; from < ascending.length; from++) {
      const group = ascending[from];
      if (group === undefined || group.odds - first > ROUNDING) break;
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
  predicted.reduce((sum, { sources, odds }) => sum + sources / (1 + Math.exp(-odds)), 0) /
  predicted.reduce((sum, group) => sum + convertedOf(group), 0);

/** How far a loss is above another, in percent of that. */
export const excess = (loss: number, least: number): number => (100 * (loss - least)) / least;
