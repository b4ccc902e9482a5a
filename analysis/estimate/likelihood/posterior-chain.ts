import { greatest } from '../../../numeric/extremes';
import type { Randomness } from '../intervals/interval';
import { keptByOutput, keptNear, type DrawKept } from './kept-draws';
import type { Measure } from '../quantities/measure';
import { sum, type Margins, type Support } from './output-model';
import { keptRarely } from './rare-draws';
import { truthsByOutput, type GroupTruth } from './raking';
import type { ResponseModel } from '../quantities/response-model';
import { drawnStrength } from './strength-posterior';
import { gamma, multinomial, seededUniform, type Uniform } from './statistical-draws';

const MOST_SWEEPS = 1000;
const LEAST_SWEEPS = 250;
/** Of all groups together. With fewer draws for each, an interval is as likely to hold the truth, and its length varies more. */
const ALL_SWEEPS = 2_500_000;
/** So many times as many sweeps come before, and depend on where the chain starts. */
const BURN_IN = 0.1;

/** What each class or each cell adds to each measure. */
export class Coefficients {
  /** Of all measures, one after the other: the class, or the cell with the number of classes added, and what it adds. Most add to few measures. */
  private readonly places: Int32Array;
  private readonly added: Float64Array;
  /** Where the terms of each measure begin, and where the last ones end. */
  private readonly starts: Int32Array;
  private readonly classes: number;
  /** By measure: the most that one source can add. */
  readonly most: readonly number[];

  constructor(support: Support, measures: readonly Measure[]) {
    this.classes = support.examples.length;
    const terms = measures.map(({ adds, ofReport }) =>
      ofReport === null
        ? termsOf(support.examples.map(adds), 0)
        : termsOf(support.cellNames.map(ofReport), this.classes),
    );
    const all = terms.flat();
    this.places = Int32Array.from(all, ({ place }) => place);
    this.added = Float64Array.from(all, ({ adds }) => adds);
    let end = 0;
    this.starts = Int32Array.from([0, ...terms.map(({ length }) => (end += length))]);
    this.most = measures.map(({ adds, ofReport }) =>
      ofReport === null
        ? greatest([0, ...support.examples.map(adds)])
        : support.mostOf(support.cellNames.map(ofReport)),
    );
  }

  get count(): number {
    return this.starts.length - 1;
  }

  sum(measure: number, { classes, cells }: Margins): number {
    const end = this.starts[measure + 1] ?? 0;
    let total = 0;
    for (let term = this.starts[measure] ?? 0; term < end; term++) {
      const place = this.places[term] ?? 0;
      const count = place < this.classes ? classes[place] : cells[place - this.classes];
      total += (count ?? 0) * (this.added[term] ?? 0);
    }
    return total;
  }
}

const termsOf = (
  added: readonly number[],
  first: number,
): readonly { readonly place: number; readonly adds: number }[] =>
  added.flatMap((adds, place) => (adds === 0 ? [] : [{ place: first + place, adds }]));

export interface Draws {
  /** The model of each sweep, if the parts of the group need them. */
  readonly models: readonly Margins[];
  /** For each measure, its sum in each sweep after the first ones, which depend on the start. */
  readonly sums: readonly Float64Array[];
  /** If people are drawn and may all be alike, the same of these people themselves; empty if it is the same for all sweeps. */
  readonly ofPeople: readonly Float64Array[];
}

/** Fewer sources than that are expected to differ from the others. Then perhaps none of them does, though no model that is drawn says so. */
const FEW_DIFFER = 8;

/** Draws in turn which sources kept their truth, and the model that these come from (Gibbs sampling: Tanner & Wong 1987). */
export class Chain {
  private readonly weights: number[];
  private readonly sweepsOfPart: number;

  constructor(
    private readonly support: Support,
    private readonly response: ResponseModel,
    private readonly coefficients: Coefficients,
    private readonly randomness: Randomness,
    /** What is assumed before any report. */
    private readonly priors: readonly Margins[],
    /** How many groups have a chain. */
    groups: number,
  ) {
    this.sweepsOfPart = Math.round(Math.min(Math.max(ALL_SWEEPS / groups, LEAST_SWEEPS), MOST_SWEEPS));
    this.weights = fractions(support.cellNames.length);
  }

  /**
   * @param larger under each prior, the models of the larger group in its sweeps; null if there is none.
   * @param hasParts whether the models are for the parts of this group; else none are kept, because they fill the memory.
   * @returns draws under the prior with this number. The same random numbers serve each prior.
   */
  of(
    group: GroupTruth,
    larger: readonly (readonly Margins[])[] | null,
    hasParts: boolean,
    index: number,
  ): (prior: number) => Draws {
    const { support, response } = this;
    const { observed } = group;
    const likely = truthsByOutput(group, support.outputs.length);
    const reference = support.marginsOf({ outputs: [...likely.keys()], counts: likely });
    const near = keptNear(support, response, observed, reference);
    let exact: DrawKept | null = null;
    return (prior) => {
      const models = larger?.[prior] ?? this.priors.slice(prior, prior + 1);
      const found = near === null ? null : this.sweeps(group, models, hasParts, index, near, reference);
      if (found !== null) return found;
      // There may be thousands of parts.
      exact ??=
        (larger === null ? null : keptRarely(support, response, observed, reference)) ??
        keptByOutput(support, response, observed);
      const start = larger?.[prior]?.[0] ?? support.even();
      const draws = this.sweeps(group, models, hasParts, index, exact, start);
      if (draws === null) throw new RangeError('each output can be drawn');
      return draws;
    };
  }

  /** Null if the chain reaches a model for which the kept sources cannot be drawn. */
  private sweeps(
    { group, sources, strengths }: GroupTruth,
    priors: readonly Margins[],
    hasParts: boolean,
    index: number,
    drawKept: DrawKept,
    start: Margins,
  ): Draws | null {
    const counted = group.length === 0 ? MOST_SWEEPS : this.sweepsOfPart;
    const before = Math.round(BURN_IN * counted);
    const sums = Array.from({ length: this.coefficients.count }, () => new Float64Array(counted));
    let ofPeople: readonly Float64Array[] = [];
    const areDrawn = this.randomness === 'noise-and-sampling';
    const models: Margins[] = [];
    const uniform = seededUniform('posterior', index);
    const ofStrengths = seededUniform('strengths', index);
    const forPeople = seededUniform('people', index);
    let model = start;
    const drawn = marginsLike(start);
    const all = marginsLike(start);
    for (let sweep = 0; sweep < before + counted; sweep++) {
      const prior = priors[Math.floor((sweep * priors.length) / (before + counted))] ?? start;
      const kept = drawKept(model, uniform);
      if (kept === null) return null;
      const strength = drawnStrength(strengths, ofStrengths);
      model =
        strength === Infinity
          ? prior
          : this.drawModel(kept, prior, strength, uniform, hasParts ? marginsLike(start) : drawn);
      if (hasParts) models.push(model);
      if (sweep < before) continue;
      if (areDrawn) expected(model, sources, all);
      else this.drawTruths(model, kept, sources, uniform, all);
      this.addTo(sums, sweep - before, all);
      if (areDrawn && sources * (1 - greatest(model.classes)) < FEW_DIFFER) {
        // Before the first such sweep, both have the same sums.
        if (ofPeople.length === 0) ofPeople = sums.map((own) => own.slice());
        this.drawTruths(model, kept, sources, forPeople, all);
      }
      if (ofPeople.length > 0) this.addTo(ofPeople, sweep - before, all);
    }
    return { models, sums, ofPeople };
  }

  private addTo(sums: readonly Float64Array[], sweep: number, truths: Margins): void {
    for (let measure = 0; measure < sums.length; measure++) {
      const ofMeasure = sums[measure];
      if (ofMeasure !== undefined) ofMeasure[sweep] = this.coefficients.sum(measure, truths);
    }
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

  /** The margins of all sources. */
  private drawTruths(
    model: Margins,
    kept: Margins,
    sources: number,
    uniform: Uniform,
    { classes, cells }: WritableMargins,
  ): void {
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

/** The margins that a model expects of so many sources. */
function expected(model: Margins, sources: number, { classes, cells }: WritableMargins): void {
  scale(model.classes, sources, classes);
  scale(model.cells, sources, cells);
}

function scale(values: readonly number[], by: number, to: number[]): void {
  for (let index = 0; index < to.length; index++) to[index] = (values[index] ?? 0) * by;
}
