import { areWithin, areWithinAdvanced, type Losses } from '../../src/privacy/composition';
import { Rational, sum } from '../../src/privacy/rational';

/** The loss of all mechanisms together, on any data (Dwork & Roth 2014, theorem 3.16). */
export const basicComposition = (losses: readonly Rational[]): Rational => sum(losses);

/** The loss of mechanisms on disjoint units (McSherry 2009, theorem 4). */
export const parallelComposition = (losses: readonly Rational[]): Rational =>
  losses.reduce((most, loss) => (loss.compare(most) > 0n ? loss : most), Rational.ZERO);

/** Their sum, and that of their squares. */
export const lossesOf = (losses: readonly Rational[]): Losses => ({
  sum: basicComposition(losses),
  squares: sum(losses.map((loss) => loss.times(loss))),
});

/** As `areWithin`. */
export const isWithin = (losses: readonly Rational[], epsilon: Rational, delta: Rational): boolean =>
  areWithin(lossesOf(losses), epsilon, delta);

/** As `areWithinAdvanced`. */
export const isWithinAdvanced = (losses: readonly Rational[], epsilon: Rational, delta: Rational): boolean =>
  areWithinAdvanced(lossesOf(losses), epsilon, delta);
