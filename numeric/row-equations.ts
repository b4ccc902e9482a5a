import type { Shared, TruthRows } from './truth-rows';
import { zeros, type Vector } from './vectors';

/** Below this share, what an output adds to the matrix is lost in rounding. */
const LEAST_SHARE = 2 ** -40;
const NONE = zeros(0);

/**
 * The equations of a Newton step that each truth has alone. Given the changes of what all share (the masses, `room` and `lean`, see
 * `solveOutputs`), the rest follows for each truth alone. Prices level + slope·output are taken at a weighted mean output, as centre +
 * slope·(output − mean).
 */
export class RowEquations {
  private readonly lackPrices: Vector;
  private readonly inverse: Vector;
  private readonly share: Vector;
  private readonly upward: Vector;
  private readonly downward: Vector;
  private readonly lackSums: Vector;
  private readonly lackMeans: Vector;
  private readonly means: Vector;
  private readonly weights: Vector;
  private readonly spreads: Vector;
  private readonly centres: Vector;
  private readonly offsets: Vector;

  constructor(
    private readonly shared: Shared,
    private readonly rows: TruthRows,
  ) {
    const { places } = rows;
    this.lackPrices = zeros(places);
    this.inverse = zeros(places);
    this.share = zeros(places);
    this.upward = zeros(places);
    this.downward = zeros(places);
    const count = shared.truths.length;
    this.lackSums = zeros(count);
    this.lackMeans = zeros(count);
    this.means = zeros(count);
    this.weights = zeros(count);
    this.spreads = zeros(count);
    this.centres = zeros(count);
    this.offsets = zeros(count);
  }

  /**
   * Takes the point that the next steps begin at, and adds each truth's part to the matrix of the masses, `room` and `lean`: a diagonal and the
   * squares of two vectors.
   * @returns the costs above the least ones, what the prices are worth, and how far the equations are from holding.
   */
  begin(unknowns: Vector, triangle: readonly Vector[]): Record<'primal' | 'dual' | 'off', number> {
    const { truths, prior, outputs, bands, slack } = this.shared;
    const { above, below, abovePrices, belowPrices, levels, slopes } = this.rows.point;
    const { lackPrices, inverse, share } = this;
    const [bySum, byMean] = [zeros(outputs.length), zeros(outputs.length)];
    let [primal, dual, off] = [0, 0, 0];
    for (let x = 0; x < truths.length; x++) {
      const [from, end] = [bands.from[x] ?? 0, bands.end[x] ?? 0];
      const shift = (this.rows.starts[x] ?? 0) - from;
      const [level, slope, truth] = [levels[x] ?? 0, slopes[x] ?? 0, truths[x] ?? 0];
      const likely = slack * (prior[x] ?? 0);
      let [total, moment, sum, first] = [0, 0, 0, 0];
      for (let j = from; j < end; j++) {
        const k = shift + j;
        const output = outputs[j] ?? 0;
        const own = above[k] ?? 0;
        const error = output - slack * truth;
        const cost = likely * error * error;
        const abovePrice = abovePrices[k] ?? 0;
        const belowPrice = belowPrices[k] ?? 0;
        const up = abovePrice / own;
        const down = belowPrice / (below[k] ?? 0);
        const inverted = 1 / (up + down);
        primal += cost * own;
        total += own;
        moment += own * output;
        sum += inverted;
        first += inverted * output;
        lackPrices[k] = cost - level - slope * output - abovePrice + belowPrice;
        inverse[k] = inverted;
        share[k] = down * inverted;
        const line = triangle[j] ?? NONE;
        line[line.length - 1] = (line[line.length - 1] ?? 0) + up * down * inverted;
      }
      dual += slope * truth;
      const lackSum = (unknowns[outputs.length] ?? 0) - total;
      const lackMean = truth - (unknowns[outputs.length + 1] ?? 0) - moment;
      off = Math.max(off, Math.abs(lackSum), Math.abs(lackMean));
      const mean = first / sum;
      let squares = 0;
      for (let j = from; j < end; j++) {
        const apart = (outputs[j] ?? 0) - mean;
        squares += apart * apart * (inverse[shift + j] ?? 0);
      }
      this.lackSums[x] = lackSum;
      this.lackMeans[x] = lackMean;
      this.means[x] = mean;
      this.weights[x] = 1 / sum;
      this.spreads[x] = 1 / squares;
      const [root, spread] = [Math.sqrt(1 / sum), Math.sqrt(1 / squares)];
      let [least, most] = [end, from];
      for (let j = from; j < end; j++) {
        const own = share[shift + j] ?? 0;
        bySum[j] = own * root;
        byMean[j] = own * ((outputs[j] ?? 0) - mean) * spread;
        if (own < LEAST_SHARE) continue;
        if (least > j) least = j;
        most = j + 1;
      }
      addSquares(triangle, bySum, byMean, least, most);
      addEnds(triangle, bySum, byMean, { least, most, root, spread, mean });
    }
    return { primal, dual, off };
  }

  /** Chooses a step towards products of `product`, and adds to `side` what it asks of the unknowns. */
  aim(product: number, isCorrector: boolean, side: Vector): void {
    const { outputs, bands } = this.shared;
    const { above, below, abovePrices, belowPrices, levels, slopes } = this.rows.point;
    const { step } = this.rows;
    const { lackPrices, inverse, share, upward, downward } = this;
    const second = isCorrector ? 1 : 0;
    let [room, lean] = [0, 0];
    for (let x = 0; x < this.means.length; x++) {
      const [from, end] = [bands.from[x] ?? 0, bands.end[x] ?? 0];
      const shift = (this.rows.starts[x] ?? 0) - from;
      const mean = this.means[x] ?? 0;
      const lackSum = this.lackSums[x] ?? 0;
      let [moved, movedMean] = [0, 0];
      for (let j = from; j < end; j++) {
        const k = shift + j;
        const ofAbove = second * (step.above[k] ?? 0) * (step.abovePrices[k] ?? 0);
        const ofBelow = second * (step.below[k] ?? 0) * (step.belowPrices[k] ?? 0);
        const up = (product - ofAbove) / (above[k] ?? 0) - (abovePrices[k] ?? 0);
        const down = (product - ofBelow) / (below[k] ?? 0) - (belowPrices[k] ?? 0);
        const move = (up - down - (lackPrices[k] ?? 0)) * (inverse[k] ?? 0);
        upward[k] = up;
        downward[k] = down;
        moved += move;
        movedMean += move * ((outputs[j] ?? 0) - mean);
      }
      const centre = (lackSum - moved) * (this.weights[x] ?? 0);
      const offset = ((this.lackMeans[x] ?? 0) - mean * lackSum - movedMean) * (this.spreads[x] ?? 0);
      this.centres[x] = centre;
      this.offsets[x] = offset;
      for (let j = from; j < end; j++) {
        const k = shift + j;
        const down = downward[k] ?? 0;
        const rest =
          (upward[k] ?? 0) - down - (lackPrices[k] ?? 0) + centre + offset * ((outputs[j] ?? 0) - mean);
        side[j] = (side[j] ?? 0) + (belowPrices[k] ?? 0) + down + (share[k] ?? 0) * rest;
      }
      room += (levels[x] ?? 0) + centre - offset * mean;
      lean += (slopes[x] ?? 0) + offset;
    }
    side[outputs.length] = (side[outputs.length] ?? 0) - room;
    side[outputs.length + 1] = (side[outputs.length + 1] ?? 0) + lean;
  }

  /** The rest of the step whose changes of the unknowns are given. */
  follow(by: Vector): void {
    const { outputs, bands } = this.shared;
    const { above, below, abovePrices, belowPrices } = this.rows.point;
    const { step } = this.rows;
    const { lackPrices, inverse, share, upward, downward } = this;
    const [room, lean] = [by[outputs.length] ?? 0, by[outputs.length + 1] ?? 0];
    for (let x = 0; x < this.means.length; x++) {
      const [from, end] = [bands.from[x] ?? 0, bands.end[x] ?? 0];
      const shift = (this.rows.starts[x] ?? 0) - from;
      const mean = this.means[x] ?? 0;
      let [pulled, pulledMean] = [-room, mean * room + lean];
      for (let j = from; j < end; j++) {
        const pull = (by[j] ?? 0) * (share[shift + j] ?? 0);
        pulled += pull;
        pulledMean += pull * ((outputs[j] ?? 0) - mean);
      }
      const centre = (this.centres[x] ?? 0) - pulled * (this.weights[x] ?? 0);
      const slope = (this.offsets[x] ?? 0) - pulledMean * (this.spreads[x] ?? 0);
      for (let j = from; j < end; j++) {
        const k = shift + j;
        const mass = by[j] ?? 0;
        const down = (belowPrices[k] ?? 0) / (below[k] ?? 0);
        const [onAbove, onBelow] = [upward[k] ?? 0, downward[k] ?? 0];
        const rest = onAbove - onBelow - (lackPrices[k] ?? 0) + down * mass;
        const own = (rest + centre + slope * ((outputs[j] ?? 0) - mean)) * (inverse[k] ?? 0);
        step.above[k] = own;
        step.below[k] = mass - own;
        step.abovePrices[k] = onAbove - ((abovePrices[k] ?? 0) / (above[k] ?? 0)) * own;
        step.belowPrices[k] = onBelow - down * (mass - own);
      }
      step.levels[x] = centre - slope * mean;
      step.slopes[x] = slope;
    }
  }
}

/** Adds what the products of two vectors with themselves have at these outputs. */
function addSquares(triangle: readonly Vector[], one: Vector, two: Vector, from: number, end: number): void {
  for (let j = from; j < end; j++)
    addToLine(triangle[j] ?? NONE, j, [one, two], [one[j] ?? 0, two[j] ?? 0], from, j + 1);
}

interface Ends {
  readonly least: number;
  readonly most: number;
  readonly root: number;
  readonly spread: number;
  readonly mean: number;
}

/** Adds what these products have in the lines of `room`, where the vectors are −root and mean·spread, and of `lean`, where they are 0 and spread. */
function addEnds(
  triangle: readonly Vector[],
  bySum: Vector,
  byMean: Vector,
  { least, most, root, spread, mean }: Ends,
): void {
  const count = bySum.length;
  const [room, lean] = [triangle[count] ?? NONE, triangle[count + 1] ?? NONE];
  const ofRoom = mean * spread;
  addToLine(room, count, [bySum, byMean], [-root, ofRoom], least, most);
  addToLine(lean, count + 1, [bySum, byMean], [0, spread], least, most);
  room[count] = (room[count] ?? 0) + root * root + ofRoom * ofRoom;
  lean[count] = (lean[count] ?? 0) + ofRoom * spread;
  lean[count + 1] = (lean[count + 1] ?? 0) + spread * spread;
}

/** Each line ends at its own place. */
function addToLine(
  line: Vector,
  place: number,
  [one, two]: readonly [Vector, Vector],
  [a, b]: readonly [number, number],
  from: number,
  end: number,
): void {
  const shift = line.length - 1 - place;
  for (let i = from; i < end; i++)
    line[shift + i] = (line[shift + i] ?? 0) + a * (one[i] ?? 0) + b * (two[i] ?? 0);
}
