import type { PrivateModel } from '../../../src/model/mechanisms';
import { utilityBound } from '../../../analysis/credits/click-odds';

/** With at least `probability`, the chosen click is at most `within` older than the last one; null: no promise. */
export interface UtilityPromise {
  readonly clicks: number;
  readonly probability: number;
  /** In the unit of the model. */
  readonly within: number | null;
}

/**
 * What the utility theorem promises of a private model, P[s < s_max − 2Δ·(ln n + k)/ε] ≤ e^−k, in units of time. For non-linear
 * scores it assumes that the last click is as near to the conversion as possible.
 */
export function utilityPromises(
  model: PrivateModel,
  clickCounts: readonly number[],
  ks: readonly number[],
): readonly UtilityPromise[] {
  return clickCounts.flatMap((clicks) =>
    ks.map((k) => {
      const { loss, probabilityOfMore } = utilityBound(clicks, sensitivityOf(model), model.epsilon, k);
      return { clicks, probability: 1 - probabilityOfMore, within: timeOfLoss(model, loss) };
    }),
  );
}

/** Δ of the score with the conversion at time 0; see click-scores.ts. */
function sensitivityOf({ score, tau, gap }: PrivateModel): number {
  switch (score) {
    case 'linear':
      return tau;
    case 'exponential':
      return Math.expm1(tau);
    case 'reciprocal':
      return 1 / ((gap ?? Infinity) - tau) - 1 / (gap ?? Infinity);
  }
}

/** How much older than the last click one is whose score is lower by `loss`. */
function timeOfLoss({ score, gap }: PrivateModel, loss: number): number | null {
  switch (score) {
    case 'linear':
      return loss;
    case 'exponential':
      return loss < 1 ? -Math.log1p(-loss) : null;
    case 'reciprocal': {
      const left = 1 / (gap ?? Infinity) - loss;
      return left > 0 ? 1 / left - (gap ?? 0) : null;
    }
  }
}
