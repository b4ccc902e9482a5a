import { epsilon as epsilonOf, type Epsilon, type Probability } from '../../../src/model/units';
import type { Rational } from '../../../src/privacy/rational';
import { basicComposition } from '../../../analysis/noise/composition';

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
