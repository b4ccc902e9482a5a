import { Rational } from './rational';
import { exponentialOfMinus, rationalBounds } from './real-bounds';

/* How privacy losses add up. A loss is the ε of an ε-private mechanism. Only advanced composition has a δ. */

/** The loss for `size` records of a mechanism with this loss for one (Dwork & Roth 2014, theorem 2.2). */
export const groupPrivacy = (loss: Rational, size: number): Rational => loss.times(Rational.of(BigInt(size)));

/** All that composition needs to know of some losses. */
export interface Losses {
  readonly sum: Rational;
  readonly squares: Rational;
}

/** Whether losses are together (ε, δ)-private by the basic theorem (Dwork & Roth 2014, 3.16) or, if δ > 0, the advanced one. */
export const areWithin = (losses: Losses, epsilon: Rational, delta: Rational): boolean =>
  losses.sum.compare(epsilon) <= 0n || areWithinAdvanced(losses, epsilon, delta);

/** Precision of the comparison of e^−x with δ. If it cannot decide, e^−x counts as above δ. */
const COMPARISON_BITS = 128;

/**
 * Whether losses are together (ε, δ)-private even if each was chosen in view of earlier outputs: ½·Σ εᵢ² + √(2·ln(1/δ)·Σ εᵢ²) ≤ ε
 * (Whitehouse, Ramdas, Rogers & Wu 2023, "Fully-adaptive composition in differential privacy", theorem 2). With S = Σ εᵢ² that is
 * S/2 ≤ ε and e^(−(ε − S/2)²/2S) ≤ δ, which whole numbers can decide.
 */
export function areWithinAdvanced(
  { squares }: Pick<Losses, 'squares'>,
  epsilon: Rational,
  delta: Rational,
): boolean {
  if (squares.sign === 0n) return true;
  const left = epsilon.minus(squares.over(Rational.of(2)));
  if (left.sign < 0n || delta.sign <= 0n) return false;
  const exponent = left.times(left).over(squares.times(Rational.of(2)));
  const chance = exponentialOfMinus(rationalBounds(exponent))(COMPARISON_BITS).upper;
  return chance * delta.denominator <= delta.numerator << BigInt(COMPARISON_BITS);
}
