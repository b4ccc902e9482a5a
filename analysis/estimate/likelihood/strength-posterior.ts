import { greatest } from '../../../numeric/extremes';
import { LEAST_STRENGTH, ROUNDING, type PartSpread } from './group-spread';
import { sum } from './output-model';
import type { Uniform } from './statistical-draws';

/** Possible weights of a larger group's distribution in its parts, in sources of known truth, and how probable each is. */
export interface Strengths {
  readonly values: readonly number[];
  /** The probability of each and of all before it. */
  readonly upTo: readonly number[];
}

export const certain = (strength: number): Strengths => ({ values: [strength], upTo: [1] });

export function drawnStrength({ values, upTo }: Strengths, uniform: Uniform): number {
  if (values.length === 1) return values[0] ?? NaN;
  const chance = uniform();
  let [low, high] = [0, values.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (chance < (upTo[middle] ?? 0)) high = middle;
    else low = middle + 1;
  }
  return values[low] ?? NaN;
}

/** What a part shows about its likeness to the others. */
export interface PartLikeness {
  readonly strengths: Strengths;
  /** The probability that it is not like the others of its larger group. */
  readonly apart: number;
}

/** The least standard deviation of the shares of parts, as a part of the greatest, that is told from none. */
const LEAST_DEVIATION = 1e-4;
const POINTS = 80;

/** Standard deviations of the parts' shares, in units of that of a single truth; each with its share of the range. */
const GRID: readonly { readonly deviation: number; readonly share: number }[] = (() => {
  const ends = Array.from({ length: POINTS + 1 }, (_, at) => LEAST_DEVIATION ** (1 - at / POINTS));
  const most = 1 / Math.sqrt(LEAST_STRENGTH + 1);
  return ends.map((high, at) => {
    const low = ends[at - 1] ?? 0;
    return { deviation: most * Math.sqrt(low * high), share: high - low };
  });
})();

const LOG_SHARES = GRID.map(({ share }) => Math.log(share));
const STRENGTHS = [...GRID.map(({ deviation }) => 1 / deviation ** 2 - 1), LEAST_STRENGTH];

/** The share of parts that differ otherwise than the others. */
const UNLIKE = 0.05;

/**
 * How probable each strength is for each part. Parts show their likeness only roughly, so their intervals must not count it as known. All standard
 * deviations are equally likely before (Gelman 2006). With probability one half, the parts of a larger group differ as those of the others of its
 * level do, and otherwise they alone say how (a robust mixture prior: Schmidli et al. 2014). In the same way, a part is not like the others with
 * probability `UNLIKE`.
 * @param spreads of the parts of each larger group of a level.
 */
export function partLikenesses(
  spreads: readonly (readonly PartSpread[])[],
): readonly (readonly PartLikeness[])[] {
  const found = spreads.map((spread) => spread.map((part) => evidenceOf(part, spread.length)));
  const ofAll = added(found.flat());
  return found.map((parts) => {
    const own = added(parts);
    const others = normalised(ofAll.map((log, at) => log - (own[at] ?? 0)));
    const prior = GRID.map(({ share }, at) => Math.log((share + (others[at] ?? 0)) / 2));
    return parts.map((part): PartLikeness => {
      if (part === null) return { strengths: certain(Infinity), apart: 0 };
      const ofOthers = normalised(
        own.map((log, at) => log - (part.robust[at] ?? 0) + (prior[at] ?? 0) - (LOG_SHARES[at] ?? 0)),
      );
      const alike = (1 - UNLIKE) * dot(ofOthers, part.alike);
      const apart = (UNLIKE * part.apart) / (alike + UNLIKE * part.apart);
      const shares = ofOthers.map((share, at) => share * (part.likely[at] ?? 0));
      const total = sum(shares);
      let before = 0;
      const upTo = shares.map((share) => (before += (share / total) * (1 - apart)));
      // A part that is unlike follows its own reports.
      upTo.push(before + apart);
      return { strengths: { values: STRENGTHS, upTo }, apart };
    });
  });
}

function dot(one: readonly number[], other: readonly number[]): number {
  let total = 0;
  for (let at = 0; at < one.length; at++) total += (one[at] ?? 0) * (other[at] ?? 0);
  return total;
}

/** The density of a part's distance, up to a constant. */
interface Evidence {
  /** For each point of the grid, as if all margins depended on each other, so that likeness is never too sure. */
  readonly likely: readonly number[];
  /** The logarithm of the same if the part may be unlike the others. */
  readonly robust: readonly number[];
  /** For each point of the grid if the part is like the others, and if it is not: as if so many margins as vary as much were independent. */
  readonly alike: readonly number[];
  readonly apart: number;
}

/**
 * As if a part's distance were the sum of the squares of independent normal numbers. Null for a group that is all there is.
 * @param parts how many parts the larger group has. Their distances are from their own mean.
 */
function evidenceOf(
  { distances, chance, room, wide, independent }: PartSpread,
  parts: number,
): Evidence | null {
  if (chance <= ROUNDING) return null;
  const mean = chance * distances.length;
  // Where nothing varies, all strengths are as probable as before.
  const margins = distances.length === 0 ? 1 : independent;
  const total = sum(distances);
  const ofWidth = (width: number): number[] =>
    GRID.map(({ deviation }) => {
      const own = mean + width * deviation ** 2;
      return own === 0 ? 0 : ((Math.log(own) + total / own) / -2) * (1 - 1 / parts);
    });
  const [own, far] = [ofWidth(room), ofWidth(wide)];
  const most = Math.max(greatest(own), greatest(far));
  const overFar = (times: number): number => {
    let all = 0;
    for (let at = 0; at < GRID.length; at++)
      all += Math.exp(times * ((far[at] ?? 0) - most)) * (GRID[at]?.share ?? 0);
    return all;
  };
  const unlike = UNLIKE * overFar(1);
  const likely = own.map((log) => Math.exp(log - most));
  return {
    likely,
    robust: likely.map((density) => Math.log((1 - UNLIKE) * density + unlike)),
    alike: own.map((log) => Math.exp(margins * (log - most))),
    apart: overFar(margins),
  };
}

function added(parts: readonly (Evidence | null)[]): readonly number[] {
  const all = GRID.map(() => 0);
  for (const part of parts)
    if (part !== null)
      for (let at = 0; at < all.length; at++) all[at] = (all[at] ?? 0) + (part.robust[at] ?? 0);
  return all;
}

/** The shares of the points of the grid, given the logarithm of their density. */
function normalised(logs: readonly number[]): readonly number[] {
  const most = greatest(logs);
  const shares = logs.map((log, at) => Math.exp(log - most) * (GRID[at]?.share ?? 0));
  const total = sum(shares);
  return shares.map((share) => share / total);
}
