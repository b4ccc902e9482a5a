import { epsilonParameter, unexpected } from '../../src/privacy/parameters';
import type { Exact } from '../../src/privacy/rational';

/** Bounds of e^ε take time that grows with ε. */
const MAX_EPSILON = 100;

/** The nearest double, which randomized response takes. @throws ParameterError unless it is above 0 and at most 100. */
export function responseEpsilon(epsilon: Exact): number {
  const number = epsilonParameter(epsilon).toNumber();
  if (!(number > 0 && number <= MAX_EPSILON))
    throw unexpected('epsilon', epsilon, 'positive-up-to', { max: MAX_EPSILON });
  return number;
}
