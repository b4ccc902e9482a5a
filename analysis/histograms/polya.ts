import { bernoulli } from '../../src/privacy/bernoulli';
import { positive } from '../../src/privacy/parameters';
import { Rational, type Exact } from '../../src/privacy/rational';
import type { RandomSource } from '../../src/privacy/random-source';
import {
  ceilDivide,
  difference,
  exponentialOfMinus,
  quotient,
  rationalBounds,
  scaledBy,
} from '../../src/privacy/real-bounds';
import { randomBits } from '../../src/privacy/uniform';
import { bernoulliExp, bernoulliRational } from '../noise/bernoulli';

/**
 * Draws one of `parts` independent whole numbers that add up to discrete Laplace noise of the scale: the difference of two Pólya(1/parts,
 * e^(−1/scale)) numbers (Balle, Bell, Gascón & Nissim 2020). Exact.
 * @throws ParameterError unless the scale is greater than 0 and finite.
 */
export function partOfDiscreteLaplace(scale: Exact, parts: bigint): (random: RandomSource) => bigint {
  const draw = polya(Rational.ONE.over(positive('scale', scale)), parts);
  return (random) => draw(random) - draw(random);
}

/**
 * With α = e^−rate: a Poisson number of jumps, those of size k with mean α^k/(k·parts). For that, jumps with a geometric size and a mean
 * of `most`/parts in all are kept with probability α/(1 − α)/most/k. `most` is a whole number above α/(1 − α) < 1/rate.
 */
function polya(rate: Rational, parts: bigint): (random: RandomSource) => bigint {
  const most = ceilDivide(rate.denominator, rate.numerator);
  const alpha = exponentialOfMinus(rationalBounds(rate));
  const odds = quotient(alpha, difference(rationalBounds(Rational.ONE), alpha));
  const kept = scaledBy(Rational.fraction(1n, most), odds);
  const jumps = poisson(Rational.fraction(most, parts));
  return (random) => {
    let sum = 0n;
    for (let left = jumps(random); left > 0n; left -= 1n) {
      if (!bernoulli(random, kept)) continue;
      let size = 1n;
      while (bernoulliExp(random, rate)) size += 1n;
      if (bernoulliRational(random, Rational.fraction(1n, size))) sum += size;
    }
    return sum;
  };
}

/** The sum of so many Poisson numbers that the mean of each is at most 1/2. */
function poisson(mean: Rational): (random: RandomSource) => bigint {
  const pieces = ceilDivide(2n * mean.numerator, mean.denominator);
  const twice = mean.times(Rational.fraction(2n, pieces));
  return (random) => {
    let sum = 0n;
    for (let piece = 0n; piece < pieces; piece += 1n) sum += smallPoisson(random, twice);
    return sum;
  };
}

/** A Poisson number of mean `twice`/2 ≤ 1/2: k with probability 1/2^(k + 1), kept with probability twice^k/k!. */
function smallPoisson(random: RandomSource, twice: Rational): bigint {
  for (;;) {
    if (randomBits(random, 1) === 0n) return 0n;
    let count = 1n;
    let kept = twice;
    while (randomBits(random, 1) === 1n) {
      count += 1n;
      kept = kept.times(twice).over(Rational.of(count));
    }
    if (bernoulliRational(random, kept)) return count;
  }
}
