import type { Mechanism } from '../../analysis/estimate/configuration';
import type { Epsilon } from '../../src/model/units';
import { rrOnBins } from '../../src/privacy/rr-on-bins';
import { rrWithPrior } from '../../src/privacy/rr-with-prior';
import { unbiasedRandomizer } from '../../src/privacy/unbiased-randomizer';

/**
 * The number of outputs: the k of its randomized response.
 * @param states how many outputs the source's configuration allows.
 * @throws ParameterError for invalid parameters of the mechanism.
 */
export function outputsOf(mechanism: Mechanism, states: bigint, epsilon: Epsilon): bigint {
  switch (mechanism.kind) {
    case 'rr':
      return states;
    case 'rr-with-prior':
      return BigInt(rrWithPrior(mechanism.prior, epsilon).k);
    case 'rr-on-bins':
      return BigInt(rrOnBins(mechanism.values, mechanism.prior, mechanism.loss, epsilon).bins.length);
    case 'unbiased':
      return BigInt(unbiasedRandomizer(mechanism.values, mechanism.prior, epsilon).outputs.length);
  }
}

/** Whether a source sends one report with the output in `noisy_value`, instead of the reports of a state. */
export const reportsValue = (mechanism: Mechanism): boolean =>
  mechanism.kind === 'rr-with-prior' ? mechanism.values !== undefined : mechanism.kind !== 'rr';
