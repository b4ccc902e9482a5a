import { epsilon as epsilonOf, type Epsilon, type Probability } from '../model/units';
import { Rational, sum } from './rational';
import { exponentialOfMinus, rationalBounds } from './real-bounds';

/* How privacy losses add up. A loss is the ε of an ε-private mechanism. Only advanced composition has a δ. */

/** The loss of all mechanisms together, on any data (Dwork & Roth 2014, theorem 3.16). */
export const basicComposition = (losses: readonly Rational[]): Rational => sum(losses);

/** The loss of mechanisms on disjoint units (McSherry 2009, theorem 4). */
export const parallelComposition = (losses: readonly Rational[]): Rational =>
  losses.reduce((most, loss) => (loss.compare(most) > 0n ? loss : most), Rational.ZERO);

/** The loss for `size` records of a mechanism with this loss for one (Dwork & Roth 2014, theorem 2.2). */
export const groupPrivacy = (loss: Rational, size: number): Rational => loss.times(Rational.of(BigInt(size)));

/** Precision of the comparison of e^−x with δ. If it cannot decide, e^−x counts as above δ. */
const COMPARISON_BITS = 128;

/**
 * Whether losses are together (ε, δ)-private even if each was chosen in view of earlier outputs: ½·Σ εᵢ² + √(2·ln(1/δ)·Σ εᵢ²) ≤ ε
 * (Whitehouse, Ramdas, Rogers & Wu 2023, "Fully-adaptive composition in differential privacy", theorem 2). With S = Σ εᵢ² that is
 * S/2 ≤ ε and e^(−(ε − S/2)²/2S) ≤ δ, which whole numbers can decide.
 */
export const isWithinAdvanced = (losses: readonly Rational[], epsilon: Rational, delta: Rational): boolean =>
  areSquaresWithin(lossesOf(losses).squares, epsilon, delta);

/** As `isWithinAdvanced`, for the sum S of the squares. */
function areSquaresWithin(squares: Rational, epsilon: Rational, delta: Rational): boolean {
  if (squares.sign === 0n) return true;
  const left = epsilon.minus(squares.over(Rational.of(2)));
  if (left.sign < 0n || delta.sign <= 0n) return false;
  const exponent = left.times(left).over(squares.times(Rational.of(2)));
  const chance = exponentialOfMinus(rationalBounds(exponent))(COMPARISON_BITS).upper;
  return chance * delta.denominator <= delta.numerator << BigInt(COMPARISON_BITS);
}

/** Whether losses are together (ε, δ)-private by the basic theorem or, if δ > 0, the advanced one. */
export const isWithin = (losses: readonly Rational[], epsilon: Rational, delta: Rational): boolean =>
  areWithin(lossesOf(losses), epsilon, delta);

/** All that composition needs to know of some losses. */
export interface Losses {
  readonly sum: Rational;
  readonly squares: Rational;
}

const lossesOf = (losses: readonly Rational[]): Losses => ({
  sum: basicComposition(losses),
  squares: sum(losses.map((loss) => loss.times(loss))),
});

/** As `isWithin`, for losses of which only the sums are known. */
export const areWithin = ({ sum: all, squares }: Losses, epsilon: Rational, delta: Rational): boolean =>
  all.compare(epsilon) <= 0n || areSquaresWithin(squares, epsilon, delta);

/** The ε of all losses by the tighter theorem, rounded: for display, never for decisions. */
export function composedEpsilon(
  losses: readonly Rational[],
  delta: Probability,
): { readonly epsilon: Epsilon; readonly by: 'basic' | 'advanced' } {
  const basic = basicComposition(losses).toNumber();
  const squares = losses.reduce((total, loss) => total + loss.toNumber() ** 2, 0);
  const advanced = delta > 0 ? squares / 2 + Math.sqrt(2 * Math.log(1 / delta) * squares) : Infinity;
  return advanced < basic
    ? { epsilon: epsilonOf(advanced), by: 'advanced' }
    : { epsilon: epsilonOf(basic), by: 'basic' };
}
