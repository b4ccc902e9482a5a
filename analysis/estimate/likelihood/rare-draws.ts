import type { DrawKept } from './kept-draws';
import { sum, type Counts, type Margins, type Support } from './output-model';
import type { ResponseModel } from '../quantities/response-model';
import { binomial, type Uniform } from './statistical-draws';

/** A point takes as long as so many outputs that are drawn one by one. */
const POINT = 4;
/** The least part of the outputs that must need no draw, for points to pay. */
const SPARED = 0.5;

/** The outputs of one class. Typed arrays, because a chain reads them thousands of times. */
interface ClassOutputs {
  readonly own: number;
  /** How many reports each output has. */
  readonly reports: number;
  readonly counts: Float64Array;
  readonly orders: Float64Array;
  /** Of each output in turn. */
  readonly cells: Int32Array;
  readonly sources: number;
  /** Of all sources, by cell. */
  readonly inCells: Float64Array;
  /** Of a kept source against a replaced one under the reference, if its output had the whole probability of the class. */
  readonly odds: number;
  /** The same of each output. */
  readonly oddsOfEach: Float64Array;
  /** The hazards under the reference that an output's sources were replaced, and of all before it. */
  readonly replaced: Float64Array;
  /** The same that they were kept. */
  readonly kept: Float64Array;
}

/**
 * Draws which sources were kept, where a model says so of most outputs with near certainty. An event with the probability q happens if a Poisson process with
 * the mean −log(1 − q), its hazard, has a point. So in a class whose sources were hardly ever replaced, or hardly ever kept, the points of all of them are
 * drawn as those of one process with a greater mean, and each stays with a probability (thinning: Lewis & Shedler 1979). This gives exactly the distribution
 * of draws output by output.
 * @param reference a likely model. It decides how fast the draws are, not what is drawn.
 * @returns null if draws output by output are as fast. Each draw overwrites the one before.
 */
export function keptRarely(
  support: Support,
  response: ResponseModel,
  observed: Counts,
  reference: Margins,
): DrawKept | null {
  const scale = (response.keep / (1 - response.keep)) * Number(response.outputs);
  const classes = classesOf(support, observed, reference, scale);
  const drawn = sum(
    classes.map(({ counts, replaced, kept }) =>
      Math.min(counts.length, POINT * Math.min(lastOf(replaced), lastOf(kept))),
    ),
  );
  if (!(drawn <= (1 - SPARED) * observed.outputs.length)) return null;
  const draws = new Draws(support, scale, classes, reference);
  return (model, uniform) => draws.draw(model, uniform);
}

const lastOf = (upTo: Float64Array): number => upTo[upTo.length - 1] ?? 0;

/** @param scale the probability that a source is kept over that of each output of a replaced one. */
function classesOf(
  support: Support,
  { outputs, counts }: Counts,
  reference: Margins,
  scale: number,
): readonly ClassOutputs[] {
  const shares = [...support.sharesOfLists(reference.cells)];
  const sources = sum(reference.classes);
  const indices = new Map<number, number[]>();
  outputs.forEach((output, index) => {
    const own = support.classOf[output] ?? 0;
    const members = indices.get(own) ?? [];
    indices.set(own, members);
    members.push(index);
  });
  return [...indices].map(([own, members]) => {
    const places = members.map((index) => outputs[index] ?? 0);
    const numbers = Float64Array.from(members, (index) => counts[index] ?? 0);
    const reports = support.cellsOf[places[0] ?? 0]?.length ?? 0;
    const ofAll = numbers.reduce((all, count) => all + count, 0);
    const found = {
      own,
      reports,
      counts: numbers,
      orders: Float64Array.from(places, (output) => support.orders[output] ?? 0),
      cells: cellsOf(support, places, reports),
      sources: ofAll,
      inCells: Float64Array.from(support.marginsOf({ outputs: places, counts: numbers }).cells),
      odds: (scale * (reference.classes[own] ?? 0)) / sources,
      oddsOfEach: new Float64Array(places.length),
      replaced: new Float64Array(places.length),
      kept: new Float64Array(places.length),
    };
    let [replaced, kept] = [0, 0];
    for (let index = 0; index < places.length; index++) {
      const odds = oddsOf(found, index, shares, found.odds);
      const count = numbers[index] ?? 0;
      found.oddsOfEach[index] = odds;
      found.replaced[index] = replaced += count * Math.log1p(1 / odds);
      found.kept[index] = kept += count * Math.log1p(odds);
    }
    return found;
  });
}

/** The cells of outputs with so many reports each, one after the other. */
function cellsOf(support: Support, outputs: readonly number[], reports: number): Int32Array {
  const cells = new Int32Array(reports * outputs.length);
  for (let index = 0; index < outputs.length; index++)
    cells.set(support.cellsOf[outputs[index] ?? 0] ?? [], index * reports);
  return cells;
}

/** That a source with this output was kept. */
function oddsOf(
  { reports, orders, cells }: Pick<ClassOutputs, 'reports' | 'orders' | 'cells'>,
  index: number,
  shares: readonly number[],
  odds: number,
): number {
  let product = odds * (orders[index] ?? 0);
  for (let place = index * reports, end = place + reports; place < end; place++)
    product *= shares[cells[place] ?? 0] ?? 0;
  return product;
}

class Draws {
  private readonly kept: { readonly classes: number[]; readonly cells: number[] };
  /** Of each cell under the reference, one divided by its share. */
  private readonly inverse: Float64Array;
  /** Of each cell in its list, as the model of the draw has them. */
  private shares: readonly number[] = [];
  /** By how much the share of a cell shrank or grew at most. */
  private least = 1;
  private most = 1;

  constructor(
    private readonly support: Support,
    private readonly scale: number,
    private readonly classes: readonly ClassOutputs[],
    reference: Margins,
  ) {
    this.kept = { classes: reference.classes.map(() => 0), cells: reference.cells.map(() => 0) };
    this.inverse = Float64Array.from(support.sharesOfLists(reference.cells), (share) => 1 / share);
  }

  draw(model: Margins, uniform: Uniform): Margins {
    this.kept.classes.fill(0);
    this.kept.cells.fill(0);
    this.shares = this.support.sharesOfLists(model.cells);
    this.boundRatios();
    const total = sum(model.classes);
    for (let place = 0; place < this.classes.length; place++) {
      const own = this.classes[place];
      if (own !== undefined)
        this.drawClass(own, (this.scale * (model.classes[own.own] ?? 0)) / total, uniform);
    }
    return this.kept;
  }

  private boundRatios(): void {
    const { shares, inverse } = this;
    let [least, most] = [1, 1];
    for (let cell = 0; cell < inverse.length; cell++) {
      const ratio = (shares[cell] ?? 0) * (inverse[cell] ?? 0);
      least = Math.min(least, ratio);
      most = Math.max(most, ratio);
    }
    this.least = least;
    this.most = most;
  }

  private drawClass(own: ClassOutputs, odds: number, uniform: Uniform): void {
    let less = own.odds / odds;
    let more = odds / own.odds;
    for (let report = 0; report < own.reports; report++) {
      less /= this.least;
      more *= this.most;
    }
    const each = own.counts.length / POINT;
    const ofReplaced = lastOf(own.replaced) * Math.max(less, 1);
    const ofKept = lastOf(own.kept) * Math.max(more, 1);
    if (ofKept < ofReplaced && ofKept < each) {
      this.drawPoints(own, own.kept, ofKept, odds, 1, uniform);
      return;
    }
    this.addAll(own);
    if (ofReplaced < each) this.drawPoints(own, own.replaced, ofReplaced, odds, -1, uniform);
    else this.drawEach(own, odds, less, uniform);
  }

  private addAll({ own, sources, inCells }: ClassOutputs): void {
    const { classes, cells } = this.kept;
    classes[own] = (classes[own] ?? 0) + sources;
    for (let cell = 0; cell < inCells.length; cell++) cells[cell] = (cells[cell] ?? 0) + (inCells[cell] ?? 0);
  }

  /** @param less by how much the odds of an output are less than under the reference at most. */
  private drawEach(own: ClassOutputs, odds: number, less: number, uniform: Uniform): void {
    const { counts, oddsOfEach } = own;
    const { shares } = this;
    for (let index = 0; index < counts.length; index++) {
      const count = counts[index] ?? 0;
      if (count !== 1) {
        this.add(own, index, -binomial(uniform, count, 1 / (1 + oddsOf(own, index, shares, odds))));
        continue;
      }
      const chance = uniform();
      // The least odds mostly decide, so the odds of this output are not needed. They are unknown if the reference rules a cell out.
      if (chance * (1 + (oddsOfEach[index] ?? 0) / less) >= 1) continue;
      if (chance * (1 + oddsOf(own, index, shares, odds)) < 1) this.add(own, index, -1);
    }
  }

  /**
   * @param upTo the hazards under the reference.
   * @param end at least what all hazards sum to.
   * @param sign 1 for sources that were kept, −1 for those that were replaced.
   */
  private drawPoints(
    own: ClassOutputs,
    upTo: Float64Array,
    end: number,
    odds: number,
    sign: 1 | -1,
    uniform: Uniform,
  ): void {
    const more = end / lastOf(upTo);
    /** Sources of the output of the last point to which the event happened. */
    let hit = NO_SOURCES;
    let last = 0;
    for (let at = -Math.log(uniform()); at < end; at -= Math.log(uniform())) {
      const index = firstFrom(upTo, at / more, last);
      if (index !== last) hit = NO_SOURCES;
      last = index;
      const count = own.counts[index] ?? 0;
      const hazard = more * ((upTo[index] ?? 0) - (index === 0 ? 0 : (upTo[index - 1] ?? 0)));
      const found = oddsOf(own, index, this.shares, odds);
      if (!isBelowHazard((uniform() * hazard) / count, sign === 1 ? found : 1 / found)) continue;
      const source = count === 1 ? 0 : Math.floor(uniform() * count);
      if (hit.includes(source)) continue;
      hit = [...hit, source];
      this.add(own, index, sign);
    }
  }

  private add({ own, reports, cells }: ClassOutputs, index: number, times: number): void {
    if (times === 0) return;
    const { kept } = this;
    kept.classes[own] = (kept.classes[own] ?? 0) + times;
    for (let place = index * reports, end = place + reports; place < end; place++) {
      const cell = cells[place] ?? 0;
      kept.cells[cell] = (kept.cells[cell] ?? 0) + times;
    }
  }
}

const NO_SOURCES: readonly number[] = [];

/** Whether a number is below log(1 + odds), which is between odds/(1 + odds) and the odds. */
const isBelowHazard = (number: number, odds: number): boolean =>
  number < odds && (number * (1 + odds) < odds || number < Math.log1p(odds));

/** The first place, from one on, whose number is above another; the last one if rounding leaves none. */
function firstFrom(upTo: Float64Array, number: number, from: number): number {
  let [low, high] = [from, upTo.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((upTo[middle] ?? 0) > number) high = middle;
    else low = middle + 1;
  }
  return low;
}
