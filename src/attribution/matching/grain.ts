import type { Rational } from '../../privacy/rational';
import { ceilDivide, floorDivide } from '../../privacy/real-bounds';

/** The nearest whole multiple of the grain, halves up, as the multiple: x is off by half a grain at most. */
export function inGrains(x: Rational, grain: Rational): bigint {
  const { numerator, denominator } = x.over(grain);
  return floorDivide(2n * numerator + denominator, 2n * denominator);
}

/**
 * By how many grains two numbers differ after rounding if they differ by Δ at most before: ⌈Δ/g⌉. For rounding keeps the order
 * and adds a whole number to what a whole number was added to. So it costs nothing if Δ is a whole multiple of the grain, and else
 * less than a grain.
 */
export function sensitivityInGrains(sensitivity: Rational, grain: Rational): bigint {
  const { numerator, denominator } = sensitivity.over(grain);
  return ceilDivide(numerator, denominator);
}
