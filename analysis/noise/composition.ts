import { epsilon as epsilonOf, type Epsilon, type Probability } from '../../src/model/units';
import { areWithin, areWithinAdvanced, type Losses } from '../../src/privacy/composition';
import { Rational, sum } from '../../src/privacy/rational';

/** The loss of all mechanisms together, on any data (Dwork & Roth 2014, theorem 3.16). */
export const basicComposition = (losses: readonly Rational[]): Rational => sum(losses);

/** The loss of mechanisms on disjoint units (McSherry 2009, theorem 4). */
export const parallelComposition = (losses: readonly Rational[]): Rational =>
  losses.reduce((most, loss) => (loss.compare(most) > 0n ? loss : most), Rational.ZERO);

const lossesOf = (losses: readonly Rational[]): Losses => ({
  sum: basicComposition(losses),
  squares: sum(losses.map((loss) => loss.times(loss))),
});

/** As `areWithin`. */
export const isWithin = (losses: readonly Rational[], epsilon: Rational, delta: Rational): boolean =>
  areWithin(lossesOf(losses), epsilon, delta);

/** As `areWithinAdvanced`. */
export const isWithinAdvanced = (losses: readonly Rational[], epsilon: Rational, delta: Rational): boolean =>
  areWithinAdvanced(lossesOf(losses), epsilon, delta);

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
