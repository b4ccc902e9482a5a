import { bernoulli } from '../../src/privacy/bernoulli';
import { positive } from '../../src/privacy/parameters';
import { Rational, type Exact } from '../../src/privacy/rational';
import type { RandomSource } from '../../src/privacy/random-source';
import { randomBits, uniformBelow } from '../../src/privacy/uniform';
import { bernoulliExp, INVERSE_E } from './bernoulli';

/**
 * Draws whole numbers z with probability proportional to e^(−|z|/scale), exactly (Canonne, Kamath & Steinke 2020, algorithm 2).
 * Noise from a logarithm of doubles would reveal its input in the low bits (Mironov 2012).
 * @throws ParameterError unless the scale is greater than 0 and finite.
 */
export function discreteLaplace(scale: Exact): (random: RandomSource) => bigint {
  const { numerator: t, denominator: s } = positive('scale', scale);
  return (random) => {
    for (;;) {
      // x is geometric with ratio e^(−1/t), composed of x mod t and x div t. Dividing by s makes the ratio e^(−s/t).
      const rest = t === 1n ? 0n : uniformBelow(random, t);
      if (!bernoulliExp(random, Rational.fraction(rest, t))) continue;
      let units = 0n;
      while (bernoulli(random, INVERSE_E)) units += 1n;
      const size = (rest + t * units) / s;
      const negative = randomBits(random, 1) === 1n;
      // Draw again at −0, or zero would count twice.
      if (!negative) return size;
      if (size > 0n) return -size;
    }
  };
}
