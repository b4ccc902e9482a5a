import { Rational, sum } from './rational';
import { exponentialOfMinus, rationalBounds } from './real-bounds';

/*
 * How privacy losses add up. Every mechanism here is ε-differentially private without a δ, so a loss is its ε; only advanced
 * composition makes a δ of its own.
 */

/** The loss of all together, whatever they looked at (Dwork & Roth 2014, theorem 3.16). */
export const basicComposition = (losses: readonly Rational[]): Rational => sum(losses);

/** The loss of mechanisms of which each looked at other units than the rest (McSherry 2009, theorem 4). */
export const parallelComposition = (losses: readonly Rational[]): Rational =>
  losses.reduce((most, loss) => (loss.compare(most) > 0n ? loss : most), Rational.ZERO);

/** The loss for `size` records at once of a mechanism with this loss for one (Dwork & Roth 2014, theorem 2.2). */
export const groupPrivacy = (loss: Rational, size: number): Rational => loss.times(Rational.of(BigInt(size)));

/** How precisely e^−x is compared with δ; what is closer than that counts as above it. */
const COMPARISON_BITS = 128;

/**
 * Whether losses that were chosen one after the other, each perhaps in view of the earlier outputs, are together (ε, δ)-private:
 * ½·Σ εᵢ² + √(2·ln(1/δ)·Σ εᵢ²) ≤ ε (Whitehouse, Ramdas, Rogers & Wu 2023, "Fully-adaptive composition in differential privacy",
 * theorem 2). With S = Σ εᵢ² that is S/2 ≤ ε and e^(−(ε − S/2)²/2S) ≤ δ, which whole numbers can decide.
 */
export function isWithinAdvanced(losses: readonly Rational[], epsilon: Rational, delta: Rational): boolean {
  const squares = sum(losses.map((loss) => loss.times(loss)));
  if (squares.sign === 0n) return true;
  const left = epsilon.minus(squares.over(Rational.of(2)));
  if (left.sign < 0n || delta.sign <= 0n) return false;
  const exponent = left.times(left).over(squares.times(Rational.of(2)));
  const chance = exponentialOfMinus(rationalBounds(exponent))(COMPARISON_BITS).upper;
  return chance * delta.denominator <= delta.numerator << BigInt(COMPARISON_BITS);
}

/** Whether losses together are (ε, δ)-private by the basic or, where δ is not 0, the advanced theorem. */
export const isWithin = (losses: readonly Rational[], epsilon: Rational, delta: Rational): boolean =>
  basicComposition(losses).compare(epsilon) <= 0n || isWithinAdvanced(losses, epsilon, delta);

/** The ε of all losses together by the tighter of the two theorems, rounded: for pages and output, never to decide anything. */
export function composedEpsilon(
  losses: readonly Rational[],
  delta: number,
): { readonly epsilon: number; readonly by: 'basic' | 'advanced' } {
  const basic = basicComposition(losses).toNumber();
  const squares = losses.reduce((total, loss) => total + loss.toNumber() ** 2, 0);
  const advanced = delta > 0 ? squares / 2 + Math.sqrt(2 * Math.log(1 / delta) * squares) : Infinity;
  return advanced < basic ? { epsilon: advanced, by: 'advanced' } : { epsilon: basic, by: 'basic' };
}
