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
        own.map(
          (log, at) => log - (part.robust[at] ?? 0) + (prior[at] ?? 0) - Math.log(GRID[at]?.share ?? 0),
        ),
      );
      const alike = (1 - UNLIKE) * sum(ofOthers.map((share, at) => share * (part.alike[at] ?? 0)));
      const apart = (UNLIKE * part.apart) / (alike + UNLIKE * part.apart);
      const shares = ofOthers.map((share, at) => share * Math.exp(part.logs[at] ?? 0));
      const total = sum(shares);
      let before = 0;
      return {
        // A part that is unlike follows its own reports.
        strengths: {
          values: [...GRID.map(({ deviation }) => 1 / deviation ** 2 - 1), LEAST_STRENGTH],
          upTo: [...shares.map((share) => (share / total) * (1 - apart)), apart].map(
            (share) => (before += share),
          ),
        },
        apart,
      };
    });
  });
}

/** The density of a part's distance, up to a constant. */
interface Evidence {
  /** For each point of the grid, its logarithm as if all margins depended on each other, so that likeness is never too sure. */
  readonly logs: readonly number[];
  /** The same if the part may be unlike the others. */
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
  // Where nothing varies, such as the cells of groups whose reports are all in one, all strengths are as probable as before.
  const margins = distances.length === 0 ? 1 : independent;
  const ofWidth = (width: number): readonly number[] =>
    GRID.map(({ deviation }) => {
      const own = mean + width * deviation ** 2;
      if (own === 0) return 0;
      return ((Math.log(own) + sum(distances) / own) / -2) * (1 - 1 / parts);
    });
  const [own, far] = [ofWidth(room), ofWidth(wide)];
  const most = [...own, ...far].reduce((a, b) => Math.max(a, b), -Infinity);
  const logs = own.map((log) => log - most);
  const overFar = (times: number): number =>
    sum(far.map((log, at) => Math.exp(times * (log - most)) * (GRID[at]?.share ?? 0)));
  const unlike = UNLIKE * overFar(1);
  return {
    logs,
    robust: logs.map((log) => Math.log((1 - UNLIKE) * Math.exp(log) + unlike)),
    alike: logs.map((log) => Math.exp(margins * log)),
    apart: overFar(margins),
  };
}

const added = (parts: readonly (Evidence | null)[]): readonly number[] =>
  GRID.map((_, at) => sum(parts.map((part) => part?.robust[at] ?? 0)));

/** The shares of the points of the grid, given the logarithm of their density. */
function normalised(logs: readonly number[]): readonly number[] {
  const most = logs.reduce((a, b) => Math.max(a, b), -Infinity);
  const shares = logs.map((log, at) => Math.exp(log - most) * (GRID[at]?.share ?? 0));
  const total = sum(shares);
  return shares.map((share) => share / total);
}
