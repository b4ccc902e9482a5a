import { chiSquareQuantile, normalQuantile } from '../intervals/normal';
import { sum, type Counts, type Support } from './output-model';
import type { ResponseModel } from '../quantities/response-model';

/** A part of a larger group. */
export interface Part {
  readonly group: readonly string[];
  readonly counts: Counts;
  readonly sources: number;
}

/** A group that stands out follows its own reports. */
export const LEAST_STRENGTH = 1;

/** Fewer groups show only roughly how alike they are. */
export const FEW_GROUPS = 10;

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
  /** The mean over margins of their excess kurtosis by chance, and of its square: margins with few sources have heavy tails. */
  readonly excess: readonly [mean: number, square: number];
}

/** All reports, and the probability of each output that its source kept its truth. */
function weightedBy(
  support: Support,
  response: ResponseModel,
  parts: readonly Part[],
  shares: readonly number[],
): { readonly all: Counts; readonly weights: readonly number[]; readonly sources: number } {
  const sources = sum(parts.map((part) => part.sources));
  // As if each group had one more source, of any truth: one group may have truths that the others lack.
  const vague = parts.length / support.outputs.length;
  const prior = support.marginsOf({
    outputs: [...shares.keys()],
    counts: shares.map((share) => (share * sources + vague) / (sources + parts.length)),
  });
  const all = together(parts);
  const { kept } = support.expect(response, all, prior);
  const weights = support.outputs.map(() => 0);
  all.outputs.forEach((output, index) => {
    weights[output] = (kept.counts[index] ?? 0) / (all.counts[index] ?? 1);
  });
  return { all, weights, sources };
}

export function spreadOf(
  support: Support,
  response: ResponseModel,
  parts: readonly Part[],
  shares: readonly number[],
): readonly PartSpread[] {
  const { all, weights, sources } = weightedBy(support, response, parts, shares);
  const moments = new MarginMoments(support, weights);
  const pooled = moments.of({ outputs: all.outputs, counts: all.counts.map((count) => count / sources) });
  const truth = moments.of({
    outputs: all.outputs,
    counts: all.outputs.map((output) => shares[output] ?? 0),
  });
  const every = moments.of({ outputs: [...shares.keys()], counts: shares.map(() => 1 / shares.length) });
  const margins = pooled.means.flatMap((mean, margin) => {
    const variance = (pooled.squares[margin] ?? 0) - mean ** 2;
    const own = truth.means[margin] ?? 0;
    const between = response.keep ** 2 * ((truth.squares[margin] ?? 0) - own ** 2);
    const far =
      response.keep ** 2 * ((every.squares[margin] ?? 0) - 2 * own * (every.means[margin] ?? 0) + own ** 2);
    return variance > 1e-15 ? [{ margin, mean, variance, between, far }] : [];
  });
  const independent = independentOf(support, weights, all, sources, margins);
  const [excess, excessSquared] = excessOf(pooled, margins);
  return parts.map(({ counts, sources: own }) => {
    const means = moments.means(counts);
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
      excess: own === 0 ? [0, 0] : [excess / own, excessSquared / own ** 2],
    };
  });
}

/** The mean over margins of the excess kurtosis of one source, at least that of normal numbers, and of its square. */
function excessOf(
  { squares, cubes, fourths }: Moments,
  margins: readonly { readonly margin: number; readonly mean: number; readonly variance: number }[],
): readonly [mean: number, square: number] {
  const all = margins.map(({ margin, mean, variance }) => {
    const [second, third, fourth] = [squares[margin] ?? 0, cubes[margin] ?? 0, fourths[margin] ?? 0];
    const central = fourth - 4 * mean * third + 6 * mean ** 2 * second - 3 * mean ** 4;
    return Math.max(central / variance ** 2 - 3, 0);
  });
  const meanOf = (values: readonly number[]): number => sum(values) / Math.max(values.length, 1);
  return [meanOf(all), meanOf(all.map((own) => own ** 2))];
}

/** The probability of an error, in each test. */
const ERROR = 0.05;

/**
 * Groups much farther from all than most groups are: shrinking them towards the others, or the others towards them, would be wrong. If all parts of a larger
 * group are alike, one stands out with a probability of about 5 %, at most.
 */
export function standingOut(spread: readonly PartSpread[]): ReadonlySet<number> {
  const probability = 1 - ERROR / Math.max(spread.length, 1);
  /** Against what chance explains: one in the median group, but no less, and the most of all groups. */
  const ratios = spread.map((part) => {
    const ratio = sum(part.distances) / (part.chance * part.distances.length || 1);
    return { ratio, usual: ratio / medianByChance(part), most: mostByChance(part, probability) };
  });
  const median = ratios.map(({ usual }) => usual).sort((a, b) => a - b)[Math.floor(ratios.length / 2)] ?? 0;
  const usual = Math.max(1, median);
  const apart = ratios.flatMap(({ ratio, most }, part) => (ratio > usual * most ? [part] : []));
  return new Set(2 * apart.length < ratios.length ? apart : []);
}

function medianByChance({ independent, excess: [excess] }: PartSpread): number {
  const degrees = Math.max(independent / (1 + excess / 2), 1);
  return chiSquareQuantile(degrees, 0.5) / degrees;
}

/**
 * A quantile of the distances over their mean by chance, from the χ² distribution with the same first three moments (Pearson 1959). The cumulants of a margin
 * are as those of a Poisson number with its excess kurtosis.
 */
function mostByChance({ independent, excess: [excess, squared] }: PartSpread, probability: number): number {
  const variance = 2 + excess;
  const skewness = (8 + 22 * excess + squared) / (variance ** 1.5 * Math.sqrt(independent));
  const degrees = 8 / skewness ** 2;
  const standard = (chiSquareQuantile(degrees, probability) - degrees) / Math.sqrt(2 * degrees);
  return 1 + Math.sqrt(variance / independent) * standard;
}

/** In squared counts. A group that is all there is differs from all by rounding only. */
export const ROUNDING = 1e-9;

/**
 * How alike groups are, by the method of moments: the weight of the larger group's distribution (the concentration of a Dirichlet
 * distribution) in sources of known truth, infinite if the groups differ no more than by chance.
 */
export function strengthOf(spread: readonly PartSpread[]): number {
  const { distance, chance, room } = totalSpread(spread);
  const excess = distance - chance;
  return excess > ROUNDING ? Math.max(room / excess - 1, LEAST_STRENGTH) : Infinity;
}

/** With so few independent differences, shrinkage costs more if parts are unlike than it gains if they are alike (James & Stein 1961). */
const LEAST_FREEDOM = 2;

/**
 * The larger groups whose parts follow their own reports: they are too few to show how alike they are, and the parts of the others in the level do not
 * show it. These are too few, too, or the parts differ more than they do (a test with an error probability of 5 % for each larger group).
 * @param spreads of the parts of each larger group of a level.
 */
export function tooFewToPool(spreads: readonly (readonly PartSpread[])[]): ReadonlySet<number> {
  const most = normalQuantile(1 - ERROR / 2) ** 2;
  const own = spreads.map(totalSpread);
  const totalOver = (value: (spread: TotalSpread) => number): number => sum(own.map(value));
  const all: TotalSpread = {
    freedom: totalOver(({ freedom }) => freedom),
    distance: totalOver(({ distance }) => distance),
    chance: totalOver(({ chance }) => chance),
    room: totalOver(({ room }) => room),
  };
  return new Set(
    own.flatMap(({ freedom, distance, chance, room }, index) => {
      if (freedom > LEAST_FREEDOM || chance <= ROUNDING) return [];
      if (all.freedom - freedom <= LEAST_FREEDOM) return [index];
      const excess = Math.max(all.distance - distance - (all.chance - chance), 0);
      const usual = chance + (excess === 0 ? 0 : room * Math.min(excess / (all.room - room), 1));
      return distance > most * usual ? [index] : [];
    }),
  );
}

/** Whether the parts of a larger group differ by more than chance explains (a test with an error probability of 5 %). */
export function areUnlike(spread: readonly PartSpread[]): boolean {
  const { distance, chance } = totalSpread(spread);
  return distance > normalQuantile(1 - ERROR / 2) ** 2 * chance;
}

interface TotalSpread {
  /** How many independent differences there are. */
  readonly freedom: number;
  readonly distance: number;
  /** The mean of `distance` if the parts differ only by chance. */
  readonly chance: number;
  readonly room: number;
}

const totalSpread = (spread: readonly PartSpread[]): TotalSpread => ({
  freedom: (spread.length - 1) * (spread[0]?.independent ?? 0),
  distance: sum(spread.map(({ distances }) => sum(distances))),
  chance: sum(spread.map(({ chance, distances }) => chance * distances.length)),
  room: sum(spread.map(({ room }) => room)),
});

/** The squared number of margins over the sum of their squared correlations. */
function independentOf(
  support: Support,
  weights: readonly number[],
  { outputs, counts }: Counts,
  sources: number,
  margins: readonly { readonly margin: number; readonly mean: number; readonly variance: number }[],
): number {
  const places = new Map(margins.map(({ margin }, place) => [margin, place]));
  const products = new Map<number, number>();
  outputs.forEach((output, index) => {
    const weight = (counts[index] ?? 0) * (weights[output] ?? 0) ** 2;
    const all = occurrencesOf(support, output).flatMap(([margin, times]) => {
      const place = places.get(margin);
      return place === undefined ? [] : [[place, times] as const];
    });
    for (const [one, times] of all)
      for (const [other, more] of all) {
        if (other > one) continue;
        const pair = one * margins.length + other;
        products.set(pair, (products.get(pair) ?? 0) + (weight * times * more) / sources);
      }
  });
  // Most pairs occur in no output, so only their means count.
  let squares = sum(margins.map(({ mean, variance }) => mean ** 2 / variance)) ** 2;
  for (const [pair, product] of products) {
    const first = margins[Math.floor(pair / margins.length)];
    const second = margins[pair % margins.length];
    if (first === undefined || second === undefined) continue;
    const twice = first === second ? 1 : 2;
    squares +=
      (twice * (product ** 2 - 2 * product * (first.mean * second.mean))) /
      (first.variance * second.variance);
  }
  return Math.min(Math.max(margins.length ** 2 / squares, 1), Math.max(margins.length, 1));
}

/** How often each class and each cell occurs in an output; cells come after the classes. */
function occurrencesOf(support: Support, output: number): readonly (readonly [number, number])[] {
  const classes = support.examples.length;
  const occurrences: [number, number][] = [[support.classOf[output] ?? 0, 1]];
  for (const cell of support.cellsOf[output] ?? []) {
    const known = occurrences.find(([margin]) => margin === classes + cell);
    if (known === undefined) occurrences.push([classes + cell, 1]);
    else known[1] += 1;
  }
  return occurrences;
}

/** Of each class and each cell, the sum over outputs of how often it occurs in them, weighted; and of its powers. */
interface Moments {
  readonly means: readonly number[];
  readonly squares: readonly number[];
  readonly cubes: readonly number[];
  readonly fourths: readonly number[];
}

/** Adds up how often each class and each cell occurs. The lists of all outputs are one, because there may be thousands of groups. */
class MarginMoments {
  private readonly margins: number;
  /** Of output after output; `starts` says where each begins. */
  private readonly places: Int32Array;
  private readonly times: Int32Array;
  private readonly starts: Int32Array;

  /** @param weights by output */
  constructor(
    support: Support,
    private readonly weights: readonly number[],
  ) {
    this.margins = support.examples.length + support.cellNames.length;
    const occurrences = support.outputs.map((_, output) => occurrencesOf(support, output));
    let end = 0;
    this.starts = Int32Array.from([0, ...occurrences.map(({ length }) => (end += length))]);
    const all = occurrences.flat();
    this.places = Int32Array.from(all, ([margin]) => margin);
    this.times = Int32Array.from(all, ([, times]) => times);
  }

  means(counts: Counts): readonly number[] {
    return this.summed(counts, (count, weight, times) => count * weight * times);
  }

  of(counts: Counts): Moments {
    const powers = (power: number): readonly number[] =>
      this.summed(counts, (count, weight, times) => count * (weight * times) ** power);
    return { means: this.means(counts), squares: powers(2), cubes: powers(3), fourths: powers(4) };
  }

  private summed(
    { outputs, counts }: Counts,
    of: (count: number, weight: number, times: number) => number,
  ): readonly number[] {
    const sums = new Array<number>(this.margins).fill(0);
    for (let index = 0; index < outputs.length; index++) {
      const output = outputs[index] ?? 0;
      const weight = this.weights[output] ?? 0;
      const count = counts[index] ?? 0;
      if (weight === 0 || count === 0) continue;
      const end = this.starts[output + 1] ?? 0;
      for (let at = this.starts[output] ?? 0; at < end; at++) {
        const place = this.places[at] ?? 0;
        sums[place] = (sums[place] ?? 0) + of(count, weight, this.times[at] ?? 0);
      }
    }
    return sums;
  }
}
