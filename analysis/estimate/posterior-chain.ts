import type { Randomness } from './interval';
import { keptByOutput, keptNear, type DrawKept } from './kept-draws';
import type { Measure } from './measure';
import { sum, type Margins, type Support } from './output-model';
import { truthsByOutput, type GroupTruth } from './raking';
import type { ResponseModel } from './response-model';
import { drawnStrength } from './strength-posterior';
import { gamma, multinomial, seededUniform, type Uniform } from './statistical-draws';

const SWEEPS = 1000;
/** Sweeps at the beginning that depend on where the chain starts. */
const BURN_IN = 100;

/** A class or a cell that adds to a measure. Most cells add to few measures. */
interface Term {
  readonly place: number;
  readonly adds: number;
}

const NONE = { kind: 'classes', terms: [] } as const;

/** What each class or each cell adds to each measure. */
export class Coefficients {
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
    const { kind, terms } = this.ofMeasure[measure] ?? NONE;
    const counts = margins[kind];
    let total = 0;
    for (const { place, adds } of terms) total += (counts[place] ?? 0) * adds;
    return total;
  }
}

const termsOf = (added: readonly number[]): readonly Term[] =>
  added.flatMap((adds, place) => (adds === 0 ? [] : [{ place, adds }]));

interface Draws {
  /** The model of each sweep, if the parts of the group need them. */
  readonly models: readonly Margins[];
  /** For each measure, its sum in each sweep after the first ones, which depend on the start. */
  readonly sums: readonly Float64Array[];
}

/** Draws in turn which sources kept their truth, and the model that these come from (Gibbs sampling: Tanner & Wong 1987). */
export class Chain {
  private readonly weights: number[];

  constructor(
    private readonly support: Support,
    private readonly response: ResponseModel,
    private readonly coefficients: Coefficients,
    private readonly randomness: Randomness,
    private readonly vague: Margins,
  ) {
    this.weights = fractions(vague.cells.length);
  }

  /**
   * @param larger the models of the larger group in each sweep; null if there is none.
   * @param hasParts whether the models are for the parts of this group; else none are kept, because they fill the memory.
   */
  run(group: GroupTruth, larger: readonly Margins[] | null, hasParts: boolean, index: number): Draws {
    const { support, response } = this;
    const { own, shared, base, observed } = group;
    const likely = truthsByOutput({ own, shared, base }, support.outputs.length);
    const reference = support.marginsOf({ outputs: [...likely.keys()], counts: likely });
    const near = keptNear(support, response, observed, reference);
    const found = near === null ? null : this.sweeps(group, larger, hasParts, index, near, reference);
    if (found !== null) return found;
    const exact = keptByOutput(support, response, observed);
    const draws = this.sweeps(group, larger, hasParts, index, exact, larger?.[0] ?? support.even());
    if (draws === null) throw new RangeError('each output can be drawn');
    return draws;
  }

  /** Null if the chain reaches a model for which the kept sources cannot be drawn. */
  private sweeps(
    { sources, strengths }: GroupTruth,
    larger: readonly Margins[] | null,
    hasParts: boolean,
    index: number,
    drawKept: DrawKept,
    start: Margins,
  ): Draws | null {
    const sums = Array.from({ length: this.coefficients.count }, () => new Float64Array(SWEEPS));
    const models: Margins[] = [];
    const { vague } = this;
    const uniform = seededUniform('posterior', index);
    const ofStrengths = seededUniform('strengths', index);
    let model = start;
    const drawn = marginsLike(vague);
    const all = marginsLike(vague);
    for (let sweep = 0; sweep < BURN_IN + SWEEPS; sweep++) {
      const prior = larger?.[sweep] ?? vague;
      const kept = drawKept(model, uniform);
      if (kept === null) return null;
      const strength = drawnStrength(strengths, ofStrengths);
      model =
        strength === Infinity
          ? prior
          : this.drawModel(kept, prior, strength, uniform, hasParts ? marginsLike(vague) : drawn);
      if (hasParts) models.push(model);
      if (sweep < BURN_IN) continue;
      this.drawTruths(model, kept, sources, uniform, all);
      for (let measure = 0; measure < sums.length; measure++) {
        const ofMeasure = sums[measure];
        if (ofMeasure !== undefined) ofMeasure[sweep - BURN_IN] = this.coefficients.sum(measure, all);
      }
    }
    return { models, sums };
  }

  /** Shares of classes, and mean numbers of reports in cells, given the truths of some sources. */
  private drawModel(
    kept: Margins,
    prior: Margins,
    strength: number,
    uniform: Uniform,
    to: WritableMargins,
  ): Margins {
    const { classes, cells } = to;
    drawGammas(uniform, kept.classes, prior.classes, strength, classes);
    const total = sum(classes);
    for (let own = 0; own < classes.length; own++) classes[own] = (classes[own] ?? 0) / total;
    drawGammas(uniform, kept.cells, prior.cells, strength, this.weights);
    this.support.cellsOfClasses(classes, this.weights, proportional, cells);
    return to;
  }

  /** The margins of all sources. If people are drawn, too, those that the model expects of as many sources. */
  private drawTruths(
    model: Margins,
    kept: Margins,
    sources: number,
    uniform: Uniform,
    { classes, cells }: WritableMargins,
  ): void {
    if (this.randomness === 'noise-and-sampling') {
      scale(model.classes, sources, classes);
      scale(model.cells, sources, cells);
      return;
    }
    multinomial(uniform, sources - sum(kept.classes), model.classes, classes);
    this.support.cellsOfClasses(
      classes,
      model.cells,
      (reports, weights, to) => multinomial(uniform, reports, weights, to),
      cells,
    );
    add(kept.classes, classes);
    add(kept.cells, cells);
  }
}

/** Each sweep writes into the same ones, unless they are kept. */
interface WritableMargins {
  readonly classes: number[];
  readonly cells: number[];
}

const marginsLike = ({ classes, cells }: Margins): WritableMargins => ({
  classes: fractions(classes.length),
  cells: fractions(cells.length),
});

/** With whole numbers first, V8 would copy the list when the first fraction comes. */
const fractions = (length: number): number[] => new Array<number>(length).fill(NaN);

function drawGammas(
  uniform: Uniform,
  counts: readonly number[],
  prior: readonly number[],
  strength: number,
  to: number[],
): void {
  for (let index = 0; index < counts.length; index++)
    to[index] = gamma(uniform, (counts[index] ?? 0) + strength * (prior[index] ?? 0));
}

function proportional(reports: number, weights: readonly number[], to: number[]): void {
  const total = sum(weights);
  for (let index = 0; index < weights.length; index++)
    to[index] = total > 0 ? (reports * (weights[index] ?? 0)) / total : 0;
}

function add(more: readonly number[], to: number[]): void {
  for (let index = 0; index < to.length; index++) to[index] = (to[index] ?? 0) + (more[index] ?? 0);
}

function scale(values: readonly number[], by: number, to: number[]): void {
  for (let index = 0; index < to.length; index++) to[index] = (values[index] ?? 0) * by;
}
