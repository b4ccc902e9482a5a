import { CONTRIBUTION_BUDGET } from '../../src/model/aggregatable';
import { discreteLaplace } from '../noise/discrete-laplace';
import { positive } from '../../src/privacy/parameters';
import { Rational, type Exact } from '../../src/privacy/rational';
import type { RandomSource } from '../../src/privacy/random-source';

/** The most buckets that one source can contribute to: 20 reports of 20 contributions. */
const MAX_BUCKETS_OF_SOURCE = 400;

/** The noise that is added to each bucket, with its properties. */
export interface SummaryNoise {
  readonly draw: (random: RandomSource) => bigint;
  readonly scale: number;
  readonly standardError: number;
  /** The interval of this confidence level is the noisy value ± this. @param level greater than 0 and less than 1 */
  readonly halfWidth: (level: number) => bigint;
  /**
   * The least noisy value at which an unexpected bucket may be reported, for (ε, δ) in all.
   * @param delta greater than 0 and less than 1
   */
  readonly threshold: (delta: number) => bigint;
}

/**
 * Discrete Laplace noise of scale 65,536/ε: ε-differential privacy between batches that differ in all reports of one source, whose
 * contributions sum to at most 65,536.
 * @throws ParameterError unless ε is greater than 0
 */
export function summaryNoise(epsilon: Exact): SummaryNoise {
  const exact = positive('epsilon', epsilon);
  const scale = Rational.of(BigInt(CONTRIBUTION_BUDGET)).over(exact);
  const [s, eps] = [scale.toNumber(), exact.toNumber()];
  // P(Z = z) = (1 − p)/(1 + p)·p^|z| with p = e^(−1/s), so P(Z ≥ k) = p^k/(1 + p) for k ≥ 1.
  const p = Math.exp(-1 / s);
  return {
    draw: discreteLaplace(scale),
    scale: s,
    standardError: Math.sqrt(2 * p) / -Math.expm1(-1 / s),
    halfWidth: (level) => BigInt(Math.max(0, Math.ceil(-s * Math.log(((1 - level) * (1 + p)) / 2)) - 1)),
    // A source whose values v_i sum to L is alone in its buckets. P(Z ≥ τ − v) is convex in v, so the sum over the buckets is greatest if
    // one of them has all of L: P(any is released) ≤ p^τ·(e^ε + 399)/(1 + p). The last unit is for the rounding of doubles.
    threshold: (delta) =>
      BigInt(
        Math.ceil(s * (logOfSum(eps, Math.log(MAX_BUCKETS_OF_SOURCE - 1)) - Math.log(delta * (1 + p)))) + 1,
      ),
  };
}

/** ln(e^a + e^b) */
const logOfSum = (a: number, b: number): number => Math.max(a, b) + Math.log1p(Math.exp(-Math.abs(a - b)));
