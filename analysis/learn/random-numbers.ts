import type { RandomSource } from '../../src/privacy/random-source';

const TWO_TO_MINUS_53 = 2 ** -53;

/** Floating-point draws for what no privacy depends on (made-up logs, first weights, the order of examples) and for Gaussian noise. */
export class RandomNumbers {
  private spare: number | null = null;

  constructor(readonly source: RandomSource) {}

  /** Uniform in [0, 1), a multiple of 2^−53. */
  uniform(): number {
    return Number(this.source.uint64() >> 11n) * TWO_TO_MINUS_53;
  }

  /** Uniform from 0 to `bound` − 1; the bias is below bound · 2^−53. */
  below(bound: number): number {
    return Math.floor(this.uniform() * bound);
  }

  /**
   * Standard normal by Box and Muller's method, in double precision. Its largest value is √(2·53·ln 2) = 8.57; docs/lab.md says what that
   * and rounding mean for privacy.
   */
  normal(): number {
    if (this.spare !== null) {
      const { spare } = this;
      this.spare = null;
      return spare;
    }
    const radius = Math.sqrt(-2 * Math.log(1 - this.uniform()));
    const angle = 2 * Math.PI * this.uniform();
    this.spare = radius * Math.sin(angle);
    return radius * Math.cos(angle);
  }

  /** Rows 0 … count − 1 in a random order (Fisher and Yates). */
  order(count: number): Int32Array {
    const rows = Int32Array.from({ length: count }, (_, row) => row);
    for (let last = count - 1; last > 0; last--) {
      const other = this.below(last + 1);
      const kept = rows[last] ?? 0;
      rows[last] = rows[other] ?? 0;
      rows[other] = kept;
    }
    return rows;
  }
}
