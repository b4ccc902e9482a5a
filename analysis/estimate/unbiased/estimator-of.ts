import { unexpected } from '../../../src/privacy/parameters';
import type { Configuration } from '../quantities/configuration';
import type { Estimator } from './estimator';
import { StateMeasures } from '../quantities/state-measures';
import { priorStateEstimator, stateEstimator } from './state-estimators';
import { binEstimator, priorValueEstimator, unbiasedEstimator } from './value-estimators';

/**
 * Uses the same mechanism code as the sources.
 * @throws ParameterError for invalid parameters of the mechanism.
 */
export function estimatorOf({ shape, epsilon, mechanism }: Configuration): Estimator {
  if (!(epsilon > 0)) throw unexpected('epsilon', epsilon, 'positive-for-estimate');
  switch (mechanism.kind) {
    case 'rr':
      return stateEstimator(new StateMeasures(shape), epsilon);
    case 'rr-with-prior':
      return mechanism.values === undefined
        ? priorStateEstimator(new StateMeasures(shape), mechanism.prior, epsilon)
        : priorValueEstimator({ ...mechanism, values: mechanism.values }, epsilon);
    case 'rr-on-bins':
      return binEstimator(mechanism, epsilon);
    case 'unbiased':
      return unbiasedEstimator(mechanism, epsilon);
  }
}
