import { greatest, least } from '../../numeric/extremes';
import type { Interval, Randomness } from './interval';
import type { Measure } from './measure';
import { sum, type Counts, type Margins, type Support } from './output-model';
import type { GroupTruth } from './raking';
import type { ResponseModel } from './response-model';
import { drawnStrength } from './strength-posterior';
import { binomial, gamma, multinomial, seededUniform, type Uniform } from './statistical-draws';

const SWEEPS = 1000;
/** Sweeps at the beginning that depend on where the chain starts. */
const BURN_IN = 100;

/**
 * The share of the excluded probability that lies beyond each end of an interval. It would be half if 1000 draws determined quantiles
 * exactly, and if whole numbers had no gaps.
 */
const TAIL = 0.4;

/**
 * Intervals of each group's measures, from draws from the posterior distributions of the truths under two priors (docs/estimate-methods.md, "Maximum
 * likelihood"). Draws in turn which sources kept their truth, and the model that these come from (Gibbs sampling: Tanner & Wong 1987).
 * @param groups with their larger groups, which come first.
 * @param estimates the likeliest sums, by group and by measure.
 * @returns by group, and by measure.
 */
export function credibleIntervals(
  support: Support,
  response: ResponseModel,
  groups: readonly GroupTruth[],
  measures: readonly Measure[],
  estimates: readonly (readonly number[])[],
  { level, randomness }: { readonly level: number; readonly randomness: Randomness },
): readonly (readonly Interval[])[] {
  const coefficients = new Coefficients(support, measures);
  const underEach = [sparsePrior(support), flatPrior(support)].map((prior) =>
    quantilesUnder(new Chain(support, response, coefficients, randomness, prior), groups, TAIL * (1 - level)),
  );
  return groups.map(({ sources }, group) =>
    measures.map((_, measure): Interval => {
      const estimate = estimates[group]?.[measure] ?? NaN;
      const intervals = underEach.map((found) => around(estimate, found[group]?.[measure]));
      const low = least(intervals.map(([low]) => low));
      const high = greatest(intervals.map(([, high]) => high));
      // Rounding may move the estimate beyond what is possible.
      return [
        Math.max(low, 0),
        Math.max(estimate, Math.min(high, sources * (coefficients.most[measure] ?? NaN))),
      ];
    }),
  );
}

interface Quantiles {
  readonly low: number;
  readonly middle: number;
  readonly high: number;
}

/**
 * From the draws' one end to the other, and as far from the estimate as the ends are from the median. With many cells, more models with few
 * true reports explain the noise than models with many, so the draws are too low. The estimate does not have this bias.
 */
function around(
  estimate: number,
  { low, middle, high }: Quantiles = { low: NaN, middle: NaN, high: NaN },
): Interval {
  return [Math.min(low, estimate - (middle - low)), Math.max(high, estimate + (high - middle))];
}

/** @param tail the share of draws beyond each end. */
function quantilesUnder(
  chain: Chain,
  groups: readonly GroupTruth[],
  tail: number,
): readonly (readonly Quantiles[])[] {
  const found: (readonly Quantiles[])[] = [];
  // Depth first, so that few groups' models are in memory at a time.
  const parts = partsOf(groups);
  const visit = (group: GroupTruth, index: number, larger: readonly Margins[] | null): void => {
    const own = parts.get(keyOf(group.group)) ?? [];
    const { models, sums } = chain.run(group, larger, own.length > 0, index);
    found[index] = sums.map((drawn) => quantiles(drawn, tail));
    for (const { part, place } of own) visit(part, place, models);
  };
  groups.slice(0, 1).forEach((all) => visit(all, 0, null));
  return found;
}

const keyOf = (group: readonly string[]): string => JSON.stringify(group);

/** The parts of each larger group, with their places. */
function partsOf(
  groups: readonly GroupTruth[],
): ReadonlyMap<string, readonly { readonly part: GroupTruth; readonly place: number }[]> {
  const parts = new Map<string, { part: GroupTruth; place: number }[]>();
  groups.forEach((part, place) => {
    if (part.group.length === 0) return;
    const key = keyOf(part.group.slice(0, -1));
    const known = parts.get(key) ?? [];
    parts.set(key, known);
    known.push({ part, place });
  });
  return parts;
}

/** Each further report makes a class less likely by this factor. Most noise has many reports, and few sources do. */
const FEWER = 4;

/**
 * What is assumed before any report, as numbers of sources and of reports: half for the sources without a report, half for the others, and one
 * report over all cells. Most of its models have nearly all reports in few cells, and it leaves room for none at all.
 */
function sparsePrior(support: Support): Margins {
  const { reportCounts } = support;
  const weights = reportCounts.map((reports) => FEWER ** -reports);
  const isEmpty = reportCounts.map((reports) => reports === 0);
  const weightOf = (empty: boolean): number => sum(weights.filter((_, own) => isEmpty[own] === empty));
  const half = isEmpty.includes(true) && isEmpty.includes(false) ? 0.5 : 1;
  const { cells } = support.even();
  return {
    classes: weights.map((weight, own) => (half * weight) / weightOf(isEmpty[own] === true)),
    cells: cells.map(() => 1 / cells.length),
  };
}

/**
 * Half a source for each number of reports, as in Jeffreys' prior, and one report for each cell, so that all shares of cells are equally likely.
 * Classes with the same number of reports get the geometric mean of their even part of the half and of all of it.
 */
function flatPrior(support: Support): Margins {
  const { reportCounts } = support;
  const alike = new Map<number, number>();
  for (const reports of reportCounts) alike.set(reports, (alike.get(reports) ?? 0) + 1);
  return {
    classes: reportCounts.map((reports) => 0.5 / Math.sqrt(alike.get(reports) ?? 1)),
    cells: support.even().cells,
  };
}

function quantiles(drawn: Float64Array, tail: number): Quantiles {
  const sorted = drawn.sort();
  const at = (place: number): number => sorted[place] ?? NaN;
  const beyond = Math.floor(tail * sorted.length);
  return { low: at(beyond), middle: at(sorted.length >> 1), high: at(sorted.length - 1 - beyond) };
}

/** A class or a cell that adds to a measure. Most cells add to few measures. */
interface Term {
  readonly place: number;
  readonly adds: number;
}

/** What each class or each cell adds to each measure. */
class Coefficients {
  private readonly ofMeasure: readonly {
    readonly kind: 'classes' | 'cells';
    readonly terms: readonly Term[];
  }[];
  /** By measure: the most that one source can add. */
  readonly most: readonly number[];

  constructor(support: Support, measures: readonly Measure[]) {
    this.ofMeasure = measures.map(({ adds, ofReport }) =>
      ofReport === null
        ? { kind: 'classes', terms: termsOf(support.examples.map(adds)) }
        : { kind: 'cells', terms: termsOf(support.cellNames.map(ofReport)) },
    );
    // Not spread into arguments: there may be as many classes as sources.
    const greatest = (values: readonly number[]): number => values.reduce((a, b) => Math.max(a, b), 0);
    const mostReports = greatest(support.reportCounts);
    this.most = this.ofMeasure.map(
      ({ kind, terms }) => greatest(terms.map(({ adds }) => adds)) * (kind === 'classes' ? 1 : mostReports),
    );
  }

  get count(): number {
    return this.ofMeasure.length;
  }

  sum(measure: number, margins: Margins): number {
    const { kind, terms } = this.ofMeasure[measure] ?? { kind: 'classes', terms: [] };
    const counts = margins[kind];
    let total = 0;
    for (const { place, adds } of terms) total += (counts[place] ?? 0) * adds;
    return total;
  }
}

const termsOf = (added: readonly number[]): readonly Term[] =>
  added.flatMap((adds, place) => (adds === 0 ? [] : [{ place, adds }]));

class Chain {
  constructor(
    private readonly support: Support,
    private readonly response: ResponseModel,
    private readonly coefficients: Coefficients,
    private readonly randomness: Randomness,
    private readonly vague: Margins,
  ) {}

  /**
   * @param larger the models of the larger group in each sweep; null if there is none.
   * @param hasParts whether the models are for the parts of this group; else none are kept, because they fill the memory.
   */
  run(
    { observed, sources, strengths }: GroupTruth,
    larger: readonly Margins[] | null,
    hasParts: boolean,
    index: number,
  ): { readonly models: readonly Margins[]; readonly sums: readonly Float64Array[] } {
    const sums = Array.from({ length: this.coefficients.count }, () => new Float64Array(SWEEPS));
    const models: Margins[] = [];
    const { vague } = this;
    const uniform = seededUniform('posterior', index);
    const ofStrengths = seededUniform('strengths', index);
    let model = larger?.[0] ?? this.support.even();
    for (let sweep = 0; sweep < BURN_IN + SWEEPS; sweep++) {
      const prior = larger?.[sweep] ?? vague;
      const kept = this.drawKept(observed, model, uniform);
      const strength = drawnStrength(strengths, ofStrengths);
      model = strength === Infinity ? prior : this.drawModel(kept, prior, strength, uniform);
      if (hasParts) models.push(model);
      if (sweep < BURN_IN) continue;
      const truths = this.truths(model, kept, sources, uniform);
      for (const [measure, drawn] of sums.entries())
        drawn[sweep - BURN_IN] = this.coefficients.sum(measure, truths);
    }
    return { models, sums };
  }

  /** The margins of the sources that were not replaced. */
  private drawKept(observed: Counts, model: Margins, uniform: Uniform): Margins {
    const counts = this.support.kept(this.response, observed, model);
    for (let index = 0; index < counts.length; index++) {
      const count = observed.counts[index] ?? 0;
      counts[index] = binomial(uniform, count, (counts[index] ?? 0) / count);
    }
    return this.support.marginsOf({ outputs: observed.outputs, counts });
  }

  /** Shares of classes, and mean numbers of reports in cells, given the truths of some sources. */
  private drawModel(kept: Margins, prior: Margins, strength: number, uniform: Uniform): Margins {
    const classes = gammas(uniform, kept.classes, prior.classes, strength);
    const total = sum(classes);
    for (let own = 0; own < classes.length; own++) classes[own] = (classes[own] ?? 0) / total;
    const weights = gammas(uniform, kept.cells, prior.cells, strength);
    return { classes, cells: this.support.cellsOfClasses(classes, weights, proportional) };
  }

  /** The margins of all sources: of these, or of as many like them. */
  private truths(model: Margins, kept: Margins, sources: number, uniform: Uniform): Margins {
    if (this.randomness === 'noise-and-sampling')
      return { classes: scaled(model.classes, sources), cells: scaled(model.cells, sources) };
    const classes = multinomial(uniform, sources - sum(kept.classes), model.classes);
    const cells = this.support.cellsOfClasses(classes, model.cells, (reports, weights) =>
      multinomial(uniform, reports, weights),
    );
    return { classes: added(kept.classes, classes), cells: added(kept.cells, cells) };
  }
}

function gammas(
  uniform: Uniform,
  counts: readonly number[],
  prior: readonly number[],
  strength: number,
): number[] {
  const drawn = new Array<number>(counts.length);
  for (let index = 0; index < counts.length; index++)
    drawn[index] = gamma(uniform, (counts[index] ?? 0) + strength * (prior[index] ?? 0));
  return drawn;
}

function proportional(reports: number, weights: readonly number[]): readonly number[] {
  const total = sum(weights);
  const parts = new Array<number>(weights.length);
  for (let index = 0; index < weights.length; index++)
    parts[index] = total > 0 ? (reports * (weights[index] ?? 0)) / total : 0;
  return parts;
}

function added(some: readonly number[], more: readonly number[]): number[] {
  const all = new Array<number>(some.length);
  for (let index = 0; index < some.length; index++) all[index] = (some[index] ?? 0) + (more[index] ?? 0);
  return all;
}

function scaled(values: readonly number[], by: number): number[] {
  const all = new Array<number>(values.length);
  for (let index = 0; index < values.length; index++) all[index] = (values[index] ?? 0) * by;
  return all;
}
