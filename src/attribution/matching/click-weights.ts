import type { PrivateModel } from '../../model/mechanisms';
import { gapParameter, positive } from '../../privacy/parameters';
import { Rational } from '../../privacy/rational';
import { MAX_EXPIRY } from '../../registration/source';
import { reciprocalSensitivity } from '../click-scores';
import { timeBefore } from '../credit';

/** A private model with rational scores, as the weights of a matching must be. */
export interface MatchingModel extends PrivateModel {
  readonly score: 'linear' | 'reciprocal';
}

/** The score of a click `age` milliseconds before a conversion, at least 0. Linear: the time left until it can get no credit. */
export function clickWeight(model: MatchingModel, age: number): Rational {
  const before = timeBefore(model, age);
  return model.score === 'linear' ? timeBefore(model, MAX_EXPIRY).minus(before) : Rational.ONE.over(before);
}

/** Δ: by how much at most moving a click by τ changes its weight for each conversion. */
export function weightSensitivity({ score, tau, gap }: MatchingModel): Rational {
  const moved = positive('tau', tau);
  return score === 'linear' ? moved : reciprocalSensitivity(gapParameter(gap ?? undefined, moved), moved);
}
