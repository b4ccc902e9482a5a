import { weightedIndex } from '../privacy/finite-distribution';
import type { RandomSource } from '../privacy/random-source';
import { exponentialOfMinus, type RealBounds } from '../privacy/real-bounds';
import { bernoulli } from '../privacy/bernoulli';
import { shuffle } from '../privacy/uniform';
import { shortfalls, type ClickChoice } from './click-scores';

/** e^(−ε·(s_max − s_i)/(2Δ)) for each click; 1 for the best. */
export const weightsOf = (choice: ClickChoice): readonly RealBounds[] =>
  shortfalls(choice).map(exponentialOfMinus);

/**
 * Picks the index of a click with probability proportional to e^(ε·s_i/(2Δ)), exactly: the exponential mechanism (McSherry &
 * Talwar 2007), ε-private in the time of each click.
 * @throws ParameterError for parameters out of range.
 */
export const exponentialMechanism = (choice: ClickChoice): ((random: RandomSource) => number) =>
  weightedIndex(weightsOf(choice));

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
