import type { RandomSource } from '../../src/privacy/random-source';

/** Bounds of a probability, in units of 2^−PRECISION. */
export interface Chance {
  readonly lower: bigint;
  readonly upper: bigint;
}

export const PRECISION = 256;
const ONE = 1n << BigInt(PRECISION);

/** The probability of each output. */
export type Distribution = ReadonlyMap<string, Chance>;

/** A decision on the way: which of its possible results is taken, and the probability of each. */
interface Decision {
  taken: number;
  readonly chances: readonly Chance[];
}

/** There are more ways than can be tried. */
export class TooManyOutcomes extends Error {}

/**
 * The exact distribution of what `run` outputs: runs it once for every way in which its random decisions can fall.
 * @param most how many runs are allowed
 * @throws TooManyOutcomes when there are more
 */
export async function distributionOf(
  run: (random: RandomSource) => Promise<string>,
  most: number,
): Promise<Distribution> {
  const found = new Map<string, Chance>();
  let path: Decision[] = [];
  for (let runs = 0; ; runs++) {
    if (runs === most) throw new TooManyOutcomes(`there are more than ${most} ways`);
    const output = await run(following(path));
    const { lower, upper } = found.get(output) ?? { lower: 0n, upper: 0n };
    const chance = chanceOf(path);
    found.set(output, { lower: lower + chance.lower, upper: upper + chance.upper });
    path = path.slice(0, path.findLastIndex((decision) => nextResult(decision) !== null) + 1);
    const last = path.at(-1);
    if (last === undefined) return found;
    last.taken = nextResult(last) ?? last.taken;
  }
}

/** Takes the decisions of `path`, and from there on always the first possible result, which it adds to the path. */
function following(path: Decision[]): RandomSource {
  let place = 0;
  return {
    // Only names are made of words: they say nothing.
    uint64: () => 0n,
    decide(probabilities) {
      if (place === path.length) {
        const chances = probabilities.map((probability) => probability(PRECISION));
        path.push({ taken: chances.findIndex(isPossible), chances });
      }
      return path[place++]?.taken ?? 0;
    },
  };
}

const isPossible = ({ upper }: Chance): boolean => upper > 0n;

/** The next possible result of a decision; null after the last. */
function nextResult({ taken, chances }: Decision): number | null {
  const next = chances.findIndex((chance, index) => index > taken && isPossible(chance));
  return next < 0 ? null : next;
}

function chanceOf(path: readonly Decision[]): Chance {
  let [lower, upper] = [ONE, ONE];
  for (const { taken, chances } of path) {
    const chance = chances[taken] ?? { lower: 0n, upper: 0n };
    lower = (lower * (chance.lower < 0n ? 0n : chance.lower)) >> BigInt(PRECISION);
    upper = ((upper * chance.upper) >> BigInt(PRECISION)) + 1n;
  }
  return { lower, upper };
}
