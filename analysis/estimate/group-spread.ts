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
  /** The same if all kinds of truths were equally likely. */
  readonly wide: number;
  /** As many independent margins vary as much together (Satterthwaite 1946). */
  readonly independent: number;
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
  const every = moments({ outputs: [...shares.keys()], counts: shares.map(() => 1 / shares.length) });
  const margins = pooled.means.flatMap((mean, margin) => {
    const variance = (pooled.squares[margin] ?? 0) - mean ** 2;
    const own = truth.means[margin] ?? 0;
    const between = response.keep ** 2 * ((truth.squares[margin] ?? 0) - own ** 2);
    const far =
      response.keep ** 2 * ((every.squares[margin] ?? 0) - 2 * own * (every.means[margin] ?? 0) + own ** 2);
    return variance > 1e-15 ? [{ margin, mean, variance, between, far }] : [];
  });
  const independent = independentOf(support, weights, all, sources, margins);
  return parts.map(({ counts, sources: own }) => {
    const { means } = moments(counts);
    const rest = 1 - own / sources;
    const beyond = own ** 2 * rest;
    return {
      distances: margins.map(
        ({ margin, mean, variance }) => ((means[margin] ?? 0) - own * mean) ** 2 / variance,
      ),
      chance: own * rest,
      room: beyond * sum(margins.map(({ between, variance }) => between / variance)),
      wide: beyond * sum(margins.map(({ far, variance }) => far / variance)),
      independent,
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
export const ROUNDING = 1e-9;

/**
 * How alike groups are, by the method of moments: the weight of the larger group's distribution (the concentration of a Dirichlet
 * distribution) in sources of known truth, infinite if the groups differ no more than by chance.
 */
export function strengthOf(spread: readonly PartSpread[]): number {
  const excess = sum(spread.map(({ distances, chance }) => sum(distances) - chance * distances.length));
  const room = sum(spread.map((part) => part.room));
  return excess > ROUNDING ? Math.max(room / excess - 1, LEAST_STRENGTH) : Infinity;
}

/** The squared number of margins over the sum of their squared correlations. */
function independentOf(
  support: Support,
  weights: ReadonlyMap<number, number>,
  { outputs, counts }: Counts,
  sources: number,
  margins: readonly { readonly margin: number; readonly mean: number; readonly variance: number }[],
): number {
  const known = new Map(margins.map((own) => [own.margin, own]));
  const products = new Map<string, { readonly means: number; readonly variances: number; product: number }>();
  outputs.forEach((output, index) => {
    const weight = (counts[index] ?? 0) * (weights.get(output) ?? 0) ** 2;
    const all = [...occurrencesOf(support, output)];
    for (const [one, times] of all)
      for (const [other, more] of all) {
        const [first, second] = [known.get(one), known.get(other)];
        if (first === undefined || second === undefined) continue;
        const key = `${one} ${other}`;
        const pair = products.get(key) ?? {
          means: first.mean * second.mean,
          variances: first.variance * second.variance,
          product: 0,
        };
        products.set(key, pair);
        pair.product += (weight * times * more) / sources;
      }
  });
  // Most pairs occur in no output, so only their means count.
  let squares = sum(margins.map(({ mean, variance }) => mean ** 2 / variance)) ** 2;
  for (const { means, variances, product } of products.values())
    squares += (product ** 2 - 2 * product * means) / variances;
  return Math.min(Math.max(margins.length ** 2 / squares, 1), Math.max(margins.length, 1));
}

/** How often each class and each cell occurs in an output; cells come after the classes. */
function occurrencesOf(support: Support, output: number): ReadonlyMap<number, number> {
  const classes = support.examples.length;
  const occurrences = new Map([[support.classOf[output] ?? 0, 1]]);
  for (const cell of support.cellsOf[output] ?? [])
    occurrences.set(classes + cell, (occurrences.get(classes + cell) ?? 0) + 1);
  return occurrences;
}

/** For each class and each cell, the sum over outputs of how often it occurs in them, weighted; and of its square. */
const marginMoments =
  (support: Support, weights: ReadonlyMap<number, number>) =>
  ({
    outputs,
    counts,
  }: Counts): { readonly means: readonly number[]; readonly squares: readonly number[] } => {
    const [means, squares]: [number[], number[]] = [[], []];
    outputs.forEach((output, index) => {
      const weight = weights.get(output) ?? 0;
      const count = counts[index] ?? 0;
      for (const [margin, times] of occurrencesOf(support, output)) {
        means[margin] = (means[margin] ?? 0) + count * weight * times;
        squares[margin] = (squares[margin] ?? 0) + count * (weight * times) ** 2;
      }
    });
    return { means: Array.from(means, zero), squares: Array.from(squares, zero) };
  };

const zero = (value: number | undefined): number => value ?? 0;
