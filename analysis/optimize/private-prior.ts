import { discreteLaplace } from '../../src/privacy/discrete-laplace';
import { mistake } from '../../src/model/mistakes';
import { MAX_UINT32 } from '../../src/parsing/fields';
import { epsilonParameter, integerParameter, ParameterError } from '../../src/privacy/parameters';
import type { RandomSource } from '../../src/privacy/random-source';
import { Rational, type Exact } from '../../src/privacy/rational';

/**
 * An ε-private histogram of past values, to choose mechanisms with: each count has exact discrete Laplace noise of scale 2/ε (Dwork,
 * McSherry, Nissim & Smith 2006), and negative ones become 0. Neighbours differ in the value of one past source, which changes two counts
 * by 1 each; how many sources there are is public.
 * @param past how often each value occurred.
 * @param values the values to count, public, ascending, the first 0. A past value counts as the greatest of them that it reaches.
 * @throws ParameterError unless ε is greater than 0 and finite.
 */
export function privateCounts(
  past: ReadonlyMap<number, number>,
  values: readonly number[],
  epsilon: Rational,
  random: RandomSource,
): ReadonlyMap<number, number> {
  const noise = discreteLaplace(Rational.of(2).over(epsilonParameter(epsilon)));
  return new Map(
    values.map((value, index) => {
      const next = values[index + 1] ?? Infinity;
      let count = 0n;
      for (const [own, often] of past) if (own >= value && own < next) count += BigInt(often);
      const noisy = count + noise(random);
      return [value, noisy > 0n ? Number(noisy) : 0];
    }),
  );
}

/** The values to count by. @throws ParameterError unless they are whole numbers below 2^32 that ascend from 0. */
export function countedValues(values: readonly Exact[]): readonly number[] {
  const whole = values.map((value, index) =>
    Number(integerParameter(`values[${index}]`, value, 0n, BigInt(MAX_UINT32))),
  );
  if (whole[0] !== 0 || whole.some((value, index) => index > 0 && value <= (whole[index - 1] ?? 0)))
    throw new ParameterError('values', mistake('ascending-from-0', { was: whole.join(', ') }));
  return whole;
}
