import type { Epsilon } from '../../../src/model/units';
import { Rational } from '../../../src/privacy/rational';
import { exponentialOfMinus, rationalBounds } from '../../../src/privacy/real-bounds';

/** The probabilities of randomized response over k states, as decimals with correct digits only. */
export interface ResponseDigits {
  /** k/(k − 1 + e^ε): the output is drawn at random. */
  readonly replaced: string;
  /** e^ε/(k − 1 + e^ε): the output is the true state. */
  readonly truth: string;
  /** 1/(k − 1 + e^ε): the output is one given other state. */
  readonly other: string;
}

/**
 * Every probability to `digits` significant digits, truncated. The bounds of e^−ε narrow until both give the same digits. This
 * ends: for ε ≠ 0 the probabilities are irrational.
 * @throws RangeError unless `states` ≥ 1 and `epsilon` is finite and at least 0.
 */
export function responseDigits(states: bigint, epsilon: Epsilon, digits: number): ResponseDigits {
  if (states < 1n) throw new RangeError(`states must be at least 1, was ${String(states)}`);
  const power = exponentialOfMinus(rationalBounds(Rational.double(epsilon)));
  const decimals = (part: (one: bigint, power: bigint) => bigint): string => {
    for (let bits = 64; ; bits *= 2) {
      const { lower, upper } = power(bits);
      if (lower === 0n) continue;
      const one = 1n << BigInt(bits);
      const at = (e: bigint): string => decimal(part(one, e), (states - 1n) * e + one, digits);
      const [a, b] = [at(lower), at(upper)];
      if (a === b) return a;
    }
  };
  return {
    replaced: decimals((_, e) => states * e),
    truth: states === 1n ? '1' : decimals((one) => one),
    other: states === 1n ? '0' : decimals((_, e) => e),
  };
}

function decimal(numerator: bigint, denominator: bigint, digits: number): string {
  if (numerator >= denominator) return '1';
  let zeros = 0;
  let scaled = numerator * 10n;
  while (scaled < denominator) {
    scaled *= 10n;
    zeros += 1;
  }
  const significant = String((scaled * 10n ** BigInt(digits - 1)) / denominator).padStart(digits, '0');
  const written = `0.${'0'.repeat(zeros)}${significant.slice(0, digits)}`;
  let length = written.length;
  while (written[length - 1] === '0') length--;
  return written.slice(0, length);
}
