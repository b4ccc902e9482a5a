import { mistake } from '../../formats/codec/mistakes';
import { listParameter, ParameterError, parameterValue, priorParameter } from '../../src/privacy/parameters';
import { overCommonDenominator, type Exact } from '../../src/privacy/rational';
import { MAX_UINT32 } from '../../src/model/registration';
import { integerParameter } from '../noise/parameters';

/** The known distribution of a source's summed conversion values (of one trigger data). */
export interface ValueDistribution {
  /** Whole numbers from 0 to 2^32 − 1, ascending; the first is 0, the others have positive probability. */
  readonly values: readonly number[];
  /** Whole numbers proportional to the probabilities. */
  readonly weights: readonly bigint[];
}

/** @throws ParameterError unless the prior sums to one and has as many entries as the values, which must be increasing whole numbers. */
export function givenDistribution(values: readonly Exact[], prior: readonly Exact[]): ValueDistribution {
  const { numerators } = overCommonDenominator(priorParameter(prior));
  if (listParameter('values', values).length !== numerators.length)
    throw new ParameterError(
      'values',
      mistake('values-per-probability', { probabilities: numerators.length, was: values.length }),
    );
  const weights = new Map<number, bigint>();
  let previous = -1;
  values.forEach((value, index) => {
    const sum = Number(integerParameter(`values[${index}]`, value, 0n, BigInt(MAX_UINT32)));
    if (sum <= previous)
      throw new ParameterError(
        `values[${index}]`,
        mistake('value-order', { previous, was: parameterValue(value) }),
      );
    previous = sum;
    weights.set(sum, numerators[index] ?? 0n);
  });
  return distribution('values', weights);
}

/**
 * The distribution of past values, from how often each occurred.
 * @throws ParameterError when all are 0.
 */
export const pastDistribution = (counts: ReadonlyMap<number, number>): ValueDistribution =>
  distribution('past values', new Map([...counts].map(([value, count]) => [value, BigInt(count)])));

function distribution(parameter: string, weights: ReadonlyMap<number, bigint>): ValueDistribution {
  const possible = [...weights].filter(([value, weight]) => value > 0 && weight > 0n);
  if (possible.length === 0) throw new ParameterError(parameter, mistake('nothing-to-report'));
  const ascending = possible.sort(([a], [b]) => a - b);
  return {
    values: [0, ...ascending.map(([value]) => value)],
    weights: [weights.get(0) ?? 0n, ...ascending.map(([, weight]) => weight)],
  };
}
