import type { DrawKept } from './kept-draws';
import { sum, type Counts, type Margins, type Support } from './output-model';
import type { ResponseModel } from './response-model';
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
  /** The hazards of an output's sources under the reference, and of all before it. */
  readonly upTo: Float64Array;
  /** Of a kept source against a replaced one under the reference, if its output had the whole probability of the class. */
  readonly odds: number;
}

/**
 * Draws the sources that were replaced, where these are far fewer than the outputs. A source is replaced with the probability q if a Poisson process with the
 * mean −log(1 − q), its hazard, has a point. So the points of all sources of a class are drawn as those of one process with a greater mean, and each is kept
 * with a probability (thinning: Lewis & Shedler 1979). This gives exactly the distribution of draws output by output.
 * @param reference a likely model. It decides how fast the draws are, not what is drawn.
 * @returns null if draws output by output are as fast. Each draw overwrites the one before.
 */
export function keptButFew(
  support: Support,
  response: ResponseModel,
  observed: Counts,
  reference: Margins,
): DrawKept | null {
  const noise = (1 - response.keep) / Number(response.outputs);
  const classes = classesOf(support, observed, reference, response.keep / noise);
  const drawn = sum(classes.map((own) => Math.min(own.counts.length, POINT * hazardOf(own))));
  if (drawn > (1 - SPARED) * observed.outputs.length) return null;
  const draws = new Draws(support, response.keep / noise, classes, observed, reference);
  return (model, uniform) => draws.draw(model, uniform);
}

const hazardOf = ({ upTo }: ClassOutputs): number => upTo[upTo.length - 1] ?? 0;

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
    const found = {
      own,
      odds: (scale * (reference.classes[own] ?? 0)) / sources,
      reports: support.cellsOf[places[0] ?? 0]?.length ?? 0,
      counts: Float64Array.from(members, (index) => counts[index] ?? 0),
      orders: Float64Array.from(places, (output) => support.orders[output] ?? 0),
      cells: Int32Array.from(places.flatMap((output) => support.cellsOf[output] ?? [])),
    };
    let before = 0;
    const upTo = found.counts.map(
      (count, index) => (before += count * Math.log1p(1 / oddsOf(found, index, shares, found.odds))),
    );
    return { ...found, upTo };
  });
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
  private readonly all: Margins;
  private readonly kept: { readonly classes: number[]; readonly cells: number[] };
  /** Of each cell under the reference, one divided by it. */
  private readonly inverse: Float64Array;
  /** Of each cell in its list, as the model of the draw has them. */
  private shares: readonly number[] = [];

  constructor(
    private readonly support: Support,
    private readonly scale: number,
    private readonly classes: readonly ClassOutputs[],
    observed: Counts,
    reference: Margins,
  ) {
    this.all = support.marginsOf(observed);
    this.kept = { classes: [...this.all.classes], cells: [...this.all.cells] };
    this.inverse = Float64Array.from(support.sharesOfLists(reference.cells), (share) => 1 / share);
  }

  draw(model: Margins, uniform: Uniform): Margins {
    copy(this.all.classes, this.kept.classes);
    copy(this.all.cells, this.kept.cells);
    this.shares = this.support.sharesOfLists(model.cells);
    const total = sum(model.classes);
    const least = this.leastRatio();
    for (let place = 0; place < this.classes.length; place++) {
      const own = this.classes[place];
      if (own === undefined) continue;
      const odds = (this.scale * (model.classes[own.own] ?? 0)) / total;
      let ratio = odds / own.odds;
      for (let report = 0; report < own.reports; report++) ratio *= least;
      if (POINT * hazardOf(own) < own.counts.length * Math.min(ratio, 1))
        this.drawPoints(own, odds, Math.max(1 / ratio, 1), uniform);
      else this.drawEach(own, odds, uniform);
    }
    return this.kept;
  }

  /** By how much the share of a cell shrank at most. */
  private leastRatio(): number {
    const { shares, inverse } = this;
    let least = 1;
    for (let cell = 0; cell < inverse.length; cell++)
      least = Math.min(least, (shares[cell] ?? 0) * (inverse[cell] ?? 0));
    return least;
  }

  private drawEach(own: ClassOutputs, odds: number, uniform: Uniform): void {
    const { counts } = own;
    for (let index = 0; index < counts.length; index++) {
      const count = counts[index] ?? 0;
      const all = 1 + oddsOf(own, index, this.shares, odds);
      if (count !== 1) this.remove(own, index, binomial(uniform, count, 1 / all));
      else if (uniform() * all < 1) this.remove(own, index, 1);
    }
  }

  /** @param more no hazard is greater than so many times that of the reference. */
  private drawPoints(own: ClassOutputs, odds: number, more: number, uniform: Uniform): void {
    const { upTo, counts } = own;
    const end = more * hazardOf(own);
    /** Sources of the output of the last point that were replaced. */
    let hit: number[] = NO_SOURCES;
    let last = 0;
    for (let at = -Math.log(uniform()); at < end; at -= Math.log(uniform())) {
      const index = firstFrom(upTo, at / more, last);
      if (index !== last) hit = NO_SOURCES;
      last = index;
      const count = counts[index] ?? 0;
      const hazard = more * ((upTo[index] ?? 0) - (index === 0 ? 0 : (upTo[index - 1] ?? 0)));
      if (!isBelowHazard((uniform() * hazard) / count, oddsOf(own, index, this.shares, odds))) continue;
      const source = count === 1 ? 0 : Math.floor(uniform() * count);
      if (hit.includes(source)) continue;
      hit = [...hit, source];
      this.remove(own, index, 1);
    }
  }

  private remove({ own, reports, cells }: ClassOutputs, index: number, times: number): void {
    if (times === 0) return;
    const { kept } = this;
    kept.classes[own] = (kept.classes[own] ?? 0) - times;
    for (let place = index * reports, end = place + reports; place < end; place++) {
      const cell = cells[place] ?? 0;
      kept.cells[cell] = (kept.cells[cell] ?? 0) - times;
    }
  }
}

const NO_SOURCES: number[] = [];

/** Whether a number is below log(1 + 1/odds), which is between 1/(1 + odds) and 1/odds. */
const isBelowHazard = (number: number, odds: number): boolean =>
  number * odds < 1 && (number * (1 + odds) < 1 || number < Math.log1p(1 / odds));

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

function copy(from: readonly number[], to: number[]): void {
  for (let index = 0; index < from.length; index++) to[index] = from[index] ?? 0;
}
