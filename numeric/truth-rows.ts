import { addTo, dot, zeros, type Vector } from './vectors';

/** For each truth, the outputs from the place `from` to the one before `end`. Outside, its probabilities are the least ones. */
export interface Bands {
  readonly from: Int32Array;
  readonly end: Int32Array;
}

/** What all truths share. */
export interface Shared {
  /** Centred and scaled, as the truths. */
  readonly outputs: Vector;
  readonly truths: Vector;
  readonly prior: Vector;
  readonly bands: Bands;
  /** 1 − the ratio of the least to the greatest probability. */
  readonly slack: number;
}

/** The rows of all truths, one after the other: an element for each output of a truth's band. `levels` and `slopes` have one for each truth. */
interface Values {
  /** The share of the mass above the least probability, and the rest of the mass. */
  readonly above: Vector;
  readonly below: Vector;
  /** The dual prices of above ≥ 0 and below ≥ 0. */
  readonly abovePrices: Vector;
  readonly belowPrices: Vector;
  /** The dual prices of the sum of `above`, and of its mean. */
  readonly levels: Vector;
  readonly slopes: Vector;
}

const valuesOf = (places: number, truths: number): Values => ({
  above: zeros(places),
  below: zeros(places),
  abovePrices: zeros(places),
  belowPrices: zeros(places),
  levels: zeros(truths),
  slopes: zeros(truths),
});

/** The unknowns that each truth has alone: where the search is, and a step. */
export class TruthRows {
  /** Where each row begins, and at the end the number of all places. */
  readonly starts: Int32Array;
  readonly point: Values;
  readonly step: Values;

  /** @param masses where the search begins. Each mass is half above, half below. @param near how near the truths an output is. */
  constructor({ truths, prior, outputs, bands, slack }: Shared, masses: Vector, near: Vector) {
    const count = truths.length;
    this.starts = new Int32Array(count + 1);
    for (let x = 0; x < count; x++)
      this.starts[x + 1] = (this.starts[x] ?? 0) + (bands.end[x] ?? 0) - (bands.from[x] ?? 0);
    this.point = valuesOf(this.places, count);
    this.step = valuesOf(this.places, count);
    const { above, below, abovePrices, belowPrices } = this.point;
    for (let x = 0; x < count; x++) {
      const [from, end] = [bands.from[x] ?? 0, bands.end[x] ?? 0];
      const truth = slack * (truths[x] ?? 0);
      const far = Math.max(Math.abs((outputs[from] ?? 0) - truth), Math.abs((outputs[end - 1] ?? 0) - truth));
      const shift = (this.starts[x] ?? 0) - from;
      for (let j = from; j < end; j++) {
        above[shift + j] = (masses[j] ?? 0) / 2;
        abovePrices[shift + j] = ((prior[x] ?? 0) * Math.min(1, far * far)) / (near[j] ?? 0);
      }
    }
    below.set(above);
    belowPrices.set(abovePrices);
  }

  get places(): number {
    return this.starts.at(-1) ?? 0;
  }

  /** How far the step can go in the probabilities and in the prices; at most `most`. */
  rooms(most: number): [number, number] {
    const { point, step } = this;
    return [
      room(point.below, step.below, room(point.above, step.above, most)),
      room(point.belowPrices, step.belowPrices, room(point.abovePrices, step.abovePrices, most)),
    ];
  }

  /** The sum of all probabilities times their prices, after these shares of the step. */
  products(primal: number, dual: number): number {
    const { point, step } = this;
    const product = (from: Vector, by: Vector, prices: Vector, pricesBy: Vector): number =>
      dot(from, prices) +
      primal * dot(by, prices) +
      dual * dot(from, pricesBy) +
      primal * dual * dot(by, pricesBy);
    return (
      product(point.above, step.above, point.abovePrices, step.abovePrices) +
      product(point.below, step.below, point.belowPrices, step.belowPrices)
    );
  }

  move(primal: number, dual: number): void {
    const { point, step } = this;
    addTo(point.above, primal, step.above);
    addTo(point.below, primal, step.below);
    addTo(point.abovePrices, dual, step.abovePrices);
    addTo(point.belowPrices, dual, step.belowPrices);
    addTo(point.levels, dual, step.levels);
    addTo(point.slopes, dual, step.slopes);
  }
}

function room(from: Vector, by: Vector, most: number): number {
  let least = most;
  for (let i = 0; i < from.length; i++) {
    const value = from[i] ?? 0;
    const change = by[i] ?? 0;
    if (value + least * change < 0) least = -value / change;
  }
  return least;
}
