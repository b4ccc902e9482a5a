import { greatest } from '../../numeric/extremes';
interface BestGuess {
  /** The first of the likeliest. */
  readonly guess: number;
  /** Its probability. */
  readonly belief: number;
  /** The chance that a guess among all that are equally likely is `truth`. */
  readonly right: number;
}

/** Far more than rounding makes of equal weights. */
const TIE = 1e-12;

/** @param weights of the possible secrets, not all 0 */
export function bestGuess(weights: readonly number[], truth: number): BestGuess {
  const most = greatest(weights);
  const best = weights.flatMap((weight, secret) => (weight >= most * (1 - TIE) ? [secret] : []));
  return {
    guess: best[0] ?? 0,
    belief: most / weights.reduce((sum, weight) => sum + weight, 0),
    right: best.includes(truth) ? 1 / best.length : 0,
  };
}
