import { normalQuantile } from './normal';
import { sum, type Counts, type Support } from './output-model';
import type { ResponseModel } from './response-model';

/** A part of a larger group. */
export interface Part {
  readonly group: readonly string[];
  readonly counts: Counts;
  readonly sources: number;
}

/** A group that stands out follows its own reports. */
export const LEAST_STRENGTH = 1;

export function together(parts: readonly Part[]): Counts {
  const observed = new Map<number, number>();
  for (const { counts } of parts)
    counts.outputs.forEach((output, index) =>
      observed.set(output, (observed.get(output) ?? 0) + (counts.counts[index] ?? 0)),
    );
  return { outputs: [...observed.keys()], counts: [...observed.values()] };
}

/** How far the margins of one group are from those of all: the squared distances over their variances by chance. */
export interface PartSpread {
  /** For each margin: on average `chance`, if the groups differ only by chance. */
  readonly distances: readonly number[];
  readonly chance: number;
  /** What the distances would be beyond that, if each group had only one kind of truth. */
  readonly room: number;
}

export function spreadOf(
  support: Support,
  response: ResponseModel,
  parts: readonly Part[],
  shares: readonly number[],
): readonly PartSpread[] {
  const sources = sum(parts.map((part) => part.sources));
  // As if each group had one more source, of any truth: one group may have truths that the others lack.
  const vague = parts.length / support.outputs.length;
  const prior = support.marginsOf({
    outputs: [...shares.keys()],
    counts: shares.map((share) => (share * sources + vague) / (sources + parts.length)),
  });
  const all = together(parts);
  const { kept } = support.expect(response, all, prior);
  const weights = new Map(
    all.outputs.map((output, index) => [output, (kept.counts[index] ?? 0) / (all.counts[index] ?? 1)]),
  );
  const moments = marginMoments(support, weights);
  const pooled = moments({ outputs: all.outputs, counts: all.counts.map((count) => count / sources) });
  const truth = moments({
    outputs: all.outputs,
    counts: all.outputs.map((output) => shares[output] ?? 0),
  });
  const margins = pooled.means.flatMap((mean, margin) => {
    const variance = (pooled.squares[margin] ?? 0) - mean ** 2;
    const between = response.keep ** 2 * ((truth.squares[margin] ?? 0) - (truth.means[margin] ?? 0) ** 2);
    return variance > 1e-15 ? [{ margin, mean, variance, between }] : [];
  });
  return parts.map(({ counts, sources: own }) => {
    const { means } = moments(counts);
    const rest = 1 - own / sources;
    return {
      distances: margins.map(
        ({ margin, mean, variance }) => ((means[margin] ?? 0) - own * mean) ** 2 / variance,
      ),
      chance: own * rest,
      room: sum(margins.map(({ between, variance }) => (between / variance) * own ** 2 * rest)),
    };
  });
}

/** The probability that some group stands out if their truths are distributed normally. */
const STANDS_OUT = 0.05;
/** The median of the mean of two squared normal numbers: about as many margins are independent of each other for the fewest outputs. */
const MEDIAN_SQUARE = 0.69;

/** Groups much farther from all than most groups are: drawing them to the others, or the others to them, would be wrong. */
export function standingOut(spread: readonly PartSpread[]): ReadonlySet<number> {
  const ratios = spread.map(({ distances, chance }) => sum(distances) / (chance * distances.length || 1));
  const median = [...ratios].sort((a, b) => a - b)[Math.floor(ratios.length / 2)] ?? 0;
  const usual = Math.max(1, median / MEDIAN_SQUARE);
  const most = usual * normalQuantile(1 - STANDS_OUT / (2 * Math.max(ratios.length, 1))) ** 2;
  const apart = ratios.flatMap((ratio, part) => (ratio > most ? [part] : []));
  return new Set(2 * apart.length < ratios.length ? apart : []);
}

/** In squared counts. A group that is all there is differs from all by rounding only. */
const ROUNDING = 1e-9;

/** The weight of a larger group's distribution in its parts, in sources of known truth. */
export interface Likeness {
  readonly strength: number;
  /** As if the parts differed by one standard deviation more. */
  readonly cautious: number;
}

/**
 * How alike groups are, by the method of moments: the weight of the larger group's distribution (the concentration of a Dirichlet
 * distribution), infinite if the groups differ no more than by chance. Few groups show their likeness only roughly.
 */
export function likenessOf(spread: readonly PartSpread[]): Likeness {
  const excess = sum(spread.map(({ distances, chance }) => sum(distances) - chance * distances.length));
  const room = sum(spread.map((part) => part.room));
  // The square of a normal number has twice its squared mean as variance; margins depend on each other.
  const deviation = Math.sqrt(
    2 * sum(spread.map(({ distances, chance }) => (distances.length * chance) ** 2)),
  );
  return {
    strength: excess > ROUNDING ? Math.max(room / excess - 1, LEAST_STRENGTH) : Infinity,
    cautious:
      excess + deviation > ROUNDING ? Math.max(room / (excess + deviation) - 1, LEAST_STRENGTH) : Infinity,
  };
}

/** For each class and each cell, the sum over outputs of how often it occurs in them, weighted; and of its square. */
const marginMoments =
  (support: Support, weights: ReadonlyMap<number, number>) =>
  ({
    outputs,
    counts,
  }: Counts): { readonly means: readonly number[]; readonly squares: readonly number[] } => {
    const [means, squares]: [number[], number[]] = [[], []];
    const classes = support.even().classes.length;
    outputs.forEach((output, index) => {
      const weight = weights.get(output) ?? 0;
      const count = counts[index] ?? 0;
      const occurrences = new Map([[support.classOf[output] ?? 0, 1]]);
      for (const cell of support.cellsOf[output] ?? [])
        occurrences.set(classes + cell, (occurrences.get(classes + cell) ?? 0) + 1);
      for (const [margin, times] of occurrences) {
        means[margin] = (means[margin] ?? 0) + count * weight * times;
        squares[margin] = (squares[margin] ?? 0) + count * (weight * times) ** 2;
      }
    });
    return { means: Array.from(means, zero), squares: Array.from(squares, zero) };
  };

const zero = (value: number | undefined): number => value ?? 0;
