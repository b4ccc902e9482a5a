import type { RandomNumbers } from '../learn/random-numbers';
import { coalitionOf, joinings, type Coalition } from './shapley';

/** The journeys with exactly these channels. */
export interface ChannelSet {
  readonly channels: readonly number[];
  readonly journeys: number;
  /** Known, or an estimate without bias. */
  readonly conversions: number;
  /** The variance of the estimate; 0 if the rate is known. */
  readonly variance: number;
}

export interface Credit {
  readonly credit: number;
  readonly variance: number;
}

/** The rate of a set with fewer journeys is taken from the largest sets within it that have as many. */
export const LEAST_JOURNEYS = 30;

interface CountedSet extends ChannelSet {
  readonly coalition: Coalition;
}

/** A rate of conversions, as a sum over sets of conversions times weight. */
type Rate = readonly { readonly set: CountedSet; readonly weight: number }[];

/**
 * Credits channels with their Shapley values in the games of all journeys. In the game of a journey the players are its channels, and a
 * coalition is worth the rate of conversions of journeys with exactly these channels. No channel is worth nothing, so that credits add up to the
 * conversions. They are linear in the conversions: estimates without bias make credits without bias, with a known variance.
 * @param channelCount channels are numbered from 0.
 */
export function shapleyCredits(
  sets: readonly ChannelSet[],
  channelCount: number,
  random: RandomNumbers,
): readonly Credit[] {
  const counted = sets.map((set): CountedSet => ({ ...set, coalition: coalitionOf(set.channels) }));
  const weights = Array.from({ length: channelCount }, () => new Map<CountedSet, number>());
  for (const set of counted) {
    const rateOf = ratesWithin(set, counted);
    for (const { player, others, weight } of joinings(set.channels, random)) {
      const own = weights[player] ?? new Map<CountedSet, number>();
      addRate(own, rateOf(others | (1n << BigInt(player))), weight * set.journeys);
      addRate(own, rateOf(others), -weight * set.journeys);
    }
  }
  return weights.map((own) => {
    let [credit, variance] = [0, 0];
    for (const [set, weight] of own) {
      credit += weight * set.conversions;
      variance += weight ** 2 * set.variance;
    }
    return { credit, variance };
  });
}

function addRate(sums: Map<CountedSet, number>, rate: Rate, factor: number): void {
  for (const { set, weight } of rate) sums.set(set, (sums.get(set) ?? 0) + factor * weight);
}

/** The rates of the coalitions within a set. */
function ratesWithin(whole: CountedSet, sets: readonly CountedSet[]): (coalition: Coalition) => Rate {
  const usable = sets.filter(
    (set) => set.journeys >= LEAST_JOURNEYS && (set.coalition & whole.coalition) === set.coalition,
  );
  const known = new Map<Coalition, Rate>([
    [0n, []],
    [whole.coalition, [{ set: whole, weight: 1 / whole.journeys }]],
  ]);
  return (coalition) => {
    const rate = known.get(coalition) ?? pooledRate(coalition, usable);
    known.set(coalition, rate);
    return rate;
  };
}

/** The rate of the largest usable sets within a coalition together. This is the coalition alone if it is usable. */
function pooledRate(coalition: Coalition, usable: readonly CountedSet[]): Rate {
  const within = usable.filter((set) => (set.coalition & coalition) === set.coalition);
  const most = within.reduce((size, { channels }) => Math.max(size, channels.length), 0);
  const largest = within.filter(({ channels }) => channels.length === most);
  const journeys = largest.reduce((sum, set) => sum + set.journeys, 0);
  return largest.map((set) => ({ set, weight: 1 / journeys }));
}
