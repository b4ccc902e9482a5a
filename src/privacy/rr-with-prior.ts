import type { FiniteMechanism, Weights } from './finite-distribution';
import { epsilonParameter, priorParameter } from './parameters';
import { Rational, type Exact } from './rational';
import { exponentialOfMinus, floorDivide, ceilDivide, rationalBounds, type RealBounds } from './real-bounds';

/** e^−ε: every other output is less likely than the truth by this factor. */
export const otherWeight = (epsilon: Rational): RealBounds => exponentialOfMinus(rationalBounds(epsilon));

export const ONE = rationalBounds(Rational.ONE);

/**
 * Randomized response with a prior (Ghazi et al. 2021, "Deep learning with label differential privacy", algorithm 2); see
 * docs/mechanisms.md. k maximises (Σ of the k greatest priors)·e^ε/(e^ε + k − 1). Inputs and outputs are indices in the prior.
 * @throws ParameterError for parameters out of range.
 */
export function rrWithPrior(
  prior: readonly Exact[],
  epsilon: Exact,
): FiniteMechanism<number> & {
  /** The number of possible outputs. */
  readonly k: number;
} {
  const probabilities = priorParameter(prior);
  const other = otherWeight(epsilonParameter(epsilon));
  // Descending by prior; ties in the given order.
  const ranked = probabilities
    .map((probability, label) => ({ probability, label }))
    .sort((a, b) => Number(b.probability.compare(a.probability)) || a.label - b.label);
  const k = likeliestCount(
    ranked.map(({ probability }) => probability),
    other,
  );
  const outputs = ranked.slice(0, k).map(({ label }) => label);
  return {
    k,
    outputs,
    weights: (input): Weights =>
      outputs.includes(input)
        ? outputs.map((label) => (label === input ? ONE : other))
        : outputs.map(() => ONE),
  };
}

/** The k with the greatest S_k/(1 + (k − 1)·q), where S_k sums the k greatest priors and q = e^−ε; of equal ones the least. */
function likeliestCount(descending: readonly Rational[], q: RealBounds): number {
  let best = { k: 0, sum: Rational.ZERO };
  let sum = Rational.ZERO;
  descending.forEach((probability, index) => {
    sum = sum.plus(probability);
    const k = index + 1;
    // S_k·(1 + (j − 1)·q) > S_j·(1 + (k − 1)·q), with j the best so far.
    const gain = sum.minus(best.sum);
    const cost = best.sum.times(Rational.of(BigInt(k - 1))).minus(sum.times(Rational.of(BigInt(best.k - 1))));
    if (best.k === 0 || isAbove(gain, cost, q)) best = { k, sum };
  });
  return best.k;
}

/** Whether gain > cost·q, for gain ≥ 0. Equal only if both are 0: e^−ε is irrational for every rational ε ≠ 0. */
function isAbove(gain: Rational, cost: Rational, q: RealBounds): boolean {
  if (cost.sign <= 0n || gain.sign === 0n) return gain.sign > 0n || cost.sign < 0n;
  const threshold = gain.over(cost);
  for (let bits = 64; ; bits *= 2) {
    const { lower, upper } = q(bits);
    const scaled = threshold.numerator << BigInt(bits);
    if (upper < ceilDivide(scaled, threshold.denominator)) return true;
    if (lower > floorDivide(scaled, threshold.denominator)) return false;
  }
}
