import type { LabelOutput, UndrawnOutput } from '../model/records';
import type { Epsilon } from '../model/units';
import type { FiniteMechanism } from './finite-distribution';
import { rrOnBins } from './rr-on-bins';
import { rrWithPrior } from './rr-with-prior';
import { unbiasedRandomizer } from './unbiased-randomizer';

/** The mechanism for outputs that need the truth. The state with i reports has the value with index i. */
export function labelMechanism(
  noise: UndrawnOutput['noise'],
  epsilon: Epsilon,
): FiniteMechanism<LabelOutput> {
  switch (noise.kind) {
    case 'rr-with-prior':
      return withOutputs(rrWithPrior(noise.prior, epsilon), (state) => ({
        kind: 'state',
        state: BigInt(state),
      }));
    case 'rr-on-bins':
      return withOutputs(rrOnBins(noise.values, noise.prior, noise.loss, epsilon), (value) => ({
        kind: 'value',
        value,
      }));
    case 'unbiased':
      return withOutputs(unbiasedRandomizer(noise.values, noise.prior, epsilon), (value) => ({
        kind: 'value',
        value: value.toNumber(),
      }));
  }
}

const withOutputs = <From, To>(
  { outputs, weights }: FiniteMechanism<From>,
  convert: (output: From) => To,
): FiniteMechanism<To> => ({ outputs: outputs.map(convert), weights });
