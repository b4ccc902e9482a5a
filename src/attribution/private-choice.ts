import { probability, type Epsilon, type Probability } from '../model/units';
import { probabilities, weightedIndex } from '../privacy/finite-distribution';
import type { RandomSource } from '../privacy/random-source';
import { exponentialOfMinus, type RealBounds } from '../privacy/real-bounds';
import { bernoulli } from '../privacy/bernoulli';
import { shuffle } from '../privacy/uniform';
import { shortfalls, type ClickChoice } from './click-scores';

/** e^(−ε·(s_max − s_i)/(2Δ)) for each click; 1 for the best. */
const weightsOf = (choice: ClickChoice): readonly RealBounds[] => shortfalls(choice).map(exponentialOfMinus);

/**
 * Picks the index of a click with probability proportional to e^(ε·s_i/(2Δ)), exactly: the exponential mechanism (McSherry &
 * Talwar 2007), ε-private in the time of each click.
 * @throws ParameterError for parameters out of range.
 */
export const exponentialMechanism = (choice: ClickChoice): ((random: RandomSource) => number) =>
  weightedIndex(weightsOf(choice));

export const exponentialMechanismProbabilities = (choice: ClickChoice): readonly RealBounds[] =>
  probabilities(weightsOf(choice));

/**
 * Picks the index of a click: looks at the clicks in random order and takes each with probability e^(−ε·(s_max − s_i)/(2Δ)),
 * which is 1 for the best. Permute-and-flip (McKenna & Sheldon 2020) is as private as the exponential mechanism, and its expected
 * score is never lower.
 * @throws ParameterError for parameters out of range.
 */
export function permuteAndFlip(choice: ClickChoice): (random: RandomSource) => number {
  const coins = weightsOf(choice).map((probability, index) => ({ index, probability }));
  return (random) => {
    for (const { index, probability } of shuffle(random, coins))
      if (bernoulli(random, probability)) return index;
    throw new Error('the best click is taken with probability 1');
  };
}

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
