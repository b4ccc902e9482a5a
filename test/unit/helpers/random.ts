import type { RandomSource } from '../../../src/privacy/random-source';

/** A source that returns exactly these words, and throws when they run out. */
export class ScriptedSource implements RandomSource {
  used = 0;

  constructor(private readonly words: readonly bigint[]) {}

  uint64(): bigint {
    const word = this.words[this.used];
    if (word === undefined) throw new OutOfWords();
    this.used += 1;
    return word;
  }
}

export class OutOfWords extends Error {}

/** e^x · 2^bits rounded down, by the Taylor series in whole numbers with many more digits than needed. */
export function exponentialFloor(x: number, bits: number): bigint {
  // The largest term has 1.45 x bits before the point; each of the few thousand terms loses less than one unit.
  const precision = BigInt(bits + Math.ceil(1.45 * x) + 400);
  let shift = 0n;
  let numerator = x;
  for (; !Number.isInteger(numerator); shift++) numerator *= 2;
  let term = 1n << precision;
  let sum = 0n;
  for (let index = 1n; term > 0n; index++) {
    sum += term;
    term = (term * BigInt(numerator)) / (index << shift);
  }
  return sum >> (precision - BigInt(bits));
}

/**
 * The value that a chi-square statistic with an even number of degrees of freedom exceeds with the given probability. For 2m degrees the
 * survival function is e^(−x/2) · Σ_{i<m} (x/2)^i / i!, which decreases in x.
 */
export function chiSquareThreshold(degrees: number, falseAlarm: number): number {
  if (degrees % 2 !== 0) throw new RangeError('only even degrees of freedom have this closed form');
  const survival = (x: number): number => {
    let term = Math.exp(-x / 2);
    let sum = 0;
    for (let i = 0; i < degrees / 2; i++) {
      sum += term;
      term *= x / 2 / (i + 1);
    }
    return sum;
  };
  let [low, high] = [0, 1000];
  for (let step = 0; step < 100; step++) {
    const middle = (low + high) / 2;
    if (survival(middle) > falseAlarm) low = middle;
    else high = middle;
  }
  return high;
}

/** Σ (observed − expected)² / expected. */
export const chiSquare = (observed: readonly number[], expected: readonly number[]): number =>
  observed.reduce((sum, count, index) => {
    const mean = expected[index] ?? 0;
    return sum + (count - mean) ** 2 / mean;
  }, 0);
