import { weightsOf } from '../../src/attribution/private-choice';
import type { ClickChoice } from '../../src/attribution/click-scores';
import { probability, type Epsilon, type Probability } from '../../src/model/units';
import { probabilities } from '../../src/privacy/finite-distribution';
import type { RealBounds } from '../../src/privacy/real-bounds';

/* How probable each click is under the private attribution models, and how good the choice is. The engine only draws. */

export const exponentialMechanismProbabilities = (choice: ClickChoice): readonly RealBounds[] =>
  probabilities(weightsOf(choice));

/**
 * The probability of each click under permute-and-flip. Let a click's place in the order be uniform in [0, 1]. A click at place x
 * is reached if no other click j is both before it (probability x) and taken (probability p_j). So click i has the probability
 * p_i·∫_0^1 Π_{j≠i} (1 − p_j·x) dx = p_i·Σ_m (−1)^m·e_m/(m + 1), with e_m the elementary symmetric polynomials of the others.
 */
export function permuteAndFlipProbabilities(choice: ClickChoice): readonly RealBounds[] {
  const coins = weightsOf(choice);
  return coins.map((own, index) => (bits) => {
    // The terms of the alternating sum are below 2^n, and the errors of n probabilities add up.
    const precision = bits + 2 * coins.length + 16;
    const others = coins.filter((_, other) => other !== index).map((coin) => coin(precision));
    // e_m rises with every probability, so their bounds give bounds of e_m.
    const lower = symmetricPolynomials(
      others.map((coin) => coin.lower),
      precision,
      0n,
    );
    const upper = symmetricPolynomials(
      others.map((coin) => coin.upper),
      precision,
      1n,
    );
    const integral = { lower: 0n, upper: 0n };
    for (let m = 0; m <= others.length; m++) {
      const [least, most] = [lower[m] ?? 0n, upper[m] ?? 0n];
      const count = BigInt(m + 1);
      integral.lower += m % 2 === 0 ? least / count : -(most / count + 1n);
      integral.upper += m % 2 === 0 ? most / count + 1n : -(least / count);
    }
    const coin = own(precision);
    const excess = BigInt(2 * precision - bits);
    const floor = (coin.lower * integral.lower) >> excess;
    return { lower: floor < 0n ? 0n : floor, upper: ((coin.upper * integral.upper) >> excess) + 1n };
  });
}

/** e_0 … e_n of fixed-point numbers; each product is rounded down and then raised by `carry`. */
function symmetricPolynomials(numbers: readonly bigint[], precision: number, carry: bigint): bigint[] {
  const polynomials = [1n << BigInt(precision)];
  for (const number of numbers) {
    polynomials.push(0n);
    for (let m = polynomials.length - 1; m > 0; m--)
      polynomials[m] =
        (polynomials[m] ?? 0n) + (((polynomials[m - 1] ?? 0n) * number) >> BigInt(precision)) + carry;
  }
  return polynomials;
}

/**
 * How far the choice among `clicks` clicks falls below the best score: more than 2Δ·(ln n + k)/ε with probability at most e^−k
 * (McSherry & Talwar 2007; permute-and-flip is never worse). In the unit of the score; for display.
 */
export function utilityBound(
  clicks: number,
  sensitivity: number,
  epsilon: Epsilon,
  k: number,
): { readonly loss: number; readonly probabilityOfMore: Probability } {
  return {
    loss: (2 * sensitivity * (Math.log(clicks) + k)) / epsilon,
    probabilityOfMore: probability(Math.exp(-k)),
  };
}
