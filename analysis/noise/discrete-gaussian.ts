import { bernoulliExp } from './bernoulli';
import { discreteLaplace } from './discrete-laplace';
import { positive } from '../../src/privacy/parameters';
import { Rational, type Exact } from '../../src/privacy/rational';
import type { RandomSource } from '../../src/privacy/random-source';

/**
 * Draws whole numbers z with probability proportional to e^(−z²/2σ²), exactly (Canonne, Kamath & Steinke 2020, algorithm 3): discrete
 * Laplace numbers of about the same width, each kept with the probability that makes the ratio right.
 * @param variance σ², greater than 0.
 * @throws ParameterError unless it is.
 */
export function discreteGaussian(variance: Exact): (random: RandomSource) => bigint {
  const squared = positive('variance', variance);
  const scale = Rational.of(rootBelow(squared.numerator / squared.denominator) + 1n);
  const propose = discreteLaplace(scale);
  const centre = squared.over(scale);
  const twice = squared.times(Rational.of(2));
  return (random) => {
    for (;;) {
      const drawn = propose(random);
      const distance = Rational.of(drawn < 0n ? -drawn : drawn).minus(centre);
      if (bernoulliExp(random, distance.times(distance).over(twice))) return drawn;
    }
  };
}

/** The greatest whole number whose square is at most `square` (Newton's method). */
function rootBelow(square: bigint): bigint {
  if (square < 2n) return square;
  let root = 1n << BigInt((square.toString(2).length + 1) >> 1);
  for (;;) {
    const next = (root + square / root) >> 1n;
    if (next >= root) return root;
    root = next;
  }
}
