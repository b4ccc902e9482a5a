import { integerParameter } from '../noise/parameters';
import type { Rational } from '../../src/privacy/rational';
import type { RandomSource } from '../../src/privacy/random-source';
import { ceilDivide } from '../../src/privacy/real-bounds';
import { randomBits } from '../../src/privacy/uniform';
import { partOfDiscreteLaplace } from './polya';
import { peopleIn } from './variances';

/** Two inputs with the same sum are told apart with an advantage of at most 2^−SECURITY_BITS. */
const SECURITY_BITS = 40;
/** Noise is beyond so many scales with a probability below 2^−90; the sum would then be off by the modulus. */
const WIDEST_NOISE = 64n;
const LEAST_PEOPLE = 19n;

/**
 * Draws a histogram whose sums nobody but the shuffler could take apart: each person adds a part of the noise to a bit for each bucket, and
 * splits the result into messages. The analyst adds up the messages of all, which no order changes, so none is drawn.
 * @throws ParameterError unless there are at least 19 people, whom the proof of security needs.
 */
export function splitAndMix(
  counts: readonly bigint[],
  scale: Rational,
): (random: RandomSource) => readonly bigint[] {
  const people = integerParameter('counts: their sum', peopleIn(counts), LEAST_PEOPLE);
  const widest = WIDEST_NOISE * ceilDivide(scale.numerator, scale.denominator);
  const bits = (people + 2n * widest).toString(2).length;
  const messages = messagesFor(people, bits);
  const noise = partOfDiscreteLaplace(scale, people);
  return (random) =>
    counts.map((count) => {
      let sum = 0n;
      for (let person = 0n; person < people; person += 1n) {
        const value = (person < count ? 1n : 0n) + noise(random);
        for (const message of split(random, value, bits, messages)) sum += message;
      }
      const rest = BigInt.asUintN(bits, sum);
      return rest > people + widest ? rest - (1n << BigInt(bits)) : rest;
    });
}

/**
 * How many messages each person sends for a sum modulo 2^bits (Balle, Bell, Gascón & Nissim 2020, with one message more than for average
 * inputs).
 */
export const messagesFor = (people: bigint, bits: number, security = SECURITY_BITS): number =>
  2 + Math.ceil((2 * security + bits) / (Math.log2(Number(people)) - Math.LOG2E));

/** One person's number as messages that add up to it modulo 2^bits; all but the last are uniform (Ishai et al. 2006). */
export function split(random: RandomSource, value: bigint, bits: number, messages: number): bigint[] {
  const shares: bigint[] = [];
  let rest = value;
  while (shares.length < messages - 1) {
    const share = randomBits(random, bits);
    shares.push(share);
    rest -= share;
  }
  return [...shares, BigInt.asUintN(bits, rest)];
}
