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
    for (let sweep = 0; sweep < BURN_IN + SWEEPS; sweep++) {
      const prior = larger?.[sweep] ?? vague;
      const kept = drawKept(model, uniform);
      if (kept === null) return null;
      const strength = drawnStrength(strengths, ofStrengths);
      model = strength === Infinity ? prior : this.drawModel(kept, prior, strength, uniform);
      if (hasParts) models.push(model);
      if (sweep < BURN_IN) continue;
      const truths = this.truths(model, kept, sources, uniform);
      sums.forEach((drawn, measure) => (drawn[sweep - BURN_IN] = this.coefficients.sum(measure, truths)));
    }
    return { models, sums };
  }

  /** Shares of classes, and mean numbers of reports in cells, given the truths of some sources. */
  private drawModel(kept: Margins, prior: Margins, strength: number, uniform: Uniform): Margins {
    const classes = gammas(uniform, kept.classes, prior.classes, strength);
    const total = sum(classes);
    for (let own = 0; own < classes.length; own++) classes[own] = (classes[own] ?? 0) / total;
    const weights = gammas(uniform, kept.cells, prior.cells, strength);
    return { classes, cells: this.support.cellsOfClasses(classes, weights, proportional) };
  }

  /** The margins of all sources. If people are drawn, too, those that the model expects of as many sources. */
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
