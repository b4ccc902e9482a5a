import type { PrivateModel } from '../../src/model/mechanisms';
import { gapParameter, positive } from '../../src/privacy/parameters';
import { Rational } from '../../src/privacy/rational';
import { MAX_EXPIRY } from '../../src/model/registration';
import { reciprocalSensitivity } from '../../src/attribution/click-scores';
import { timeBefore } from '../../src/attribution/credit';

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
