import { bernoulli, bernoulliExp, INVERSE_E } from './bernoulli';
import { positive } from './parameters';
import { Rational, type Exact } from './rational';
import type { RandomSource } from './random-source';
import { randomBits, uniformBelow } from './uniform';

/**
 * Draws whole numbers z with probability proportional to e^(−|z|/scale), exactly (Canonne, Kamath & Steinke 2020, algorithm
 * 2). Added to a whole number that one person changes by at most Δ, it is ε-differentially private for scale = Δ/ε. The
 * textbook's logarithm of a double is not: its low bits give the input away (Mironov 2012).
 * @throws ParameterError unless the scale is greater than 0 and finite.
 */
export function discreteLaplace(scale: Exact): (random: RandomSource) => bigint {
  const { numerator: t, denominator: s } = positive('scale', scale);
  return (random) => {
    for (;;) {
      // x is geometric with ratio e^(−1/t), taken apart into x mod t and x div t; dividing by s makes the ratio e^(−s/t).
      const rest = t === 1n ? 0n : uniformBelow(random, t);
      if (!bernoulliExp(random, Rational.fraction(rest, t))) continue;
      let units = 0n;
      while (bernoulli(random, INVERSE_E)) units += 1n;
      const size = (rest + t * units) / s;
      const negative = randomBits(random, 1) === 1n;
      // Zero has one sign, not two.
      if (!negative) return size;
      if (size > 0n) return -size;
    }
  };
}
