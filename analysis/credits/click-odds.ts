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
  const known = new Map<number, ReturnType<typeof probabilitiesOf>>();
  return coins.map((_, index) => (bits) => {
    const all = known.get(bits) ?? probabilitiesOf(coins, bits);
    known.set(bits, all);
    return all[index] ?? { lower: 0n, upper: 0n };
  });
}

function probabilitiesOf(coins: readonly RealBounds[], bits: number): readonly ReturnType<RealBounds>[] {
  // The terms of the alternating sum are below 2^n, and the errors of n probabilities add up.
  const precision = bits + 2 * coins.length + 16;
  const bounds = coins.map((coin) => coin(precision));
  // e_m rises with every probability, so their bounds give bounds of e_m.
  const lowers = polynomialsOfOthers(
    bounds.map(({ lower }) => lower),
    precision,
    0n,
  );
  const uppers = polynomialsOfOthers(
    bounds.map(({ upper }) => upper),
    precision,
    1n,
  );
  const excess = BigInt(2 * precision - bits);
  return bounds.map((coin, index) => {
    const integral = { lower: 0n, upper: 0n };
    for (let m = 0; m < coins.length; m++) {
      const [least, most] = [lowers[index]?.[m] ?? 0n, uppers[index]?.[m] ?? 0n];
      const count = BigInt(m + 1);
      integral.lower += m % 2 === 0 ? least / count : -(most / count + 1n);
      integral.upper += m % 2 === 0 ? most / count + 1n : -(least / count);
    }
    const floor = (coin.lower * integral.lower) >> excess;
    return { lower: floor < 0n ? 0n : floor, upper: ((coin.upper * integral.upper) >> excess) + 1n };
  });
}

/** For each of these fixed-point numbers, e_0 … of all others. Halves share what they leave out, so it takes n² log n products. */
function polynomialsOfOthers(numbers: readonly bigint[], precision: number, carry: bigint): bigint[][] {
  const found: bigint[][] = [];
  const leaveOut = (from: number, to: number, others: readonly bigint[]): void => {
    if (to - from < 2) {
      found.push([...others]);
      return;
    }
    const middle = (from + to) >> 1;
    leaveOut(from, middle, withNumbers(others, numbers.slice(middle, to), precision, carry));
    leaveOut(middle, to, withNumbers(others, numbers.slice(from, middle), precision, carry));
  };
  leaveOut(0, numbers.length, [1n << BigInt(precision)]);
  return found;
}

/** Elementary symmetric polynomials with more numbers; each product is rounded down and then raised by `carry`. */
function withNumbers(
  before: readonly bigint[],
  numbers: readonly bigint[],
  precision: number,
  carry: bigint,
): bigint[] {
  const polynomials = [...before];
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
