import type { RandomNumbers } from '../learn/random-numbers';

/** Players as the bits of a number. */
export type Coalition = bigint;

export const coalitionOf = (players: Iterable<number>): Coalition => {
  let coalition = 0n;
  for (const player of players) coalition |= 1n << BigInt(player);
  return coalition;
};

/** A player joins others; the weight of this in the Shapley value of the player. */
export interface Joining {
  readonly player: number;
  readonly others: Coalition;
  readonly weight: number;
}

export interface ShapleyOptions {
  /** With more players, orders are drawn instead. */
  readonly exactUpTo: number;
  /** How many. */
  readonly orders: number;
}

/** The 2^(n − 1) sets that each of n players can join take a few milliseconds up to here. */
export const EXACT_UP_TO = 12;
const usualShapley: ShapleyOptions = { exactUpTo: EXACT_UP_TO, orders: 200 };

/**
 * The terms of Shapley values: a player's value in any game is the sum of weight · (worth(others and player) − worth(others)). For few
 * players these are all sets of others, with weight |S|!·(n − |S| − 1)!/n!; for many, those met in random orders, whose mean is the same.
 */
export function* joinings(
  players: readonly number[],
  random: RandomNumbers,
  { exactUpTo, orders }: ShapleyOptions = usualShapley,
): Generator<Joining, void, undefined> {
  if (players.length <= exactUpTo) {
    for (const player of players) yield* joiningsOf(player, players);
    return;
  }
  for (let drawn = 0; drawn < orders; drawn++) {
    let others: Coalition = 0n;
    for (const place of random.order(players.length)) {
      const player = players[place] ?? 0;
      yield { player, others, weight: 1 / orders };
      others |= 1n << BigInt(player);
    }
  }
}

function* joiningsOf(player: number, players: readonly number[]): Generator<Joining, void, undefined> {
  const others = players.filter((other) => other !== player);
  const weights = orderWeights(players.length);
  for (let subset = 0; subset < 2 ** others.length; subset++) {
    const chosen = others.filter((_, place) => (subset >> place) % 2 === 1);
    yield { player, others: coalitionOf(chosen), weight: weights[chosen.length] ?? 0 };
  }
}

/** By how many come before a player: 1/n for their number, shared by all sets of that size. */
function orderWeights(players: number): readonly number[] {
  let sets = 1;
  return Array.from({ length: players }, (_, before) => {
    const weight = 1 / (players * sets);
    sets = (sets * (players - 1 - before)) / (before + 1);
    return weight;
  });
}
