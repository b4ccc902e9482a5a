import { epsilon as epsilonOf } from '../../src/model/units';
import { positive } from '../../src/privacy/parameters';
import { randomizedResponse } from '../../src/privacy/randomized-response';
import type { Exact } from '../../src/privacy/rational';
import type { RandomSource } from '../../src/privacy/random-source';

/** The bin of each expected bucket's sum, after randomized response. */
export interface BinnedSums {
  readonly bins: ReadonlyMap<bigint, number>;
  /** How likely the answer is the true bin. */
  readonly kept: number;
}

/** Room for rounding: the parts of all buckets together must not exceed ε. */
const MARGIN = 1 - 2 ** -50;

/**
 * Which bin each sum is in, by k-ary randomized response, as the IPA proposal has it for the sum of one source. A source can move any sums to any
 * bins, so the B buckets share ε equally: each answer is ε/B-private, and all together ε-private.
 * @param sums the exact sums, which nobody may see.
 * @param cuts where the next bin begins, ascending.
 * @throws ParameterError unless ε is greater than 0.
 */
export function binnedSums(
  sums: ReadonlyMap<bigint, bigint>,
  expected: ReadonlySet<bigint>,
  cuts: readonly bigint[],
  epsilon: Exact,
  random: RandomSource,
): BinnedSums {
  const part = binEpsilon(epsilon, expected.size);
  const respond = randomizedResponse(BigInt(cuts.length + 1), epsilonOf(part));
  const answer = (key: bigint): number => {
    const response = respond(random);
    const sum = sums.get(key) ?? 0n;
    return response.kind === 'truthful' ? cuts.filter((cut) => cut <= sum).length : Number(response.state);
  };
  return {
    bins: new Map([...expected].sort((a, b) => (a < b ? -1 : 1)).map((key) => [key, answer(key)])),
    kept: keptWith(part, cuts.length + 1),
  };
}

/** What each of so many buckets gets of ε. */
const binEpsilon = (epsilon: Exact, buckets: number): number =>
  (positive('epsilon', epsilon).toNumber() / buckets) * MARGIN;

/** The probability of the truth in k-ary randomized response. */
const keptWith = (epsilon: number, bins: number): number => 1 / (1 + (bins - 1) * Math.exp(-epsilon));
