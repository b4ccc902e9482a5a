import { epsilon as epsilonOf, type Epsilon, type Probability } from '../../../src/model/units';
import type { Losses } from '../../../src/privacy/composition';
import { Rational } from '../../../src/privacy/rational';

/* For display, never for decisions: rounded. */

/** The ε of all losses by the tighter theorem. */
export function composedEpsilon(
  { sum, squares }: Losses,
  delta: Probability,
): { readonly epsilon: Epsilon; readonly by: 'basic' | 'advanced' } {
  const basic = sum.toNumber();
  const s = squares.toNumber();
  const advanced = delta > 0 ? s / 2 + Math.sqrt(2 * Math.log(1 / delta) * s) : Infinity;
  return advanced < basic
    ? { epsilon: epsilonOf(advanced), by: 'advanced' }
    : { epsilon: epsilonOf(basic), by: 'basic' };
}

/** The greatest loss that can still be added if all may lose `limit` by the one theorem or the other. */
export function mostWithin({ sum, squares }: Losses, limit: Epsilon, delta: Probability): number {
  const basic = Rational.of(limit).minus(sum).toNumber();
  // From S/2 + √(2·ln(1/δ)·S) = ε.
  const log = 2 * Math.log(1 / delta);
  const most = delta > 0 ? (Math.sqrt(log + 2 * limit) - Math.sqrt(log)) ** 2 - squares.toNumber() : 0;
  return Math.max(0, basic, Math.sqrt(Math.max(0, most)));
}
