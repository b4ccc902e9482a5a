import type { RandomSource } from '../../src/privacy/random-source';
import { uniformBelow } from '../../src/privacy/uniform';

/* All probabilities are fractions of whole numbers, so that a seed gives the same log on every machine. */

export const chance = (random: RandomSource, favourable: bigint, possible: bigint): boolean =>
  uniformBelow(random, possible) < favourable;

/** 2 to the number of consecutive successes at this chance, at most 2¹². */
export function doublings(random: RandomSource, favourable: bigint, possible: bigint): number {
  let factor = 1;
  while (factor < 4096 && chance(random, favourable, possible)) factor *= 2;
  return factor;
}

/** Uniform from `least` · `factor` (inclusive) to (`least` + `range`) · `factor` (exclusive). */
export const below = (random: RandomSource, range: number, factor: number, least: number): number =>
  least * factor + Number(uniformBelow(random, BigInt(range * factor)));

/**
 * Draws an item with probability proportional to its weight, a whole number.
 * @throws RangeError when no item has a weight above 0.
 */
export function weighted<Item extends { readonly weight: number }>(
  random: RandomSource,
  items: readonly Item[],
): Item {
  const total = items.reduce((sum, { weight }) => sum + weight, 0);
  let place = Number(uniformBelow(random, BigInt(total)));
  const found = items.find(({ weight }) => (place -= weight) < 0);
  if (found === undefined) throw new RangeError('weights must be whole numbers, none below 0');
  return found;
}
