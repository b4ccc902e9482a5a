import type { PrivateModel } from '../../model/mechanisms';
import { gapParameter, positive } from '../../privacy/parameters';
import { Rational } from '../../privacy/rational';
import { MAX_EXPIRY } from '../../registration/source';
import { reciprocalSensitivity } from '../click-scores';
import { timeBefore } from '../credit';

/** A private model whose scores are fractions, as weights of a matching have to be. */
export interface MatchingModel extends PrivateModel {
  readonly score: 'linear' | 'reciprocal';
}

/**
 * The score of crediting a click with a conversion `age` milliseconds later; never below 0, so that a pair is no worse than none.
 * With the linear score it is what is left of the time in which a click can be credited at all.
 */
export function clickWeight(model: MatchingModel, age: number): Rational {
  const before = timeBefore(model, age);
  return model.score === 'linear' ? timeBefore(model, MAX_EXPIRY).minus(before) : Rational.ONE.over(before);
}

/** By how much moving a click by τ changes its weight for each conversion at most (Δ). */
export function weightSensitivity({ score, tau, gap }: MatchingModel): Rational {
  const moved = positive('tau', tau);
  return score === 'linear' ? moved : reciprocalSensitivity(gapParameter(gap ?? undefined, moved), moved);
}
