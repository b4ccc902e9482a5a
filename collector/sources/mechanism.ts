import type { Mechanism } from '../../analysis/estimate/quantities/configuration';
import type { Epsilon } from '../../src/model/units';
import { labelMechanism } from '../../src/privacy/label-mechanism';

/**
 * The number of outputs: the k of its randomized response.
 * @param states how many outputs the source's configuration allows.
 * @throws ParameterError for invalid parameters of the mechanism.
 */
export function outputsOf(mechanism: Mechanism, states: bigint, epsilon: Epsilon): bigint {
  return mechanism.kind === 'rr' ? states : BigInt(labelMechanism(mechanism, epsilon).outputs.length);
}

/** Whether a source sends one report with the output in `noisy_value`, instead of the reports of a state. */
export const reportsValue = (mechanism: Mechanism): boolean =>
  mechanism.kind === 'rr-with-prior' ? mechanism.values !== undefined : mechanism.kind !== 'rr';
