import { mistake } from '../../formats/codec/mistakes';
import { epsilonParameter, ParameterError, parameterValue } from '../../src/privacy/parameters';
import { Rational, type Exact } from '../../src/privacy/rational';
import { isWithinAdvanced } from './composition';

const LOSS_STEPS = 1n << 16n;

/**
 * The ε at which Gaussian noise is (`epsilon`, `delta`)-private on its own: the greatest multiple of `epsilon`/2^16 that is.
 * @throws ParameterError unless δ is between 0 and 1.
 */
export function gaussianLoss(epsilon: Exact, delta: Exact): Rational {
  const most = epsilonParameter(epsilon);
  const chance = Rational.parse(delta);
  const lossAt = (step: bigint): Rational => most.times(Rational.fraction(step, LOSS_STEPS));
  let [fits, exceeds] = [0n, LOSS_STEPS + 1n];
  while (chance !== null && exceeds - fits > 1n) {
    const middle = (fits + exceeds) >> 1n;
    if (isWithinAdvanced([lossAt(middle)], most, chance)) fits = middle;
    else exceeds = middle;
  }
  if (fits === 0n || chance === null || chance.compare(Rational.ONE) >= 0n)
    throw new ParameterError('delta', mistake('not-a-probability', { was: parameterValue(delta) }));
  return lossAt(fits);
}
