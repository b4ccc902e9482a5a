import { mistake } from '../../formats/codec/mistakes';
import type { BudgetSettings, LabelNoise, MeasurementSettings } from '../../src/model/mechanisms';
import { epsilon as epsilonOf, type Epsilon } from '../../src/model/units';
import { MAX_UINT32 } from '../../src/model/registration';
import { discreteLaplace } from '../noise/discrete-laplace';
import { weightedIndex } from '../../src/privacy/finite-distribution';
import { epsilonParameter, ParameterError } from '../../src/privacy/parameters';
import type { RandomSource } from '../../src/privacy/random-source';
import { Rational, type Exact } from '../../src/privacy/rational';
import { difference, exponentialOfMinus, rationalBounds } from '../../src/privacy/real-bounds';
import { product } from '../noise/product';
import { integerParameter } from '../noise/parameters';

/**
 * An ε-private histogram of past values, to choose mechanisms with: each count has exact discrete Laplace noise of scale 2/ε (Dwork,
 * McSherry, Nissim & Smith 2006), and is then brought between 0 and the number of sources. Neighbours differ in the value of one past source,
 * which changes two counts by 1 each; how many sources there are is public.
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
  const scale = Rational.of(2).over(epsilonParameter(epsilon));
  let sources = 0n;
  for (const often of past.values()) sources += BigInt(often);
  return new Map(
    values.map((value, index) => {
      const next = values[index + 1] ?? Infinity;
      let count = 0n;
      for (const [own, often] of past) if (own >= value && own < next) count += BigInt(often);
      return [value, Number(noisyCount(count, sources, scale, random))];
    }),
  );
}

/** A count with discrete Laplace noise, brought between 0 and `most`. */
function noisyCount(count: bigint, most: bigint, scale: Rational, random: RandomSource): bigint {
  if (random.decide !== undefined) return BigInt(weightedIndex(clampedWeights(count, most, scale))(random));
  const noisy = count + discreteLaplace(scale)(random);
  return noisy < 0n ? 0n : noisy > most ? most : noisy;
}

/** The distribution of `noisyCount`, for an audit that goes through all of it: with r = e^(−1/scale), (1 − r)·r^|z|, and r^z for an end. */
function clampedWeights(
  count: bigint,
  most: bigint,
  scale: Rational,
): ReturnType<typeof exponentialOfMinus>[] {
  const power = (distance: bigint): ReturnType<typeof exponentialOfMinus> =>
    exponentialOfMinus(rationalBounds(Rational.of(distance).over(scale)));
  const rest = difference(rationalBounds(Rational.ONE), power(1n));
  return Array.from({ length: Number(most) + 1 }, (_, index) => {
    const to = BigInt(index);
    const size = power(to < count ? count - to : to - count);
    return to === 0n || to === most ? size : product(rest, size);
  });
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

/** One more than each count, over all: no value has the probability 0. */
export function smoothed(counts: Iterable<number>): readonly Rational[] {
  const raised = [...counts].map((count) => BigInt(count) + 1n);
  const total = raised.reduce((sum, count) => sum + count, 0n);
  return raised.map((count) => Rational.fraction(count, total));
}

/** What is left of ε after a part, rounded down so that both together do not exceed it. */
export const withoutPart = (epsilon: number, part: number): number => (epsilon - part) * (1 - 2 ** -50);

/**
 * What a prior for the label noise costs, and whom: `people`, others than those whose labels it is for; or `budget`, the same sources, whose
 * budgets it takes its ε from.
 */
export interface PriorCost {
  readonly epsilon: Epsilon;
  readonly split: 'people' | 'budget';
}

/** The settings beside a private prior, or what they lack for one. */
export function besidePrior<Settings extends MeasurementSettings>(
  settings: Settings,
  { epsilon, split }: PriorCost,
): Settings | string {
  const { labelNoise, budget } = settings;
  if (labelNoise.kind === 'rr')
    return 'must have a labelNoise of kind "rr-with-prior", "rr-on-bins" or "unbiased", which have a prior';
  if (split === 'people') return settings;
  const left = budget.epsilon === null ? 0 : withoutPart(budget.epsilon, epsilon);
  if (!(left > budget.attributionEpsilon))
    return `must have a budget.epsilon of more than ${epsilon + budget.attributionEpsilon}, of which the prior takes ${epsilon}`;
  const reduced: BudgetSettings = { ...budget, epsilon: epsilonOf(left) };
  return { ...settings, budget: reduced };
}

/**
 * The label noise with a prior from an ε-private histogram. For `rr-with-prior` a past value is the number of a state.
 * @throws ParameterError unless the values of the label noise ascend from 0.
 */
export function withPrivatePrior(
  labelNoise: LabelNoise,
  past: ReadonlyMap<number, number>,
  epsilon: Epsilon,
  random: RandomSource,
): LabelNoise {
  if (labelNoise.kind === 'rr') return labelNoise;
  const values =
    labelNoise.kind === 'rr-with-prior'
      ? labelNoise.prior.map((_, state) => state)
      : countedValues(labelNoise.values);
  const counts = privateCounts(past, values, Rational.of(epsilon), random);
  return { ...labelNoise, prior: smoothed(counts.values()).map((share) => share.toNumber()) };
}
