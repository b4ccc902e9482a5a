import type { Mechanism } from '../model/mechanisms';
import type { LabelOutput } from '../model/records';
import type { Epsilon } from '../model/units';
import type { FiniteMechanism } from './finite-distribution';
import { rrOnBins } from './rr-on-bins';
import { rrWithPrior } from './rr-with-prior';
import { unbiasedRandomizer } from './unbiased-randomizer';

/** The mechanism for outputs that need the truth. The state with i reports has the value with index i. */
export function labelMechanism(
  noise: Exclude<Mechanism<number | string>, { readonly kind: 'rr' }>,
  epsilon: Epsilon,
): FiniteMechanism<LabelOutput> {
  switch (noise.kind) {
    case 'rr-with-prior':
      return withOutputs(rrWithPrior(noise.prior, epsilon), (state) => ({
        kind: 'state',
        state: BigInt(state),
      }));
    case 'rr-on-bins':
      return withOutputs(rrOnBins(noise.values, noise.prior, noise.loss, epsilon), asValue);
    case 'unbiased':
      return withOutputs(unbiasedRandomizer(noise.values, noise.prior, epsilon), (value) =>
        asValue(value.toNumber()),
      );
  }
}

const asValue = (value: number): LabelOutput => ({ kind: 'value', value });

const withOutputs = <From, To>(
  { outputs, weights }: FiniteMechanism<From>,
  convert: (output: From) => To,
): FiniteMechanism<To> => ({ outputs: outputs.map(convert), weights });
